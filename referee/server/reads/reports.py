"""The answer of `ReplayService.GetReport`: what the author of a bot needs to know of its own seats."""

import signal
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import grpc
from google.protobuf.duration_pb2 import Duration

from referee.errors import RecordError
from referee.games import find as find_game
from referee.games.base import Game
from referee.match.config import Setup
from referee.replay import processes
from referee.replay.reader import Log, parse
from referee.replay.report import report
from referee.replay.reported import Asked, Fault, Report
from referee.server.auth import Identity
from referee.server.reads import describe, shelf
from referee.server.reads.desk import Desk
from referee.server.reads.replays import find
from referee.server.refusal import Refusal
from referee.tournament.result import MatchResult
from referee.v1 import fault_pb2, match_pb2
from referee.v1 import replay_service_pb2 as pb

if TYPE_CHECKING:
    from referee.server.host import Host


async def get_report(
    host: "Host", desk: Desk, request: pb.GetReportRequest, who: Identity
) -> pb.GetReportResponse:
    """Returns the reports of the seats that a bot had; raises `Refusal` where it had none."""
    known = await find(host, request.match_id)
    return await desk.paced(lambda: _reports(host.config.data, request.match_id, known, who))


def _reports(data: Path, match_id: str, known: MatchResult | None, who: Identity) -> pb.GetReportResponse:
    log = _log(data, match_id, known)
    seats = own_seats(log.setup, who)
    if not seats:
        raise Refusal(grpc.StatusCode.PERMISSION_DENIED, "this bot had no seat in the match")
    return pb.GetReportResponse(reports=[_report(data, log, seat) for seat in seats])


def own_seats(setup: Setup, who: Identity) -> list[int]:
    """Returns the seats of a bot; one of the same name that somebody else owned is another."""
    return [at for at, seat in enumerate(setup.seats) if (seat.bot, seat.owner) == (who.bot_id, who.owner)]


def _log(data: Path, match_id: str, known: MatchResult | None) -> Log:
    """Returns the log of a match that has ended; raises `Refusal` for any other, and for a damaged one."""
    path = shelf.finished(data, match_id, known=known is not None)
    with closing(shelf.opened(path)) as file, suppress(RecordError, OSError):
        log = parse(file.read())
        last = known.last_hash if known else ""
        whole = log.ended and not log.fault and not log.torn
        if whole and log.setup.match_id == match_id and last in {"", log.last_hash}:
            return log
    raise Refusal(grpc.StatusCode.DATA_LOSS, shelf.DAMAGED)


def _report(data: Path, log: Log, seat: int) -> pb.Report:
    launched = processes.find(data, log.setup.match_id, seat)
    try:
        found = report(log, seat, command=launched[-1].command if launched else "")
    except RecordError:
        raise Refusal(grpc.StatusCode.DATA_LOSS, shelf.DAMAGED) from None
    game = find_game(found.game)
    told = pb.Report(
        match_id=found.match_id,
        game=found.game,
        seat=seat,
        termination=describe.termination(found.termination),
        note=found.note,
        placement=_placement(found, log.setup),
        strike_count=found.strikes,
        faults=[_fault(game, fault) for fault in found.faults],
        turns=[_turn(game, turn) for turn in found.turns],
        reproduce_command=found.reproduce,
    )
    if launched:
        told.process.CopyFrom(_process(launched[-1]))
    return told


def _placement(found: Report, setup: Setup) -> match_pb2.Placement | None:
    place = found.place
    if place is None:
        return None
    return match_pb2.Placement(
        seat=found.seat,
        rank=place.rank,
        score=place.score,
        points=place.points,
        forfeited=place.forfeited,
        display_name=setup.seats[found.seat].name,
    )


def _fault(game: Game, fault: Fault) -> pb.FaultReport:
    told = pb.FaultReport(
        kind=fault_pb2.FaultKind.Value(f"FAULT_KIND_{fault.kind.upper()}"),
        reason=fault.reason,
        elapsed_duration=_duration(fault.t),
        turn_id=fault.turn,
        answered_turn_id=fault.answered,
        raw_answer=fault.raw,
        strike_count=fault.strikes,
    )
    if fault.shown:
        told.observation.ParseFromString(fault.shown.observation)
        for action in fault.shown.legal:
            told.legal_actions.add().ParseFromString(game.wire.action(action))
    if fault.played is not None:
        told.played_action.ParseFromString(game.wire.action(fault.played))
    return told


def _turn(game: Game, turn: Asked) -> pb.TurnReport:
    told = pb.TurnReport(
        turn_id=turn.turn,
        ply=turn.ply,
        defaulted=turn.defaulted,
        budget_duration=_duration(turn.budget),
        think_duration=_duration(turn.think),
        lag_credit_duration=_duration(turn.credit),
        bank_duration=_duration(turn.bank),
    )
    told.action.ParseFromString(game.wire.action(turn.action))
    return told


def _process(found: processes.Process) -> pb.ProcessReport:
    told = pb.ProcessReport(
        command=found.command,
        exit_code=found.code,
        stopped=found.stopped,
        stderr_head=found.head,
        stderr_tail=found.tail,
        stderr_dropped_bytes=found.dropped,
    )
    if found.signal is not None:
        told.signal = _signal_name(found.signal)
    return told


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _duration(microseconds: int) -> Duration:
    told = Duration()
    told.FromMicroseconds(microseconds)
    return told

"""Goes on with the matches that an earlier process left behind, or ends them as void."""

from pathlib import Path

import structlog

from referee import games
from referee.errors import LogWriteError, RecordError, RefereeError, in_one_line
from referee.match.config import SECOND, SeatInfo
from referee.replay.reader import Log, unfinished
from referee.replay.resimulate import rebuild
from referee.replay.writer import LogWriter, remove_headless
from referee.server import voiding
from referee.server.auth import Identity
from referee.server.codec import Codec, Wish
from referee.server.hello import Introduction
from referee.server.host import Host
from referee.server.live import LiveMatch
from referee.server.member import Member
from referee.v1 import play_service_pb2 as pb

_log = structlog.get_logger("referee.recovery")
_MOST_MATCHES = 256


def recover(host: Host, known: frozenset[str]) -> None:
    """Resumes what was cut off a short while ago and voids what was cut off before that.

    Void is also what has a bot that is not `known` here, by its id: it cannot come back, be it revoked or
    launched by the process that is gone, and should not lose by that. A log that another process is
    writing is left alone, as are those of other series where the config names one; a log that cannot be
    trusted is named and left as it is.
    """
    for path in unfinished(host.config.data):
        try:
            _recover(host, path, known)
        except LogWriteError as error:
            _log.info("a running log is not taken over", problem=str(error))
        except RefereeError as error:
            _log.error("a log cannot be continued", path=str(path), problem=str(error))
        except Exception as error:  # noqa: BLE001  whatever one log holds, the others go on
            _log.error("a log cannot be continued", path=str(path), problem=in_one_line(error))


def _recover(host: Host, path: Path, known: frozenset[str]) -> None:
    if remove_headless(path):
        _log.info("a log without a header was removed; its match never began", path=str(path))
        return
    outage = max(0, host.wall() - path.stat().st_mtime_ns // 1000)
    writer, log = LogWriter.reopen(path, host.signer)
    try:
        series = host.config.recover_series
        if series and not log.setup.pairing_id.startswith(f"{series}/"):
            writer.abandon()
            return
        if log.ended:
            writer.finish()
            writer.abandon()
            return
        if log.secret is None:
            raise RecordError("the secret of its deals is gone")
        log.setup.check(games.find(log.setup.game).info)
        lost = [seat.name for seat in log.setup.seats if seat.bot not in known]
        if outage > host.config.resume_window:
            _void(writer, log, f"the referee was gone for {outage // SECOND} s")
        elif log.setup.branch:
            _void(
                writer, log, "the referee was gone, and a match that goes on from another one does not resume"
            )
        elif lost:
            _void(writer, log, f"the referee was gone, and {', '.join(lost)} cannot come back")
        else:
            _resume(host, writer, log, log.secret, outage)
    except BaseException:
        writer.abandon()
        raise


def _resume(host: Host, writer: LogWriter, log: Log, secret: bytes, outage: int) -> None:
    setup = log.setup
    game = games.find(setup.game)
    members = [host.lobby.expect(_member(host, seat)) for seat in setup.seats]
    live = LiveMatch(setup, writer, Codec(setup, game, [Wish()] * len(members)), members, host.runner, host)
    try:
        rebuilt = rebuild(setup, secret, log.records, game, live.adopt)
    except BaseException:
        for member in members:
            member.open_turns.pop(setup.match_id, None)
            host.lobby.forget_idle(member)
        raise
    host.matches[setup.match_id] = live
    live.resume(rebuilt.pending, outage)
    _log.info("match resumed", match_id=setup.match_id, outage_microseconds=outage)


def _void(writer: LogWriter, log: Log, why: str) -> None:
    voiding.void(writer, log, why)
    writer.abandon()
    _log.info("match voided", match_id=log.setup.match_id, note=why)


def _member(host: Host, seat: SeatInfo) -> Member:
    """Returns who sat there, as the header tells; what games it plays is not known."""
    introduction = Introduction(
        seat.version, seat.instance, (), _MOST_MATCHES, pb.EVENT_DELIVERY_WITH_TURN, legal_actions=True
    )
    return Member(Identity(seat.bot, seat.name, seat.owner), introduction, host.runner.now())

"""Makes the export of a match from its log; what it is made of is in `export`."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import msgspec

from referee.errors import RecordError
from referee.games import find
from referee.games.base import Game, State
from referee.match import events as ev
from referee.match.config import Setup
from referee.match.flow import COUNTING
from referee.replay import export as ex
from referee.replay.conduct import Conduct, conducted
from referee.replay.reader import Log
from referee.replay.record import kind_of
from referee.replay.steps import play, unplayable

_TOLD = ("seat", "turn", "fault", "form", "raw", "reason", "retries", "strikes", "duration")
"""The members of records that an incident has, too."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def exported(log: Log, file: str) -> ex.Match:
    """Returns the export of a log; raises `RecordError` for one with a bad line, or against the rules."""
    if log.fault is not None:
        raise log.fault
    if log.ended and log.torn:
        raise RecordError("bytes follow the end record", len(log.records) + 2)
    try:
        return _match(log, file)
    except RecordError:
        raise
    except Exception as error:  # noqa: BLE001  whatever a forged log breaks, it is the log that is bad
        raise unplayable(error, 0) from None


def _match(log: Log, file: str) -> ex.Match:
    setup, end = log.setup, log.end
    table = _Table(setup, find(setup.game))
    for record in log.records:
        table.take(record)
    return ex.Match(
        match_id=setup.match_id,
        file=file,
        last_hash=log.last_hash,
        engine_version=setup.engine_version,
        tournament=setup.tournament or "",
        pairing_id=setup.pairing_id,
        attempt=setup.attempt,
        deal_group=setup.deal_group,
        block=_part(setup),
        branch=_branch(setup),
        game=setup.game,
        rules_version=setup.rules_version,
        options=dict(setup.options),
        time_control=setup.time_control,
        penalties=setup.penalties,
        rated=setup.rated,
        anonymous=bool(setup.anonymous),
        created=moment(setup.created),
        state="ended" if end else "unfinished",
        termination=end.termination if end else None,
        note=end.note if end else "",
        duration=log.records[-1].t if log.records else 0,
        plies=table.plies,
        proof=_proof(setup, end),
        seats=tuple(_seats(log)),
        deals=table.finished(),
        incidents=tuple(table.incidents),
    )


def moment(microseconds: int) -> str:
    """Returns a time since the Unix epoch as RFC 3339 has it, in UTC."""
    return f"{(_EPOCH + timedelta(microseconds=microseconds)):%Y-%m-%dT%H:%M:%S.%fZ}"


class _Table:
    """The match while it is played again, and what came of it so far."""

    def __init__(self, setup: Setup, game: Game) -> None:
        self.plies = 0
        self.incidents: list[ex.Incident] = []
        self._seats = range(len(setup.seats))
        self._game = game
        self._state: State = game.new(len(setup.seats), game.info.resolve(setup.options))
        self._deals: list[ex.Deal] = []
        self._plays: list[ex.Play] = []
        self._result: ex.DealResult | None = None

    def take(self, record: ev.Record) -> None:
        """Takes the next record."""
        events = play(self._game, self._state, record)
        match record:
            case ev.Deal():
                self._close()
                told = tuple(map(self._game.text.whole, events))
                self._deals.append(self._deal(record, told))
            case ev.Act() | ev.Default():
                self.plies = record.ply
                self._plays.append(_play(record, tuple(map(self._game.text.whole, events[1:]))))
            case ev.DealResult():
                self._result = ex.DealResult(
                    n=record.n, t=record.t, scores=record.scores, totals=record.totals, state=record.state
                )
            case ev.Ready() | ev.Turn() | ev.End():
                pass
            case _:
                self.incidents.append(_incident(record))

    def finished(self) -> tuple[ex.Deal, ...]:
        """Returns all deals, the last of them as far as it goes."""
        self._close()
        return tuple(self._deals)

    def _deal(self, record: ev.Deal, events: tuple[str, ...]) -> ex.Deal:
        hands = tuple(tuple(self._game.text.hand(self._state, seat)) for seat in self._seats)
        return ex.Deal(
            deal=record.deal,
            n=record.n,
            t=record.t,
            draws=record.draws,
            order=record.order,
            hands=hands,
            events=events,
            plays=(),
            result=None,
        )

    def _close(self) -> None:
        """Gives the last deal what was played in it."""
        if self._deals:
            deal = self._deals.pop()
            done = msgspec.structs.replace(deal, plays=tuple(self._plays), result=self._result)
            self._deals.append(done)
            self._plays, self._result = [], None


def _play(record: ev.Act | ev.Default, events: tuple[str, ...]) -> ex.Play:
    chosen = isinstance(record, ev.Act)
    return ex.Play(
        n=record.n,
        ply=record.ply,
        t=record.t,
        seat=record.seat,
        turn=record.turn,
        action=record.action,
        by="seat" if chosen else "default",
        cause="" if isinstance(record, ev.Act) else record.cause,
        think=record.think,
        credit=record.credit,
        bank=record.bank,
        events=events,
    )


def _incident(record: ev.Record) -> ex.Incident:
    """Returns the export of a record, of which all members have the same names there."""
    wanted = {"n", "t", *_TOLD} & set(record.__struct_fields__)
    kind = cast("Any", kind_of(record))
    return ex.Incident(kind=kind, **{name: getattr(record, name) for name in wanted})


def _part(setup: Setup) -> ex.Part | None:
    block = setup.block
    return ex.Part(kind=block.kind, part=block.part, parts=block.parts) if block else None


def _branch(setup: Setup) -> ex.Branch | None:
    from_ = setup.branch
    return ex.Branch(match_id=from_.match_id, last_hash=from_.last_hash, ply=from_.ply) if from_ else None


def _proof(setup: Setup, end: ev.End | None) -> ex.Proof:
    return ex.Proof(
        provable=setup.provable,
        commitment=setup.commitment,
        secret=end.secret if end else None,
        contributions=end.contributions if end else (),
    )


def _seats(log: Log) -> Iterator[ex.Seat]:
    end = log.end
    for seat, (who, conduct) in enumerate(zip(log.setup.seats, conducted(log), strict=True)):
        yield ex.Seat(
            seat=seat,
            owner=who.owner,
            bot=who.bot,
            name=who.name,
            version=who.version,
            instance=who.instance,
            place=_place(end, end.places[seat], conduct) if end else None,
            think=ex.Thought(turns=conduct.turns, total=conduct.think, longest=conduct.longest),
        )


def _place(end: ev.End, place: ev.Place, conduct: Conduct) -> ex.Place:
    counts = end.termination in COUNTING
    return ex.Place(
        rank=place.rank if counts else None,
        score=place.score,
        points=place.points if counts else None,
        forfeited=place.forfeited,
        cause=conduct.cause if place.forfeited else "",
        at_fault=place.seat in end.at_fault,
        strikes=place.strikes,
        faults=dict(place.faults),
    )

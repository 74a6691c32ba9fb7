"""Turns a log into the rows of a readable table; what they look like is the caller's business."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from referee.errors import RecordError
from referee.games import find
from referee.games.base import Event, Game, State
from referee.match import events as ev
from referee.match.config import Setup
from referee.replay.reader import Log
from referee.replay.steps import play, unplayable

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_RAW_SHOWN = 40
"""Characters of a refused answer that are shown; the log holds them all."""


class Row(NamedTuple):
    """One thing that happened: when, in seconds, about whom, what, the think time, and what else is known."""

    at: str
    seat: str
    what: str
    think: str = ""
    note: str = ""
    is_fault: bool = False


class Chapter(NamedTuple):
    """The start of a match or one deal: the table when it began, what happened, how it ended.

    `left` is the table when the deal ended, or after the last action of one that did not end; there
    is none before the first action.
    """

    title: str
    table: tuple[str, ...]
    rows: tuple[Row, ...]
    left: tuple[str, ...]
    result: str


class Story(NamedTuple):
    """A match in readable pieces.

    `seats` has a row for each seat (seat, name, owner, bot, version), `places` one for each seat
    with a result (place, name, score, points, strikes, faults). `state` says how it ended, or that
    the log is not whole.
    """

    facts: tuple[str, ...]
    seats: tuple[tuple[str, ...], ...]
    chapters: tuple[Chapter, ...]
    places: tuple[tuple[str, ...], ...]
    state: str


def story(log: Log) -> Story:
    """Returns the match of a log; raises `RecordError` where it does not fit the game."""
    setup = log.setup
    seats = tuple((str(at), who.name, who.owner, who.bot, who.version) for at, who in enumerate(setup.seats))
    try:
        game = find(setup.game)
        table = game.new(len(setup.seats), game.info.resolve(setup.options))
    except Exception as error:  # noqa: BLE001  whatever a forged header breaks, it is the log that is bad
        raise unplayable(error, 1) from None
    chapters = tuple(_chapters(log, game, table))
    places = tuple(_place(setup, place) for place in log.end.places) if log.end else ()
    return Story(_facts(setup), seats, chapters, places, state(log, log.fault))


def _facts(setup: Setup) -> tuple[str, ...]:
    rules = setup.penalties
    known = f"deals of match {setup.branch.match_id}" if setup.branch else "deals from a seed"
    fair = "deals provable" if setup.provable else f"{known}, not provable"
    return (
        f"match {setup.match_id}",
        f"{setup.game}, rules {setup.rules_version}, {_moment(setup.created)}",
        f"options {', '.join(f'{name}={value}' for name, value in setup.options.items())}",
        f"time {setup.time_control}; {rules.retries} retries a turn, {rules.strikes} strikes a match",
        f"{'rated' if setup.rated else 'unrated'}, {fair}",
        *([f"goes on from ply {setup.branch.ply} of that match"] if setup.branch else []),
    )


def _chapters(log: Log, game: Game, state: State) -> Iterator[Chapter]:
    title, result = "before the first deal", ""
    table: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    rows: list[Row] = []
    for record in log.records:
        told = _told(game, record, play(game, state, record))
        match record:
            case ev.Deal(deal=deal):
                yield Chapter(title, table, tuple(rows), left, result)
                title, rows, left, result = f"deal {deal}", [], (), ""
                table = (*game.text.table(state), *told)
            case ev.DealResult(scores=scores, totals=totals):
                result = f"scores {_numbers(scores)}, totals {_numbers(totals)}"
            case ev.Turn() | ev.End():
                pass
            case _:
                rows.append(_row(log.setup, record, told))
        if isinstance(record, ev.Act | ev.Default):
            left = tuple(game.text.table(state))
    yield Chapter(title, table, tuple(rows), left, result)


def _told(game: Game, record: ev.Record, events: list[Event]) -> tuple[str, ...]:
    """Returns what followed with nothing left out; as it stands in the log if that tells another story."""
    followed = events[1:] if isinstance(record, ev.Act | ev.Default) else events
    written: tuple[str, ...] = getattr(record, "events", ())
    if tuple(map(game.text.event, followed)) != written:
        return written
    return tuple(map(game.text.whole, followed))


def _row(setup: Setup, record: ev.Record, told: tuple[str, ...]) -> Row:
    at = f"{record.t / 1_000_000:.3f}"
    number: int = getattr(record, "seat", -1)
    seat = f"{number} {setup.seats[number].name}" if 0 <= number < len(setup.seats) else ""
    match record:
        case ev.Act(action=action, think=think, credit=credit):
            credited = [f"lag credit {_duration(credit)}"] if credit else []
            return Row(at, seat, action, _duration(think), _note([*credited, *told]))
        case ev.Default(action=action, cause=cause, think=think):
            why = "forfeited before" if cause == "forfeited" else cause
            thought = "" if cause == "forfeited" else _duration(think)
            return Row(at, seat, action, thought, _note([f"default action: {why}", *told]), is_fault=True)
        case ev.Rejected(fault=fault, form=form, raw=raw, reason=reason):
            held = f"{form} {_short(raw)!r}" if raw else form
            return Row(at, seat, f"refused: {fault}", "", f"{held}: {reason}", is_fault=True)
        case ev.Strike(fault=fault, strikes=strikes):
            return Row(at, seat, f"strike {strikes}", "", fault, is_fault=True)
        case ev.Forfeit():
            return Row(at, seat, "forfeits", is_fault=True)
        case ev.Gone():
            return Row(at, seat, "process ended", is_fault=True)
        case ev.Ready(entropy=entropy):
            return Row(at, seat, "ready", "", f"{len(entropy) // 2} bytes of entropy")
        case ev.Stall(duration=duration, reason=reason):
            return Row(at, "", "referee stood still", "", f"{_duration(duration)}, {reason}")
        case ev.Resumed(duration=duration):
            return Row(at, "", "match resumed", "", f"after {_duration(duration)}")
    return Row(at, seat, "stream ended" if isinstance(record, ev.Dropped) else "stream taken over")


def _place(setup: Setup, place: ev.Place) -> tuple[str, ...]:
    faults = ", ".join(f"{count} {kind}" for kind, count in place.faults.items() if count)
    rank = f"{place.rank}{' (forfeited)' if place.forfeited else ''}"
    name = f"{place.seat} {setup.seats[place.seat].name}" if 0 <= place.seat < len(setup.seats) else "?"
    return rank, name, str(place.score), f"{place.points:.3f}", str(place.strikes), faults


def state(log: Log, fault: RecordError | None) -> str:
    """Says how a match ended, or that its log is not whole; `fault` is what is wrong with it."""
    end = log.end
    if fault:
        return f"the log is not to be trusted from here on: {fault}"
    if end is None:
        torn = "; its last line is torn and left out" if log.torn else ""
        return f"unfinished: the match is running or was cut off after {len(log.records)} records{torn}"
    return f"{end.termination} after {end.plies} actions{f': {end.note}' if end.note else ''}"


def _moment(created: int) -> str:
    """Returns a time of the wall clock; the bare number where there is no such day."""
    try:
        return f"{_EPOCH + timedelta(microseconds=created):%Y-%m-%d %H:%M:%S} UTC"
    except OverflowError:
        return f"{created} microseconds after 1970"


def _note(parts: Sequence[str]) -> str:
    return "; ".join(parts)


def _numbers(values: Sequence[int]) -> str:
    return " ".join(map(str, values))


def _short(raw: str) -> str:
    return raw if len(raw) <= _RAW_SHOWN else f"{raw[:_RAW_SHOWN]}…"


def _duration(microseconds: int) -> str:
    if abs(microseconds) < 1_000_000:
        return f"{microseconds / 1_000:.1f} ms"
    return f"{microseconds / 1_000_000:.3f} s"

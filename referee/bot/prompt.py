"""A turn in plain text, for whoever reads no messages: scripts, people, language models.

What a line begins with says what it is: only the actions begin with a number, only what belongs to
a heading above it is indented.
"""

from collections.abc import Iterable, Iterator

from referee.bot import action_text
from referee.bot.telling import printable, result
from referee.bot.turn import Turn
from referee.bot.wording import only, parts, told
from referee.v1 import play_service_pb2 as play
from referee.v1.event_pb2 import Event

NOBODY = -1
"""The seat of an event that is about the whole table."""


def lines(turn: Turn, remaining: float, happened: Iterable[str] = ()) -> Iterator[str]:
    """Yields the lines of a turn, the numbered actions last.

    `remaining` is the time to answer, in seconds; `happened` are lines to tell before the events.
    """
    yield f"match {turn.match_id} of {turn.game}, turn {turn.turn_id}, you are seat {turn.seat}"
    yield f"seats: {', '.join(_seat(turn.started, seat.seat) for seat in turn.started.seats)}"
    yield f"options: {' '.join(f'{one.option}={one.value}' for one in turn.started.options) or 'none'}"
    yield f"time: {remaining:.1f} s to answer, of which the bank of the match gives {turn.bank:.1f} s"
    told_before = [*happened, *(event(turn.started, one) for one in turn.events)]
    yield from _section("since your last turn", told_before)
    if turn.observation.WhichOneof("game") is not None:
        seen = only(turn.observation)
        yield from _section("all at the table see", parts(seen.public))
        yield from _section("only you see", parts(seen.private))
    yield "you may do one of these"
    yield from (f"{number}. {text}" for number, text in enumerate(actions(turn), 1))


def actions(turn: Turn) -> list[str]:
    """Returns the texts of the legal actions, in their order."""
    return [action_text.text(action) for action in turn.legal_actions]


def event(started: play.MatchStarted, event: Event) -> str:
    """Returns one line for an event."""
    what = (
        action_text.happened(event.game) if event.WhichOneof("detail") == "game" else "forfeited by conduct"
    )
    return what if event.seat == NOBODY else f"{_seat(started, event.seat)}: {what}"


def deal_ended(ended: play.DealEnded) -> str:
    """Returns one line for the result of a deal."""
    scores, totals = (" ".join(map(str, values)) for values in (ended.scores, ended.totals))
    detail = f", {told(only(ended.detail))}" if ended.HasField("detail") else ""
    return f"deal {ended.deal} ended: scores by seat {scores}, totals by seat {totals}{detail}"


def match_ended(ended: play.MatchEnded, seat: int | None) -> str:
    """Returns one line for the result of a match."""
    return printable(result(ended, seat))


def _section(heading: str, inner: Iterable[str]) -> Iterator[str]:
    found = [f"  {printable(line)}" for line in inner]
    if found:
        yield f"{heading}:"
        yield from found


def _seat(started: play.MatchStarted, number: int) -> str:
    """Returns what a seat is called: its number, and its name if it has one."""
    if number == started.seat:
        return f"{number} you"
    names = {seat.seat: seat.display_name for seat in started.seats}
    name = printable(names.get(number, ""))
    return str(number) if name in {"", f"seat {number}"} else f"{number} {name}"

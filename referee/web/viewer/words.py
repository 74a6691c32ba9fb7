"""What happened, in words for people: one line for each thing, with the names that its viewer knows."""

from collections.abc import Iterator, Sequence
from typing import Final

from referee.games.base import Event, Game
from referee.replay.positions import Frame
from referee.web.filters import signed, span

FAULTS: Final = {
    "late": "late",
    "illegal": "illegal",
    "malformed": "unreadable",
    "stale": "for an earlier turn",
    "future": "for a later turn",
    "not_your_turn": "out of turn",
    "conflicting": "in conflict with an earlier one",
    "rate_limited": "too many at a time",
    "dropped": "connection lost",
    "no_show": "not there",
    "forfeited": "forfeited before",
    "gone": "process ended",
}
"""Faults as people say them."""
_ENDS: Final = {
    "completed": "The match is over.",
    "forfeited": "The match is over: one seat is left that has not forfeited.",
    "adjudicated": "The match is over: a cap ended it, and the totals decide.",
    "no_show": "The match is over: a seat did not come.",
    "void": "The match is void.",
}


def told(frame: Frame, game: Game, names: Sequence[str]) -> tuple[str, ...]:
    """Returns what a frame tells, the most important first."""
    return tuple(_told(frame, game, names))


def _told(frame: Frame, game: Game, names: Sequence[str]) -> Iterator[str]:
    who = names[frame.seat] if 0 <= frame.seat < len(names) else "the table"
    match frame.kind:
        case "start":
            yield "The match begins."
        case "deal":
            yield f"Deal {frame.deal} begins."
        case "default":
            yield _default(frame, who)
        case "rejected":
            why = f": {frame.note}" if frame.note and frame.fault == "illegal" else ""
            yield f"{who}: an answer is refused, {FAULTS.get(frame.fault, frame.fault)}{why}."
        case "strike":
            count = frame.strikes[frame.seat] if frame.seat < len(frame.strikes) else 0
            yield f"{who}: strike {count}, {FAULTS.get(frame.fault, frame.fault)}."
        case "forfeit":
            yield f"{who} forfeits: default actions are played for this seat from now on."
        case "deal_result":
            yield f"Deal {frame.deal} is over: {_scores(frame.scores, names)}."
        case "end":
            yield _ENDS.get(frame.note.partition(":")[0], "The match is over.")
        case "stall" | "resumed":
            yield _pause(frame)
        case "dropped" | "rejoined" | "gone":
            yield f"{who}: {_STREAMS[frame.kind]}."
    yield from (happened(event, game, names) for event in frame.events)


_STREAMS: Final = {
    "dropped": "the connection is lost",
    "rejoined": "the connection is back",
    "gone": "the process has ended",
}


def happened(event: Event, game: Game, names: Sequence[str]) -> str:
    """Returns an event of the game, with names instead of numbers of seats."""
    line = game.text.whole(event)
    number = f"{event.seat} "
    if 0 <= event.seat < len(names) and line.startswith(number):
        return f"{names[event.seat]}: {line.removeprefix(number)}"
    word, _, seat = line.rpartition(" ")
    if seat.isdecimal() and int(seat) < len(names) and word in {"opener", "leader", "trick to"}:
        return f"{names[int(seat)]} {_LEADS[word]}"
    return line


_LEADS: Final = {
    "opener": "opens the deal",
    "leader": "leads the deal",
    "trick to": "has the trick and leads",
}


def _default(frame: Frame, who: str) -> str:
    if frame.fault == "forfeited":
        return f"{who} has forfeited: the default action is played."
    why = {"late": "is late", "illegal": "has no retry left", "malformed": "has no retry left"}
    return f"{who} {why.get(frame.fault, 'did not answer')}: the default action is played."


def _scores(scores: Sequence[int], names: Sequence[str]) -> str:
    return ", ".join(f"{name} {signed(score)}" for name, score in zip(names, scores, strict=False))


def _pause(frame: Frame) -> str:
    time = f" for {span(int(frame.note))}" if frame.note.isdecimal() else ""
    if frame.kind == "stall":
        return f"The referee stood still{time}; every deadline moved by that."
    return f"The match goes on after an outage{time}." if time else "The match goes on after an outage."

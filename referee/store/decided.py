"""Keeps a decision from being written that says no more than what holds already."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from referee.errors import DecidedError
from referee.tournament.decision import (
    Decision,
    Disqualified,
    Paused,
    Returned,
    Ruling,
    Rulings,
    Voided,
    Withdrawn,
)
from referee.tournament.result import COUNTED, MatchResult

_HOLDS: Final = {
    Voided: "void",
    Disqualified: "disqualified",
    Withdrawn: "withdrawn",
    Paused: "paused",
}


def check_news(found: Rulings, decision: Decision) -> None:
    """Raises `DecidedError` for a decision that changes nothing in what was found so far."""
    if isinstance(decision, Returned) and found.plays(decision.bot):
        raise DecidedError(f"bot {decision.bot} is neither paused, withdrawn nor disqualified")
    if not isinstance(decision, Ruling):
        return
    held = [ruling for one in (*_stronger(decision), decision) if (ruling := found.holding(one))]
    earlier = held[0] if held else None
    if earlier:
        what = f"match {earlier.match_id}" if isinstance(earlier, Voided) else f"bot {earlier.bot}"
        since = f"{_HOLDS[type(earlier)]} since {_time(earlier.at)}"
        raise DecidedError(f"{what} is already {since}: {earlier.why}")


def _stronger(decision: Ruling) -> Iterator[Ruling]:
    """Yields what rules a bot out further than a decision, which changes nothing then; furthest first."""
    if isinstance(decision, Paused | Withdrawn):
        yield Disqualified(at=decision.at, bot=decision.bot, why=decision.why)
    if isinstance(decision, Paused):
        yield Withdrawn(at=decision.at, bot=decision.bot, why=decision.why)


def check_counts(result: MatchResult) -> None:
    """Raises `DecidedError` for a match that counted for nothing anyhow, as it ended."""
    if result.termination not in COUNTED:
        raise DecidedError(
            f"match {result.match_id} counts for nothing already: it ended as"
            f" {result.termination.replace('_', ' ')} at {_time(result.created + result.duration)}"
        )


def _time(microseconds: int) -> str:
    return datetime.fromtimestamp(microseconds / 1_000_000, UTC).strftime("%Y-%m-%d %H:%M:%SZ")

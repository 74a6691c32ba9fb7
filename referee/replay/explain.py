"""Why a seat lost points, as far as its log tells: its course deal by deal, and the facts in sentences.

A log tells what was dealt, asked, answered and scored. It does not tell what another choice would
have been worth, so nothing here says so.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from referee.games import find
from referee.games.base import Game, ranks
from referee.match.config import SECOND
from referee.match.events import End
from referee.replay.reader import Log
from referee.replay.reported import Asked, Report

_NOTHING = "pass"
"""How the text of an action begins that plays nothing."""
_MOST_DEALS = 3
"""Of so many deals it is told what they cost."""


class Lap(NamedTuple):
    """One deal of a seat.

    `scores` and `totals` are by seat, those of the table; `place` is that by the totals after the deal.
    `passes` count the turns in which the seat played nothing, `forced` those with one legal action.
    """

    deal: int
    scores: tuple[int, ...]
    totals: tuple[int, ...]
    place: int
    turns: int
    passes: int
    forced: int


def laps(report: Report) -> tuple[Lap, ...]:
    """Returns the finished deals of a seat in order."""
    game = find(report.game)
    return tuple(_laps(report, game))


def findings(log: Log, report: Report) -> tuple[str, ...]:
    """Returns what is known of why the seat lost points, the weightiest first, a sentence each."""
    return tuple(_findings(log, report, find(report.game)))


def _laps(report: Report, game: Game) -> Iterator[Lap]:
    for deal in report.deals:
        turns = [turn for turn in report.turns if turn.deal == deal.deal]
        yield Lap(
            deal=deal.deal,
            scores=deal.scores,
            totals=deal.totals,
            place=ranks(deal.totals, lower_is_better=game.info.lower_is_better)[report.seat],
            turns=len(turns),
            passes=_passes(turns, game),
            forced=sum(turn.choices == 1 for turn in turns),
        )


def _passes(turns: Sequence[Asked], game: Game) -> int:
    return sum(game.text.action(turn.action).startswith(_NOTHING) for turn in turns)


def _findings(log: Log, report: Report, game: Game) -> Iterator[str]:
    end = log.end
    if end is None:
        yield "The match has not ended, so nobody has lost anything yet."
    elif report.place is None:
        yield f"The match does not count ({end.termination}: {end.note}), so it cost nobody points."
    elif report.place.rank == 1:
        shared = "it lost none" if report.place.points == 1 else "it lost some to those who share its place"
        yield f"It was first with {report.place.points:.3f} points: {shared}."
    yield from _by_conduct(report)
    if end and report.place and report.place.rank > 1 and not report.place.forfeited:
        yield from _at_the_table(log, end, report, game)


def _by_conduct(report: Report) -> Iterator[str]:
    """Tells what followed from faults, and what of the time."""
    if report.gone_at is not None:
        yield (
            f"Its process ended {_seconds(report.gone_at)} into the match; a launched bot that has ended"
            " for good has forfeited."
        )
    if report.forfeited_at is not None:
        strikes = _counted(report.strikes, "strike")
        later = f"{_counted(report.played_for, 'action')} {'was' if report.played_for == 1 else 'were'}"
        yield (
            f"It forfeited {_seconds(report.forfeited_at)} into the match, with {strikes}: who forfeits is"
            f" last whatever the score. {later} played for it later."
        )
    defaulted = [turn for turn in report.turns if turn.defaulted]
    if defaulted:
        causes = ", ".join(
            f"{sum(turn.cause == cause for turn in defaulted)} {cause}"
            for cause in dict.fromkeys(turn.cause for turn in defaulted)
        )
        yield (
            f"In {len(defaulted)} of the {_counted(report.asked, 'turn')} that it was asked the referee"
            f" played the default action for it ({causes}), which is legal and seldom good."
        )
    refused = sum(fault.kind in {"illegal", "malformed"} for fault in report.faults)
    if refused:
        yield f"{refused} of its answers were refused, which costs time, and past the retries a strike."


def _at_the_table(log: Log, end: End, report: Report, game: Game) -> Iterator[str]:
    """Tells where it fell behind the winner, deal by deal."""
    if not report.faults:
        yield "It made no fault and was never late: what it lost, it lost at the table."
    winner = next(place.seat for place in end.places if place.rank == 1)
    name, sign = log.setup.seats[winner].name, 1 if game.info.lower_is_better else -1
    better = "lower" if game.info.lower_is_better else "higher"
    known = laps(report)
    lost = [(sign * (lap.scores[report.seat] - lap.scores[winner]), lap) for lap in known]
    worst = sorted((pair for pair in lost if pair[0] > 0), key=lambda pair: -pair[0])[:_MOST_DEALS]
    if worst:
        told = ", ".join(
            f"deal {lap.deal} ({lap.scores[report.seat]} against {lap.scores[winner]})" for _, lap in worst
        )
        yield f"It lost most on the winner, seat {winner} {name}, in {told}; {better} scores are better."
    behind = [amount > 0 for amount in accumulate(amount for amount, _ in lost)]
    if known and behind[-1]:
        since = max((at + 1 for at, is_behind in enumerate(behind) if not is_behind), default=0)
        yield f"It was behind that seat from deal {known[since].deal} to the end."
    passes, turns = _passes(report.turns, game), report.asked
    forced = sum(turn.choices == 1 for turn in report.turns)
    if turns:
        yield (
            f"It was asked {_counted(turns, 'time')}, and had no choice in {forced} of them;"
            f" it passed {_counted(passes, 'time')}."
            " Passes that the referee makes for a seat by the rules are not among them."
        )
    yield (
        "What another choice would have been worth the log does not tell: 'referee replay branch' plays on"
        " from any ply."
    )


def _counted(number: int, one: str) -> str:
    return f"{number} {one}" if number == 1 else f"{number} {one}s"


def _seconds(microseconds: int) -> str:
    return f"{microseconds / SECOND:.3f} s"

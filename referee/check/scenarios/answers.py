"""Answers that are refused, and answers that come too late."""

from typing import Final

from referee.check.bench import Bench
from referee.check.journal import ANSWERED_TWICE
from referee.check.scenario import Failed, Scenario, Terms
from referee.check.tamper import Overdue, Refuse

_OVERDUE: Final = 2
"""The turn whose answer is held back."""


async def _refused(bench: Bench, terms: Terms) -> str:
    refusals = 0
    for game in terms.games:
        match = await bench.play(game, terms.again, tamper=Refuse())
        refusals += sum(question.refusals for question in match.questions.values())
    return f"{refusals} answers were refused as ILLEGAL or MALFORMED, and each turn was answered again"


async def _late(bench: Bench, terms: Terms) -> str:
    for game in terms.games:
        match = await bench.play(game, terms.short, tamper=Overdue(_OVERDUE))
        question = match.questions.get(_OVERDUE)
        if question and len(question.answers) > 1:
            raise Failed(f"{game}: turn {_OVERDUE} was over (LATE), and was answered again")
    return "in each game an answer was late on its way: that turn was left alone, the next ones were answered"


SCENARIOS: Final = (
    Scenario(
        name="refused",
        expected="a turn whose answer was refused, and which is still open, is answered again",
        anchor="turns",
        play=_refused,
    ),
    Scenario(
        name="late",
        expected="a turn that is over is not answered again, and the match goes on",
        anchor="turns",
        play=_late,
        own=frozenset({ANSWERED_TWICE}),
        waits=True,
    ),
)

"""One match of launched bots: what an interrupt takes from it, and what not."""

import asyncio
from pathlib import Path

import pytest

from referee.cli import one_match
from referee.cli.interrupt import Interrupt
from referee.cli.one_match import Played, Sitting
from referee.engine.entrants import entries
from referee.server.request import MatchRequest
from referee.store.store import Store
from tests.server.client import CALM, GAME, run, until
from tests.server.keeping import held

BOTS = ("easy", "normal", "expert", "mine=easy")


def test_u3_an_interrupt_after_the_end_of_a_match_does_not_make_it_void(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is told is what is in the store, though the result was still being kept."""
    told: list[Played] = []
    found = entries(BOTS, GAME)
    request = MatchRequest(
        game=GAME, options={"target": 10}, bots=tuple(bot.name for bot in found), time_control=CALM
    )
    sitting = Sitting(
        request=request, entries=found, data=tmp_path, store=None, kind="match", doing="", again="again"
    )

    async def play() -> None:
        begun = held(monkeypatch)
        interrupts: list[Interrupt] = []

        def install(interrupt: Interrupt) -> None:
            interrupts.append(interrupt)

        monkeypatch.setattr(Interrupt, "install", install)
        playing = asyncio.ensure_future(one_match.play(sitting, told.append, quiet=True))
        await until(lambda: begun.is_set() or playing.done())
        interrupts[0]._hear()
        await playing

    run(play())
    with Store.under(tmp_path) as store:
        (kept,) = store.results()
    (played,) = told
    assert (played.outcome.match_id, played.outcome.termination) == (kept.match_id, "completed")

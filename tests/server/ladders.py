"""Ladders of short matches, for tests."""

import contextlib
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any

from referee.match.config import SECOND
from referee.server.config import OpenTable
from referee.server.house.config import PracticeRules
from referee.server.house.practice import Practice
from referee.server.ladder.config import HouseRules, LadderConfig
from referee.server.ladder.ladder import Ladder
from referee.store.decision_log import DecisionLog, decisions_path
from referee.tournament.decision import Accepted, Decision, Unplayed
from tests.server.client import Room, room, until

TRAIN = "mexican_train"
DUEL = OpenTable(game=TRAIN, options={"deals": 1}, seats=2)
"""A table for two, over after one deal."""
NOBODY = HouseRules(levels=())
NO_PRACTICE = PracticeRules(levels=())


def ladder(**changed: Any) -> LadderConfig:
    """Returns a ladder of duels in which anybody meets anybody at once, without house bots."""
    settings: dict[str, Any] = {
        "name": "spring",
        "tables": (DUEL,),
        "near": 1000.0,
        "house": NOBODY,
        "practice": NO_PRACTICE,
        **changed,
    }
    return LadderConfig(**settings)


@contextlib.asynccontextmanager
async def playing(data: Path, config: LadderConfig | None = None, **more: Any) -> AsyncIterator[Room]:
    """Opens an arena with a ladder on a free port."""
    async with room(data, ladder=config or ladder(), recover=True, **more) as hall:
        yield hall


def of(hall: Room) -> Ladder:
    """Returns the ladder of an arena."""
    found = hall.arena._backstage.ladder
    assert found
    return found


def practice_of(hall: Room) -> Practice:
    """Returns the practice of an arena."""
    found = hall.arena._backstage.practice
    assert found
    return found


async def duellists(hall: Room, names: Iterable[str] = "ab", **about: Any) -> list[Any]:
    """Returns bots that play duels."""
    return [await hall.bot(name, games=[TRAIN], **about) for name in names]


def decisions(data: Path, *kinds: type[Decision]) -> list[Any]:
    """Returns what was decided so far, of some kinds if they are given."""
    found = DecisionLog(decisions_path(data, "spring")).read()
    return [decision for decision in found if not kinds or isinstance(decision, kinds)]


async def settled(data: Path, count: int) -> list[Any]:
    """Waits until so many pairings were accepted or given up, and returns those decisions."""
    await until(lambda: len(decisions(data, Accepted, Unplayed)) >= count)
    return decisions(data, Accepted, Unplayed)


SOON = SECOND // 20
"""A wait of house bots that nobody notices."""

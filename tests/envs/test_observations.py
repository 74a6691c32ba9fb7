"""What agents observe: in its space, as documented, and nothing that its seat may not know."""

import math
import random
import re
from pathlib import Path

import numpy as np
import pytest

from referee.envs import Arena, Observation
from referee.envs import arena as arenas
from referee.envs.encodings import ENCODINGS
from referee.games import find
from referee.games.base import Action, Chance, Outcome
from tests.envs.tables import TABLES, arena, wander
from tests.games.helpers import Sitting, random_sitting
from tests.games.worlds import Pair, World, pairs

NUMBERS = re.compile(r"^That is (\d+)(?: \+ (\d+) × seats)? numbers in all\.$", re.MULTILINE)
PAGE = Path(__file__).resolve().parents[2] / "docs" / "environments.md"
STEPS = 90
POSITIONS = 20

every_table = pytest.mark.parametrize("sitting", TABLES, ids=str)


@every_table
def test_every_observation_lies_in_its_space(sitting: Sitting) -> None:
    """At each step, of each agent, all numbers lie in the bounds that the space names."""
    played = arena(sitting)
    for _ in wander(played, 4, STEPS):
        for agent in played.agents:
            assert played.observation_space(agent).contains(played.observe(agent))


@every_table
def test_the_last_observation_lies_in_its_space(sitting: Sitting) -> None:
    """What an agent sees when the match is over is an observation like any other, with an empty mask."""
    played = arena(sitting, deals=1)
    for _ in wander(played, 5, STEPS):
        if any(played.terminations.values()):
            break
    while not any(played.terminations.values()):
        played.step(int(np.flatnonzero(played.observe(played.agent_selection)["action_mask"])[0]))
    for agent in played.agents:
        seen = played.observe(agent)
        assert played.observation_space(agent).contains(seen)
        assert not seen["action_mask"].any()


@pytest.mark.parametrize("sittings", [8, pytest.param(2_000, marks=pytest.mark.soak)])
@pytest.mark.parametrize("game", sorted(ENCODINGS))
def test_the_bounds_hold_with_any_options(game: str, sittings: int) -> None:
    """Whatever the options are, totals and counts stay within the bounds that the space has then."""
    rng = random.Random(game)
    for number in range(sittings):
        played = arena(random_sitting(find(game), rng))
        for agent in wander(played, number, STEPS):
            assert played.observation_space(agent).contains(played.observe(agent))


@pytest.mark.parametrize("game", sorted(ENCODINGS))
def test_every_field_is_used(game: str) -> None:
    """Each field of the vector changes in play at some table of the game."""
    idle = []
    for sitting in TABLES:
        if sitting.game.info.name == game:
            played = arena(sitting)
            seen = [played.observe("seat_1")["observation"] for _ in wander(played, 6, 3 * STEPS)]
            names = [field.name for field in played.encoding.layout.fields]
            idle.append(
                {name for name in names if len({bytes(v[slice_of(played, name)]) for v in seen}) == 1}
            )

    assert set.intersection(*idle) == set()


def slice_of(played: Arena, field: str) -> slice:
    """Returns where a field lies in the vector."""
    layout = played.encoding.layout
    size = next(one.size for one in layout.fields if one.name == field)
    return slice(layout.start[field], layout.start[field] + size)


# The documented shapes


def section(game: str) -> str:
    """Returns the part of the page that is about a game."""
    return PAGE.read_text(encoding="utf-8").split(f"(`{game}`)\n")[1].split("\n## ")[0]


def documented(game: str) -> list[tuple[str, str]]:
    """Returns the fields of a game with their sizes, as the page has them."""
    return re.findall(r"^\| `(\w+)` \| ([\w× ]+) \|", section(game), re.MULTILINE)


def counted(size: str, seats: int) -> int:
    """Returns the number that a size of the page stands for: `28`, `seats`, or a product of such."""
    words = {"seats": seats, "trains": seats + 1}
    return math.prod(words.get(factor) or int(factor) for factor in size.split(" × "))


@every_table
def test_documented_fields_are_the_real_ones(sitting: Sitting) -> None:
    """The page tells each field of the vector, in its order and with its size, and how many ids there are."""
    played, game = arena(sitting), sitting.game.info.name
    told = [(name, counted(size, sitting.seats)) for name, size in documented(game)]

    assert told == [(field.name, field.size) for field in played.encoding.layout.fields]
    ((fixed, each),) = NUMBERS.findall(section(game))
    assert int(fixed) + int(each or 0) * sitting.seats == played.encoding.layout.size
    assert f"{played.encoding.ids} ids" in section(game)


@every_table
def test_shapes_are_those_of_the_spaces(sitting: Sitting) -> None:
    """Vectors and masks have the shape and the type of their spaces."""
    played = arena(sitting)
    played.reset(seed=1)
    seen = played.observe("seat_0")

    assert seen["observation"].shape == (sum(field.size for field in played.encoding.layout.fields),)
    assert seen["observation"].dtype == np.float32
    assert seen["action_mask"].shape == (played.encoding.ids,)
    assert seen["action_mask"].dtype == np.int8


@pytest.mark.parametrize("game", sorted(ENCODINGS))
def test_fields_follow_each_other(game: str) -> None:
    """Each field begins where the one before it ends."""
    layout = next(arena(sitting) for sitting in TABLES if sitting.game.info.name == game).encoding.layout
    ends = [layout.start[field.name] + field.size for field in layout.fields]

    assert [layout.start[field.name] for field in layout.fields] == [0, *ends[:-1]]
    assert layout.size == ends[-1] == len(layout.low()) == len(layout.high())


# Nothing of what is hidden


class Told:
    """An environment in one of two worlds; keeps what the viewer observes."""

    def __init__(self, pair: Pair, number: int, patch: pytest.MonkeyPatch) -> None:
        self.viewer = f"seat_{pair.viewer}"
        self.seen: list[Observation] = []
        self._deals = iter([*(deal.outcome for deal in pair.before), pair.worlds[number].outcome])
        patch.setattr(arenas, "draw", self._draw)
        self._arena = arena(pair.sitting)
        self._arena.reset()
        for deal in pair.before:
            self._play(deal)
        self._play(pair.worlds[number])

    def _draw(self, seed: bytes, chance: Chance) -> Outcome:
        del seed, chance
        return next(self._deals)

    def _play(self, world: World) -> None:
        self._look()
        for action in world.actions:
            self._choose(action)
            self._look()

    def _choose(self, action: Action) -> None:
        agent = self._arena.agent_selection
        mine = agent == self.viewer
        (path,) = (path for path, one in self._arena._choice.left if one == action)
        for number in path:
            self._arena.step(number)
            if mine:
                self._look()

    def _look(self) -> None:
        self.seen.append(self._arena.observe(self.viewer))


def same(one: Observation, other: Observation) -> bool:
    """Says whether two observations are equal in every number."""
    return all(np.array_equal(one[key], other[key]) for key in ("observation", "action_mask"))


@every_table
def test_l1_worlds_that_a_seat_cannot_tell_apart_look_the_same(
    sitting: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With pieces of others swapped where the seat cannot see it, its vector and its mask stay the same."""
    found = list(pairs(sitting, 2, POSITIONS, seats_only=True))
    for pair in found:
        one, other = (Told(pair, number, monkeypatch).seen for number in (0, 1))
        assert len(one) == len(other)
        assert all(map(same, one, other))
    assert len(found) > POSITIONS / 6


@pytest.mark.parametrize("game", sorted(ENCODINGS))
def test_l1_the_comparison_catches_a_planted_leak(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A vector made from the next seat's private part differs in some pair of worlds."""
    sitting = next(sitting for sitting in TABLES if sitting.game.info.name == game)
    honest = Arena.observe

    def leak(played: Arena, agent: str) -> Observation:
        seen = honest(played, agent)
        seat = (played.agents.index(agent) + 1) % len(played.agents)
        seen["observation"] = honest(played, played.agents[seat])["observation"]
        return seen

    monkeypatch.setattr(Arena, "observe", leak)
    found = pairs(sitting, 2, POSITIONS, seats_only=True)
    assert any(
        not all(map(same, Told(pair, 0, monkeypatch).seen, Told(pair, 1, monkeypatch).seen)) for pair in found
    )

"""An episode: who acts, what is paid, what a seed fixes, and what is refused."""

import pickle
import random
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

from referee.envs import Arena, env, raw_env
from referee.errors import IllegalActionError, OptionError, UsageError
from referee.match.shuffle import deal_seed, derived_secret, draw
from tests.envs.tables import TABLES, allowed, arena, wander
from tests.games.helpers import Sitting

STEPS = 60
every_table = pytest.mark.parametrize("sitting", TABLES, ids=str)


def finish(played: Arena, seed: int) -> dict[str, float]:
    """Plays on at random to the end of the match; returns what each agent was paid in it."""
    rng, paid = random.Random(seed), dict.fromkeys(played.agents, 0.0)
    for agent in played.agent_iter():
        _, _, terminated, truncated, _ = played.last()
        if terminated or truncated:
            played.step(None)
            continue
        played.step(rng.choice(allowed(played.observe(agent))))
        for one, reward in played.rewards.items():
            paid[one] += reward
    return paid


@every_table
def test_an_agent_is_paid_what_its_seat_scores(sitting: Sitting) -> None:
    """The rewards of a match add up to the totals, negated where less is better; all agents then leave."""
    played = arena(sitting, deals=2)
    for seed in range(2):
        played.reset(seed=seed)
        paid = finish(played, seed)
        sign = -1 if sitting.game.info.lower_is_better else 1
        assert [paid[agent] for agent in played.possible_agents] == [
            sign * total for total in played._state.totals()
        ]
        assert played._state.adjudicated() or played._state.deal == 2 or max(map(abs, paid.values())) > 0
        assert played.agents == []


@every_table
def test_rewards_come_at_the_end_of_a_deal_alone(sitting: Sitting) -> None:
    """While a deal goes on nobody is paid."""
    played = arena(sitting)
    deals = set()
    for _ in wander(played, 7, STEPS):
        if any(played.rewards.values()):
            deals.add(played._state.deal)
            assert played._state.totals() != (0,) * sitting.seats
        elif played._state.deal == 1:
            assert set(played._state.totals()) == {0}


@every_table
def test_agents_act_in_the_order_of_the_engine(sitting: Sitting) -> None:
    """Agents are named by their seats, and the selected one is the seat to act."""
    played = arena(sitting)
    assert played.possible_agents == [f"seat_{seat}" for seat in range(sitting.seats)]
    for agent in wander(played, 8, STEPS):
        assert agent == f"seat_{played._state.to_act()}"


@every_table
def test_a_masked_id_is_refused_and_changes_nothing(sitting: Sitting) -> None:
    """An id that the mask forbids, no id of the game, or no number: one line that says so, and no effect."""
    played = arena(sitting)
    rng = random.Random(9)
    for agent in wander(played, 9, STEPS):
        seen, before = played.observe(agent), played._state.snapshot()
        closed = [int(number) for number in np.flatnonzero(seen["action_mask"] == 0)]
        for bad in (rng.choice(closed), -1, played.encoding.ids, None, 1.0, "0"):
            with pytest.raises(IllegalActionError, match=f"^{agent}: ") as caught:
                played.step(bad)  # type: ignore[arg-type]
            assert "\n" not in str(caught.value)
        assert played._state.snapshot() == before
        assert played.agent_selection == agent
        after = played.observe(agent)
        assert all(np.array_equal(seen[key], after[key]) for key in ("observation", "action_mask"))


@every_table
def test_the_wrapper_of_pettingzoo_ends_an_episode_at_a_masked_id(sitting: Sitting) -> None:
    """Whoever wants an illegal action to end the match wraps the raw environment, as the page says."""
    wrapped = TerminateIllegalWrapper(arena(sitting), illegal_reward=-1)
    wrapped.reset(seed=1)
    agent = wrapped.agent_selection
    closed = int(np.flatnonzero(arena_of(wrapped).observe(agent)["action_mask"] == 0)[0])
    wrapped.step(closed)

    assert wrapped.rewards == {one: -1.0 if one == agent else 0 for one in wrapped.possible_agents}
    assert all(wrapped.terminations.values())


def arena_of(wrapped: AECEnv[str, Any, Any]) -> Arena:
    """Returns the environment inside all wrappers."""
    inner = wrapped.unwrapped
    assert isinstance(inner, Arena)
    return inner


def transcript(played: Arena, seed: int | None, choices: int) -> list[bytes]:
    """Returns what is observed in a random beginning of a match."""
    rng, seen = random.Random(choices), list[bytes]()
    played.reset(seed=seed)
    while not any(played.terminations.values()) and len(seen) < STEPS:
        now = played.observe(played.agent_selection)
        seen.append(now["observation"].tobytes() + now["action_mask"].tobytes())
        played.step(rng.choice(allowed(now)))
    return seen


@every_table
def test_a_seed_fixes_the_deals_and_those_that_follow(sitting: Sitting) -> None:
    """The same seed gives the same matches, also where `reset` goes on without one; another seed does not."""
    one, other = arena(sitting, deals=1), arena(sitting, deals=1)
    first = [transcript(one, seed, 1) for seed in (5, None, None, 6)]
    second = [transcript(other, seed, 1) for seed in (5, None, None, 6)]

    assert first == second
    assert len({tuple(seen) for seen in first}) == 4


def test_deals_come_from_the_documented_shuffle() -> None:
    """Who knows the seed can make the deals of an environment with the documented definitions alone."""
    played = raw_env("block_dominoes")
    played.reset(seed=7)
    played.reset()
    group = "environment episode 1"
    seed = deal_seed(derived_secret(7, group), group, 1, (b"",) * 4)
    state = played.game.new(4, played.options)
    state.start_deal(draw(seed, state.chance()))

    assert played._state.snapshot() == state.snapshot()


def test_without_a_seed_deals_differ() -> None:
    """Environments that were never seeded do not share their deals."""
    assert transcript(raw_env("block_dominoes"), None, 1) != transcript(raw_env("block_dominoes"), None, 1)


def test_options_of_reset_do_not_change_the_game() -> None:
    """The match that `reset` begins has the options of the environment."""
    played = raw_env("block_dominoes", options={"target": 10})
    played.reset(seed=1, options={"target": 500})

    assert played.options["target"] == 10
    assert played._state.snapshot()["target"] == 10


@pytest.mark.parametrize(
    ("words", "error", "match"),
    [
        ({"game": "block_domino"}, UsageError, "did you mean block_dominoes"),
        ({"game": "block_dominoes", "seats": 3}, OptionError, "4 seats"),
        ({"game": "block_dominoes", "options": {"target": 0}}, OptionError, "target"),
        ({"game": "block_dominoes", "options": {"goal": 1}}, OptionError, "goal"),
        ({"game": "block_dominoes", "render_mode": "rgb_array"}, UsageError, "human, ansi"),
    ],
)
def test_what_cannot_be_made_is_refused_in_one_line(
    words: dict[str, object], error: type[Exception], match: str
) -> None:
    """A wrong game, number of seats, option or mode is named before anything is played."""
    with pytest.raises(error, match=match) as caught:
        env(**words)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


def test_rendering_without_a_mode_is_refused() -> None:
    """An environment that was made without a mode says which there are."""
    played = raw_env("block_dominoes")
    played.reset(seed=1)

    with pytest.raises(UsageError, match="human, ansi"):
        played.render()


def test_the_metadata_names_game_and_rules() -> None:
    """The name of an environment has the version of the rules, as PettingZoo has it."""
    assert raw_env("block_dominoes").metadata["name"] == "block_dominoes_v1"
    assert str(env("block_dominoes")) == "block_dominoes_v1"


def test_an_environment_is_pickled_as_its_arguments() -> None:
    """A copy in another process is a new environment of the same game, seats and options."""
    made = raw_env("block_dominoes", options={"target": 10})
    made.reset(seed=3)
    copied = pickle.loads(pickle.dumps(made))  # noqa: S301  its own bytes

    assert copied.options == made.options
    assert transcript(copied, 3, 1) == transcript(made, 3, 1)


def in_a_new_process(code: str) -> subprocess.CompletedProcess[str]:
    """Runs Python code in a process of its own."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("package", ["pettingzoo", "gymnasium", "numpy"])
def test_without_the_extra_one_line_says_what_to_install(package: str) -> None:
    """Importing the environments without what they need names the extra."""
    done = in_a_new_process(f"import sys; sys.modules[{package!r}] = None; import referee.envs")

    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("ModuleNotFoundError: referee.envs needs ")
    assert last.endswith("run pip install -e '.[pettingzoo]' in the referee's folder")


def test_nothing_else_imports_the_environments() -> None:
    """Games, matches, server and command line stay free of numpy."""
    done = in_a_new_process(
        "import sys, referee.cli.app, referee.server.app, referee.games, referee.bot;"
        "print({'numpy', 'gymnasium', 'pettingzoo', 'referee.envs'} & set(sys.modules))"
    )

    assert done.stdout.strip() == "set()", done.stderr

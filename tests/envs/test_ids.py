"""The ids of actions: few, stable, and each legal action at the end of exactly one path of them."""

import re
from collections.abc import Iterator

import pytest

from referee.envs.choice import Choice
from referee.envs.encoding import Path
from referee.envs.encodings import ENCODINGS
from referee.games import names
from referee.games.base import Action
from tests.envs.tables import TABLES, allowed, arena, wander
from tests.games.helpers import Sitting

STEPS = 90
SUITS = re.compile(r"\b([3-9TJQKA2])[DCHS]\b")
MOST = 1_000

every_table = pytest.mark.parametrize("sitting", TABLES, ids=str)


def test_every_game_has_an_encoding() -> None:
    """Each game of the registry can be made as an environment, and no other."""
    assert set(ENCODINGS) == set(names())


@every_table
def test_there_are_few_ids_and_each_has_a_meaning_of_its_own(sitting: Sitting) -> None:
    """Fewer than a thousand ids a game, described by texts that are all different."""
    encoding = arena(sitting).encoding
    meanings = [encoding.describe(number) for number in range(encoding.ids)]

    assert encoding.ids < MOST
    assert len(set(meanings)) == encoding.ids
    assert all(meaning.isprintable() and meaning for meaning in meanings)


@pytest.mark.parametrize("game", sorted(ENCODINGS))
def test_an_id_means_the_same_at_every_table(game: str) -> None:
    """Neither seats nor options change how many ids there are or what they mean."""
    encodings = [arena(sitting).encoding for sitting in TABLES if sitting.game.info.name == game]
    told = [tuple(map(encoding.describe, range(encoding.ids))) for encoding in encodings]

    assert len(set(told)) == 1


def ways(choice: Choice) -> Iterator[tuple[Path, Action]]:
    """Yields every path of ids that leads on from a choice, and the action at its end."""
    for number in sorted(set(choice.ids())):
        after = choice.after(number)
        action = after.action()
        if action is None:
            yield from ways(after)
        else:
            yield after.chosen, action


@every_table
def test_the_paths_of_a_turn_are_its_legal_actions(sitting: Sitting) -> None:
    """The masks lead to each legal action by one path, to nothing else, and never to nothing."""
    played = arena(sitting)
    for agent in wander(played, 1, STEPS):
        assert allowed(played.observe(agent)) == sorted(set(played._choice.ids()))
        if not played._choice.chosen:
            found = list(ways(played._choice))
            assert sorted(action for _, action in found) == sorted(played._state.legal_actions())


@every_table
def test_a_path_means_the_same_in_every_state(sitting: Sitting) -> None:
    """Seen from one seat, a path of ids always chooses the same action, whatever suits it may name."""
    played, met = arena(sitting), dict[tuple[str, Path], str]()
    for agent in wander(played, 2, STEPS):
        for path, action in played._choice.left:
            text = SUITS.sub(r"\1", sitting.game.text.action(action)).split(" as ")[0]
            assert met.setdefault((agent, path), text) == text


@every_table
def test_only_who_is_to_act_has_a_mask(sitting: Sitting) -> None:
    """The mask of an agent that is not selected is empty, and that of the selected one is not."""
    played = arena(sitting)
    for agent in wander(played, 2, STEPS // 3):
        open_to = [one for one in played.agents if allowed(played.observe(one))]
        assert open_to == [agent]


@every_table
def test_what_is_chosen_is_what_is_played(sitting: Sitting) -> None:
    """An id that ends a path plays its action as the engine has it; one that does not, plays nothing."""
    played = arena(sitting)
    trial = arena(sitting)
    trial.reset(seed=3)
    trial._go_on = lambda: None  # type: ignore[method-assign]
    for agent in wander(played, 3, STEPS // 3):
        before = played._state.snapshot()
        for path, action in list(ways(played._choice))[:3]:
            trial._state, trial._choice = played._state.copy(), played._choice
            trial.agent_selection = agent
            for number in path[len(played._choice.chosen) : -1]:
                trial.step(number)
                assert trial._state.snapshot() == before
                assert trial.agent_selection == agent
            trial.step(path[-1])
            after = played._state.copy()
            after.apply(action)
            assert trial._state.snapshot() == after.snapshot()

"""M10, M11, M13: what is not listed is refused, in every phase, with a reason."""

import random

import pytest

from referee.errors import IllegalActionError
from referee.games.mexican_train.rules import State
from referee.games.mexican_train.table import ACTIONS
from tests.games.mexican_train.deals import TABLES, state_of
from tests.games.mexican_train.positions import GAME, play, position, why
from tests.games.mexican_train.reference import EVERY_TEXT


def phase(state: State) -> str:
    """Returns what kind of question is asked."""
    if state.due:
        return "run" if state.trains[state.seat] else "start"
    turn = "further" if state.further else "turn"
    return f"{turn}{'' if state.drawn is None else ' drawn'}{'' if state.double is None else ' cover'}"


def test_m11_m13_everything_unlisted_is_refused_in_every_phase() -> None:
    """Each listed action is accepted on a copy; each other one is refused and nothing changes."""
    rng = random.Random(12)
    assert sorted(map(GAME.text.action, ACTIONS)) == sorted(EVERY_TEXT)
    asked: dict[str, int] = {}
    for number in range(2 * len(TABLES)):
        state = state_of(number, rng)
        while state.to_act() >= 0:
            asked[phase(state)] = asked.get(phase(state), 0) + 1
            if asked[phase(state)] <= 8:
                refuse_unlisted(state)
            state.apply(rng.choice(state.legal_actions()))
    turns = {f"{turn}{drawn}{cover}" for turn in ("turn", "further") for drawn in ("", " drawn")
             for cover in ("", " cover")}  # fmt: skip
    assert set(asked) == turns | {"start", "run"}


def refuse_unlisted(state: State) -> None:
    """Tries every action there is on one state."""
    before, listed = state.snapshot(), state.legal_actions()
    for action in ACTIONS:
        if action in listed:
            assert state.copy().apply(action)[0].value == action
            continue
        with pytest.raises(IllegalActionError) as caught:
            state.apply(action)
        assert 10 < len(str(caught.value)) < 100
    assert state.snapshot() == before


def test_m10_a_tile_of_another_hand_is_refused() -> None:
    """A tile that fits and is held by somebody else, drawn or down already is refused."""
    state = position(["1-2 0-0", "1-3"], {"0": "12-1", "public": "12-6"}, boneyard="1-4")
    for tile in ("1-3", "1-4", "1-12"):
        with pytest.raises(IllegalActionError, match=f"^you do not hold {tile}$"):
            play(state, f"play {tile} on 0")


REASONS = [
    # what is played, why not; seat 0 of three: own end 3, train 1 marked with end 6, train 2 with end 6
    ("stop", "only a run of a first turn can be stopped"),
    ("play 3-6 on 2", "the train of seat 2 has no marker"),
    ("play 3-6 on 3", "there is no seat 3, and no train of it"),
    ("play 3-6 on 7", "there is no seat 7, and no train of it"),
    ("play 3-6 on public", "3-6 does not fit the public train, which ends in 12"),
    ("play 1-1 on 0", "1-1 does not fit the train of seat 0, which ends in 3"),
    ("play 1-1 on 1", "1-1 does not fit the train of seat 1, which ends in 6"),
    ("play 5-6 on 1", "you do not hold 5-6"),
]


@pytest.mark.parametrize(("text", "reason"), REASONS)
def test_m13_a_refusal_says_why(text: str, reason: str) -> None:
    """The reason is in terms of the table and the own hand."""
    state = position(["3-6 1-1", "0-0", "0-1"], {"0": "12-3", "1": "12-6", "2": "12-6"}, markers=(1,))
    assert why(state, text) == reason


def test_m13_refusals_of_first_turns_drawn_tiles_and_covers() -> None:
    """The other phases have reasons of their own."""
    state = position(["3-12 3-6", "0-0"], {}, due=2, owner=1)
    assert why(state, "stop") == "a first turn begins with a tile"
    assert why(state, "play 3-12 on public") == "a first turn is played on the own train, 0"
    assert why(state, "play 3-6 on 0") == "3-6 does not fit the train of seat 0, which ends in 12"
    play(state, "play 3-12 on 0")
    assert why(state, "play 3-12 on 0") == "you do not hold 3-12"
    state = position(["3-12 4-6", "0-0"], {"0": "12-3"}, due=2, owner=1)
    assert why(state, "play 4-6 on 0").endswith("which ends in 3; play another tile or stop")
    state = position(["3-5 4-6", "0-0"], {"0": "12-3", "1": "12-6"}, double="public", markers=(1,))
    assert why(state, "play 4-6 on 1") == "the double 12-12 on the public train has to be covered first"
    state = position(["3-5 4-6", "0-0"], {"0": "12-3"}, markers=(1,))
    assert why(state, "play 4-6 on 1") == "the train of seat 1 has not been started"
    assert position(["3-5", "0-0"], {}, seat=-2).why_illegal(0) == "the match is over"
    assert position(["3-5", "0-0"], {}, seat=-1).why_illegal(0) == "no deal is being played"

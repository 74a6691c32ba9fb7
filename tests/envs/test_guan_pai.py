"""Guan Pai: a play is chosen in steps, what it is first, then its wings."""

import re
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from referee.envs import Arena, Observation
from referee.envs.guan_pai_plays import CORES, HELD_BY, IDS, WING, describe
from referee.errors import IllegalActionError
from referee.games import cards
from referee.games.guan_pai.forms import KINDS, NOTHING
from referee.games.guan_pai.hand import counts
from referee.games.guan_pai.rules import State
from referee.games.guan_pai.weights import CARDS
from tests.envs.tables import allowed
from tests.games.guan_pai.positions import of_ranks, position, put

PAGE = Path(__file__).resolve().parents[2] / "docs" / "environments.md"
WINGED = "airplane_with_wings of 2 up to 4 with 4 wings"
FAT = ("333444 5566 7 8 9 T J Q", "99 TT", "KKK A")
HANDS = [
    "3333 4444 5555 6666",
    "333 444 555 666 777 8",
    "333 444 555 6 7 8 9 T J Q",
    "333 444 555 666 7777",
    "AAA KKK QQQ JJJ 2 3 4 5",
    "A 2 3 4 5 6 7 8 9 T J Q K 33 4",
    "AAA",
    "AAA 3",
    "333",
    "333 4",
    "333 44",
    "333 444",
    "333 444 5",
    "333 444 555",
    "333 444 5566",
    "333 444 555 666 7",
]


def test_documented_ids_are_the_real_ones() -> None:
    """The table of ids has the first and the last of each kind, and no id is left out."""
    rows = re.findall(r"^\| (\d+)(?: to (\d+))? \| [^|]+ \| `(\w+)`", PAGE.read_text("utf-8"), re.MULTILINE)
    told = [(int(first), int(last or first), name) for first, last, name in rows]
    kinds = [list(group) for _, group in groupby(range(WING), key=lambda number: CORES[number].kind)]

    assert told == [
        *((ids[0], ids[-1], describe(ids[0]).split()[0]) for ids in kinds),
        (WING, IDS - 1, describe(WING).split()[0]),
    ]


def seated(state: State) -> Arena:
    """Returns an environment in which a position is being played."""
    played = Arena("guan_pai", options={"low_straight": state.low_straight})
    played.reset(seed=1)
    played._state = state
    played._go_on()
    return played


def lead(*hands: str, low_straight: str = "a2345") -> Arena:
    """Returns an environment in which seat 0 leads, with hands of these ranks."""
    return seated(position(of_ranks(*hands), options={"low_straight": low_straight}))


def open_to(played: Arena, agent: str = "seat_0") -> list[str]:
    """Returns what an agent may choose."""
    return list(map(played.encoding.describe, allowed(played.observe(agent))))


def choose(played: Arena, what: str) -> None:
    """Chooses an id by what it means."""
    played.step([*map(played.encoding.describe, range(played.encoding.ids))].index(what))


def field(played: Arena, seen: Observation, name: str) -> list[float]:
    """Returns the values of a field."""
    layout = played.encoding.layout
    size = next(one.size for one in layout.fields if one.name == name)
    start = layout.start[name]
    return [float(value) for value in seen["observation"][start : start + size]]


def ranks(values: Sequence[float]) -> str:
    """Returns the ranks of a field of cards, each as often as it is held."""
    return "".join(rank * round(4 * value) for rank, value in zip(cards.RANKS, values, strict=True))


def test_a_play_is_chosen_step_by_step_by_the_same_agent() -> None:
    """First the airplane with its length, then wing after wing; only the last one plays it."""
    played = lead(*FAT)
    choose(played, WINGED)
    for wing in "5569":
        assert played.agent_selection == "seat_0"
        assert played._state.legal_actions()
        assert f"wing {wing}" in open_to(played)
        assert played.rewards == dict.fromkeys(played.agents, 0.0)
        choose(played, f"wing {wing}")

    assert played.agent_selection == "seat_1"
    assert played._public.top is not None
    assert (played._public.top.action & CARDS).bit_count() == 10
    assert KINDS[played._public.top.kind - 1] == "airplane_with_wings"


def test_wings_come_in_one_order() -> None:
    """After a wing only its rank, if there is another card of it, and higher ones follow."""
    played = lead(*FAT)
    choose(played, WINGED)
    assert open_to(played) == [f"wing {rank}" for rank in "56789"]
    choose(played, "wing 6")
    assert open_to(played) == [f"wing {rank}" for rank in "6789T"]
    choose(played, "wing 7")
    assert open_to(played) == [f"wing {rank}" for rank in "89TJ"]
    before = played._state.snapshot()
    with pytest.raises(IllegalActionError, match=r"\(wing 6\) is masked out"):
        choose(played, "wing 6")
    assert played._state.snapshot() == before
    assert open_to(played) == [f"wing {rank}" for rank in "89TJ"]


def test_a_choice_that_has_begun_is_seen_by_its_agent_alone() -> None:
    """The vector tells what has been chosen so far, and nobody else's changes."""
    played = lead(*FAT)
    others = [played.observe(agent) for agent in ("seat_1", "seat_2")]
    assert ranks(field(played, played.observe("seat_0"), "chosen_cards")) == ""
    choose(played, WINGED)
    choose(played, "wing 5")
    seen = played.observe("seat_0")

    assert ranks(field(played, seen, "chosen_cards")) == "3334445"
    assert field(played, seen, "chosen_kind").index(1) == KINDS.index("airplane_with_wings")
    assert field(played, seen, "chosen_rank").index(1) == cards.RANKS.index("4")
    assert field(played, seen, "wings_left") == [3 / 6]
    for agent, before in zip(("seat_1", "seat_2"), others, strict=True):
        after = played.observe(agent)
        assert all(np.array_equal(before[key], after[key]) for key in ("observation", "action_mask"))


def test_a_begun_choice_is_forgotten_by_reset() -> None:
    """A new match begins with nothing chosen."""
    played = lead(*FAT)
    choose(played, WINGED)
    played.reset(seed=2)

    assert ranks(field(played, played.observe(played.agent_selection), "chosen_cards")) == ""


def check(state: State) -> int:
    """Asserts that the ids of each legal play are the cards it takes and what the rules read it as."""
    played = seated(state)
    for path, action in played._choice.left:
        core = CORES[path[0]]
        taken = HELD_BY[path[0]] + sum(1 << 4 * (wing - WING) for wing in path[1:])
        after = state.copy()
        after.apply(action)
        assert taken == counts(action & CARDS)
        assert len(path) == 1 + core.wings
        if core.kind != NOTHING:
            assert (after.trick[-1].kind, after.trick[-1].rank) == (core.kind, core.rank)
    return len(played._choice.left)


@pytest.mark.parametrize("low_straight", ["a2345", "ace_low", "natural_low"])
@pytest.mark.parametrize("hand", HANDS)
def test_the_ids_of_a_lead_are_what_the_rules_read(hand: str, low_straight: str) -> None:
    """Whatever a hand may lead, also as its last, is named by the kind and the rank that it counts as."""
    state = position(of_ranks(hand, "9", "9T"), options={"low_straight": low_straight})

    assert check(state) > 0


@pytest.mark.parametrize(
    ("first", "hands"),
    [
        ("33345", ["333 45 8", "444 56 7777 AAA", "9"]),
        ("33345", ["333 45 8", "AAA", "9"]),
        ("33345", ["333 45 8", "6667", "9"]),
        ("3334445678", ["333 444 5678 9", "3 555666 777", "9"]),
        ("3334445678", ["333 444 5678 9", "555666 888", "9"]),
        ("333444", ["333 444 9", "555666 7777", "9"]),
        ("333356", ["3333 56 9", "4444 55 6 7 AAA", "9"]),
        ("34567", ["34567 9", "456789 AAA", "9"]),
        ("3344", ["3344 9", "445566 7777", "9"]),
        ("333", ["333 9", "AAA 444", "9"]),
        ("3333", ["3333 9", "AAA 4444 5", "9"]),
    ],
)
def test_the_ids_of_an_answer_are_what_the_rules_read(first: str, hands: list[str]) -> None:
    """Whatever beats a combination is named by the kind and the rank that it counts as then."""
    state = position(of_ranks(*hands))
    put(state, first)

    assert check(state) > 1

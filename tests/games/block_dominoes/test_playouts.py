"""Rules that hold in every deal, tried over many."""

import random

import pytest

from referee.errors import IllegalActionError
from referee.games.base import CHANCE, TERMINAL, Outcome
from referee.games.block_dominoes.line import ACTIONS, TILES
from referee.games.block_dominoes.rules import State
from tests.games.block_dominoes.positions import GAME, legal, line, play, position
from tests.games.block_dominoes.reference import EVERY_TEXT, Deal
from tests.games.helpers import Step, random_playout, start

ALL_TILES = (1 << len(TILES)) - 1


def table_tiles(state: State) -> list[int]:
    """Returns the tiles of the line, low number first."""
    return [min(code, 16 * (code & 15) + (code >> 4)) for code in state.line]


def test_r1_no_tile_is_lost_or_doubled() -> None:
    """After each action of 10,000 deals the hands and the line are the set, each tile once."""
    whole = set(TILES)

    def check(step: Step) -> None:
        state = step.state
        assert isinstance(state, State)
        first, second, third, fourth = state.hands
        held = first | second | third | fourth
        assert held == first + second + third + fourth
        laid = table_tiles(state)
        assert held.bit_count() + len(laid) == 28
        assert whole.difference(laid) == {tile for piece, tile in enumerate(TILES) if held >> piece & 1}
        assert all(one & 15 == other >> 4 for one, other in zip(state.line, state.line[1:], strict=False))

    deals = seed = 0
    while deals < 10_000:
        deals += random_playout(GAME, seed, {"target": 10_000}, check, 10_000 - deals).deal
        seed += 1


@pytest.mark.parametrize("deals", [1_000, pytest.param(100_000, marks=pytest.mark.soak)])
def test_m11_the_second_implementation_agrees(deals: int) -> None:
    """In many deals both list the same, tell the same and score the same."""
    rng = random.Random(11)
    for number in range(deals):
        order = rng.sample(range(28), 28)
        opener = None if number % 2 else number // 2 % 4
        state, deal = dealt(order, opener), Deal(order, opener)
        while state.to_act() >= 0:
            assert state.to_act() == deal.seat
            assert legal(state) == deal.legal()
            text = rng.choice(deal.legal())
            assert play(state, text) == deal.play(text)
            assert line(state) == " ".join(f"{left}-{right}" for left, right in deal.line)
        assert deal.over
        assert (state.winner, state.blocked) == (deal.winner, deal.blocked)
        assert state.totals() == deal.scores()


def dealt(order: list[int], opener: int | None = None) -> State:
    """Returns the first deal of a match in this order, or a later one that the seat opens."""
    state = start(GAME)
    assert isinstance(state, State)
    if opener is not None:
        state.deal, state.winner = 1, opener
    state.start_deal(Outcome((), tuple(order)))
    return state


def test_m11_everything_unlisted_is_refused() -> None:
    """Each listed action is accepted on a copy; each other one is refused and nothing changes."""
    rng = random.Random(12)
    assert sorted(map(GAME.text.action, ACTIONS)) == sorted(EVERY_TEXT)
    for number in range(60):
        state = dealt(rng.sample(range(28), 28), None if number % 2 else number // 2 % 4)
        while state.to_act() >= 0:
            before, listed = state.snapshot(), state.legal_actions()
            for action in ACTIONS:
                if action in listed:
                    assert state.copy().apply(action)
                    continue
                with pytest.raises(IllegalActionError):
                    state.apply(action)
                if state.normalise(action) in listed:
                    assert state.copy().apply(state.normalise(action))
            assert state.snapshot() == before
            state.apply(rng.choice(listed))


def test_m10_a_tile_of_another_hand_is_refused() -> None:
    """A tile that fits and is held by somebody else is refused."""
    state = position(["1-2 0-0", "1-3"], "1-1")
    with pytest.raises(IllegalActionError, match="you do not hold 1-3"):
        state.apply(GAME.text.parse_action("play 1-3 left"))


def test_r6_every_deal_ends_and_a_block_is_four_passes() -> None:
    """A deal takes at most 28 plays; four passes in a row are told exactly when it is blocked."""
    passes = 0

    def check(step: Step) -> None:
        nonlocal passes
        state = step.state
        assert isinstance(state, State)
        kinds = [event.kind for event in step.events]
        passes = kinds.count("passed")
        assert kinds[1:] == ["passed"] * passes
        assert state.passes == passes
        assert len(state.line) <= 28
        if state.to_act() >= 0:
            assert passes < 4
        else:
            assert state.blocked == (passes == 4)
            assert passes in {0, 4}
        order = [event.seat for event in step.events[1:]]
        assert order == [(step.seat + 1 + n) % 4 for n in range(passes)]

    for seed in range(100):
        random_playout(GAME, seed, on_step=check)


def test_r6_passes_are_counted_anew_in_each_deal() -> None:
    """After a blocked deal the next one starts with no pass."""
    state = position(["1-1", "0-2", "3-3 1-2", "5-5"], seat=2)
    assert play(state, "play 3-3")[1:] == ["3 passed", "0 passed", "1 passed", "2 passed"]
    assert (state.passes, state.to_act()) == (4, CHANCE)
    state.start_deal(Outcome((), tuple(range(28))))
    assert state.passes == 0


@pytest.mark.parametrize("last", ["1-6", "6-6", "0-0"])
def test_r2_going_out_ends_the_deal(last: str) -> None:
    """A seat goes out on a plain tile, on a double, or with its opening, and scores the rest."""
    state = position([last, "0-1", "0-2", "0-3"], "" if last == "0-0" else "6-5 5-6")
    assert play(state, f"play {last}" + ("" if last == "0-0" else " left")) == [
        f"0 play {last}" + ("" if last == "0-0" else " left")
    ]
    assert state.totals() == (6, 0, 0, 0)
    assert state.to_act() == CHANCE


def test_a_seat_whose_passes_leave_it_alone_plays_on() -> None:
    """When the three others pass, the seat that played is asked again."""
    state = position(["1-1 1-2 2-2", "0-0", "0-3", "0-4"])
    assert play(state, "play 1-2") == ["0 play 1-2", "1 passed", "2 passed", "3 passed"]
    assert (state.to_act(), state.passes) == (0, 3)


def test_the_first_deals_of_many_matches_differ_only_by_their_order() -> None:
    """R7: the same orders and the same choices give the same match, whatever ran before."""
    ends = [random_playout(GAME, 5).snapshot() for _ in range(2)]
    assert ends[0] == ends[1]
    assert random_playout(GAME, 5).to_act() == TERMINAL

"""Rules that hold in every deal, tried over many."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import pytest

from referee.errors import IllegalActionError, MalformedActionError
from referee.games.base import CHANCE, TERMINAL, Outcome
from referee.games.ding_niu.dealing import PIECES
from referee.games.ding_niu.line import ACTIONS
from referee.games.ding_niu.rules import State
from referee.games.info import OptionValue
from tests.games.ding_niu.pieces import pieces
from tests.games.ding_niu.positions import GAME, dealt, legal, line, play, position
from tests.games.ding_niu.reference import EVERY_TEXT, Deal
from tests.games.helpers import Step, advance, random_playout, random_sitting

WHOLE = sorted(PIECES)


def any_options(rng: random.Random) -> dict[str, OptionValue]:
    """Returns any word for each option that has words."""
    return {option.name: rng.choice(option.choices) for option in GAME.info.options if option.choices}


def any_text(texts: list[str], rng: random.Random) -> str:
    """Returns a text out of a legal list; with revokes allowed mostly a play, so that a deal gets far."""
    plays = [text for text in texts if text.startswith("play")]
    return rng.choice(plays if plays and rng.random() < 0.7 else texts)


@pytest.mark.parametrize("options", [{}, {"settlement": "off", "revoke": "extra_discard"}], ids=str)
def test_r1_no_tile_is_lost_or_doubled(options: dict[str, str]) -> None:
    """After each event of thousands of deals hands, line and discards are the set, and the line joins."""

    def check(step: Step) -> None:
        state = step.state
        assert isinstance(state, State)
        assert sorted(pieces(state)) == WHOLE
        assert all(one & 15 == other >> 4 for one, other in pairwise(state.line))

    deals = seed = 0
    while deals < 2_500:
        deals += random_playout(GAME, seed, {**options, "deals": 500}, check).deal
        seed += 1


@pytest.mark.parametrize("deals", [1_500, pytest.param(100_000, marks=pytest.mark.soak)])
def test_m11_the_second_implementation_agrees(deals: int) -> None:
    """In deals with any options both list the same, tell the same and score the same."""
    rng = random.Random(11)
    met: Counter[str] = Counter()
    for _ in range(deals):
        options = any_options(rng)
        order, leader = rng.sample(range(24), 24), rng.randrange(4)
        state, deal = dealt(order, leader, options), Deal(order, leader, options)
        while state.to_act() >= 0:
            assert state.to_act() == deal.seat
            assert legal(state) == deal.legal()
            assert GAME.text.action(state.default_action()) == deal.default()
            text = any_text(deal.legal(), rng)
            events = play(state, text)
            assert events == deal.play(text)
            assert line(state) == " ".join(f"{left}-{right}" for left, right in deal.line)
            met.update(event.split()[1] for event in events)
        assert deal.over
        assert (state.winner, state.settler) == (deal.winner(), deal.settler)
        assert state.totals() == deal.scores()
        ending = "success" if deal.settler == deal.winner() else "failure"
        met["played out" if deal.settler is None else ending] += 1
    kinds = "play discard revoke asked settle continue settled success failure"
    assert all(met[kind] > deals / 50 for kind in kinds.split()), met


def test_m11_the_leads_and_dealers_of_whole_matches_agree() -> None:
    """Deal after deal the leader, the dealer and the totals are what the rules say."""
    rng = random.Random(13)
    for number in range(60):
        options = any_options(rng) | {"deals": 12}
        state, leader, dealer = dealt(rng.sample(range(24), 24), number % 4, options), number % 4, number % 4
        totals = [0, 0, 0, 0]
        while True:
            assert (state.leader, state.dealer, state.to_act()) == (leader, dealer, leader)
            while state.to_act() >= 0:
                state.apply(rng.choice(state.legal_actions()))
            result = state.deal_result()
            assert result is not None
            totals = [total + points for total, points in zip(totals, result.scores, strict=True)]
            assert state.totals() == tuple(totals)
            dealer = result.scores.index(max(result.scores))
            leader = dealer if options["lead"] == "winner" else (leader + 1) % 4
            if state.to_act() == TERMINAL:
                break
            assert state.chance().draws == ()
            state.start_deal(Outcome((), tuple(rng.sample(range(24), 24))))
        assert state.deal == 12


def situations(seed: int, deals: int) -> Iterator[State]:
    """Yields the states of random deals with any options."""
    rng = random.Random(seed)
    for _ in range(deals):
        state = dealt(rng.sample(range(24), 24), rng.randrange(4), any_options(rng))
        while state.to_act() >= 0:
            yield state
            state.apply(GAME.text.parse_action(any_text(legal(state), rng)))


def test_m11_everything_unlisted_is_refused() -> None:
    """Each listed action is accepted on a copy; each other one is refused and nothing changes."""
    assert sorted(map(GAME.text.action, ACTIONS)) == sorted(EVERY_TEXT)
    for state in situations(12, 120):
        before, listed = state.snapshot(), state.legal_actions()
        for action in ACTIONS:
            if action in listed:
                assert state.copy().apply(action)
                continue
            with pytest.raises(IllegalActionError) as caught:
                state.apply(action)
            assert str(caught.value).isprintable()
            if state.normalise(action) in listed:
                assert state.copy().apply(state.normalise(action))
        assert state.snapshot() == before


@pytest.mark.parametrize("action", [-(2**63), -1, 0, 1, 3, 4 * 0x23, 511, 512, 513, 1023, 1026, 2**31, 2**70])
def test_m13_a_number_that_is_no_action_is_refused_in_every_phase(action: int) -> None:
    """Leading, following, discarding, asked, between deals and after the match: `IllegalActionError`."""
    phases = [
        position(["1-1 1-3", "2-2", "5-5", "6-6"]),
        position(["1-1 1-3", "2-2", "5-5", "6-6"], "1-3"),
        position(["1-1 1-3", "2-2", "5-5", "6-6"], "5-5"),
        position(["1-1 1-3", "2-2", "5-5", "6-6"], "4-4", options={"revoke": "extra_discard"}),
        dealt(range(24)),
    ]
    asked = position(["1-1 1-3", "2-2", "5-5", "6-6"], "1-1", options={"settlement": "declared"})
    play(asked, "play 1-1 left")
    over = random_playout(GAME, 1)
    between = random_playout(GAME, 1, deals=1)
    assert (asked.asked, over.to_act(), between.to_act()) == (True, TERMINAL, CHANCE)
    for state in (*phases, asked, over, between):
        before = state.snapshot()
        with pytest.raises(IllegalActionError):
            state.apply(action)
        assert state.snapshot() == before


@pytest.mark.parametrize(
    "text", ["play", "pass", "discard", "discard 2-3", "play 1-2 left", "discard 1-1 left", "settle 1-1", ""]
)
def test_m13_a_text_that_is_no_action_is_malformed(text: str) -> None:
    """What no phase knows is refused when it is read."""
    with pytest.raises(MalformedActionError):
        GAME.text.parse_action(text)


def test_m10_a_tile_of_another_hand_is_refused() -> None:
    """A tile that fits and is held by somebody else is refused, to play and to discard."""
    state = position(["1-6 4-4", "1-3"], "1-1")
    with pytest.raises(IllegalActionError, match="you do not hold 1-3"):
        play(state, "play 1-3 left")
    state = position(["4-4 4-6", "1-3"], "1-1")
    with pytest.raises(IllegalActionError, match="you do not hold 1-3"):
        play(state, "discard 1-3")


def test_m10_a_tile_that_was_played_is_gone_but_for_its_copy() -> None:
    """Of two equal tiles one may be played, then the other, and no third one."""
    state = position(["1-1 1-1 4-4", "1-5", "1-5", "1-6"], "1-3 3-1")
    play(state, "play 1-1 left")
    assert GAME.view.private(state, 0).hand == (0x11, 0x44)
    for seat in (1, 2, 3):
        state.seat = seat
        state._legal = None
        play(state, legal(state)[0])
    play(state, f"play 1-1 {'left' if 'play 1-1 left' in legal(state) else 'right'}")
    assert GAME.view.private(state, 0).hand == (0x44,)
    state.seat, state._legal = 0, None
    with pytest.raises(IllegalActionError):
        play(state, "play 1-1 left")


def test_r6_a_deal_ends_within_its_bounds() -> None:
    """However it goes, a deal has no more actions and no other scores than the facts say."""
    rng = random.Random(6)
    for _ in range(150):
        sitting = random_sitting(GAME, rng)
        bounds = GAME.info.bounds(GAME.info.resolve(sitting.options))
        state, plies, deals = sitting.start(), 0, 0
        while state.to_act() != TERMINAL and deals < 6:
            step = advance(state, rng)
            plies = 0 if step.action is None else plies + 1
            result = state.deal_result()
            if state.to_act() < 0 and result is not None:
                deals += 1
                assert 6 <= plies <= bounds.plies or "settled" in [event.kind for event in step.events]
                assert sum(result.scores) == 0
                assert bounds.low <= min(result.scores) <= max(result.scores) <= bounds.high


def test_equal_tiles_are_never_told_apart() -> None:
    """With the two copies of any kind exchanged the match is the same, snapshot and all."""
    rng = random.Random(14)
    twins = [(one, one + 1) for one in range(23) if PIECES[one] == PIECES[one + 1]]
    assert len(twins) == 11
    for one, other in twins * 3:
        order, leader, options = rng.sample(range(24), 24), rng.randrange(4), any_options(rng)
        exchanged = [{one: other, other: one}.get(piece, piece) for piece in order]
        first, second = dealt(order, leader, options), dealt(exchanged, leader, options)
        while first.to_act() >= 0:
            assert first.snapshot() == second.snapshot()
            assert first.legal_actions() == second.legal_actions()
            action = rng.choice(first.legal_actions())
            assert first.apply(action) == second.apply(action)
        assert GAME.view.deal_end(first) == GAME.view.deal_end(second)


def test_r6_nothing_is_left_over_from_the_deal_before() -> None:
    """A new deal starts with an empty line and nothing face down, asked or settled."""

    def check(step: Step) -> None:
        state = step.state
        assert isinstance(state, State)
        if step.action is None:
            assert (state.line, state.steps, state.discards) == ([], [], [[], [], [], []])
            assert (state.asked, state.settler) == (False, None)
            assert [hand.bit_count() for hand in state.hands] == [6, 6, 6, 6]

    for settlement in ("auto", "declared", "off"):
        random_playout(GAME, 3, {"settlement": settlement, "deals": 40}, check)

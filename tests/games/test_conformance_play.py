"""What every game of the registry has to keep in play, at every kind of table; new games get it too."""

import json
import random
from importlib import import_module
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.errors import IllegalActionError, MalformedActionError
from referee.games import REGISTRY, names
from referee.games.base import CHANCE, TABLE, TERMINAL, Action, Event, Game, State, ranks
from referee.v1 import game_pb2
from tests.games.helpers import Sitting, Step, advance, playout, random_sitting, shuffled, sittings

DEALS = 2
"""The deals that a playout has here; the random sittings play more."""

every_game = pytest.mark.parametrize("game", REGISTRY, ids=names())
every_sitting = pytest.mark.parametrize("sitting", list(sittings()), ids=str)


def played(sitting: Sitting, seed: int, on_step: object = None, deals: int = DEALS) -> State:
    """Plays some deals by random actions."""
    assert on_step is None or callable(on_step)
    return playout(sitting.start(), random.Random(seed), on_step, deals)


@every_sitting
def test_a_new_match_waits_for_its_first_deal(sitting: Sitting) -> None:
    """Before the first deal there is nobody to act, nothing legal and no result."""
    state = sitting.start()
    assert state.to_act() == CHANCE
    assert state.deal == 0
    assert state.legal_actions() == ()
    assert state.deal_result() is None
    assert state.totals() == (0,) * sitting.seats
    assert not state.adjudicated()


@every_sitting
def test_actions_survive_text_and_wire(sitting: Sitting) -> None:
    """Each legal action reads back as itself, from its text and from its message."""
    game = sitting.game

    def check(step: Step) -> None:
        for action in step.state.legal_actions():
            assert game.text.parse_action(game.text.action(action)) == action
            message = game_pb2.Action.FromString(game.wire.action(action))
            assert message.WhichOneof("game") == game.info.name
            assert game.wire.parse_action(message) == action
            assert step.state.normalise(action) == step.state.as_played(action) == action

    played(sitting, 1, check)


@every_sitting
def test_an_action_tells_itself_first(sitting: Sitting) -> None:
    """The first event of an action is the action, by its seat; all events can be told to anybody."""
    game = sitting.game

    def check(step: Step) -> None:
        if step.action is not None:
            assert step.events[0].seat == step.seat
            assert step.events[0].value == step.action
        for event in step.events:
            assert game.view.redact(event, event.seat) == event
            for viewer in (TABLE, *range(sitting.seats)):
                seen = game.view.redact(event, viewer)
                assert seen.seat == event.seat
                assert game.view.redact(seen, viewer) == seen
                told = game_pb2.GameEvent.FromString(game.wire.event(seen))
                assert told.WhichOneof("game") == game.info.name
                line = game.text.event(seen)
                assert line.isprintable()
                assert (line.split()[0] == str(event.seat)) == (event.seat != TABLE)

    played(sitting, 2, check)


@every_sitting
def test_observation_is_the_sum_of_its_parts(sitting: Sitting) -> None:
    """Public and private bytes concatenate to the whole; a spectator's has no private part."""
    game = sitting.game

    def check(step: Step) -> None:
        public = game.wire.public(game.view.public(step.state))
        spectator = game_pb2.Observation.FromString(public)
        assert not getattr(spectator, game.info.name).HasField("private")
        for seat in range(sitting.seats):
            private = game.wire.private(game.view.private(step.state, seat))
            whole = game_pb2.Observation.FromString(public)
            whole.MergeFrom(game_pb2.Observation.FromString(private))
            assert game_pb2.Observation.FromString(public + private) == whole
            assert game_pb2.Observation.FromString(private + public) == whole
            assert getattr(whole, game.info.name).HasField("private")
            assert getattr(whole, game.info.name).public == getattr(spectator, game.info.name).public

    played(sitting, 3, check)


@every_sitting
@pytest.mark.parametrize("beyond", [-1, -2, 0, 99])
def test_l9_nobody_but_a_seat_has_a_private_part(sitting: Sitting, beyond: int) -> None:
    """Asking for the private part of no seat is refused, and does not wrap around to another's."""
    state = sitting.start()
    advance(state, random.Random(0))
    with pytest.raises(ValueError, match="has no hand"):
        sitting.game.view.private(state, beyond if beyond < 0 else sitting.seats + beyond)


@every_sitting
def test_hands_are_shown_only_when_a_deal_has_ended(sitting: Sitting) -> None:
    """The end of a deal can be seen right after it, and at no other time."""
    game = sitting.game
    with pytest.raises(ValueError, match="stay hidden"):
        game.view.deal_end(sitting.start())

    def check(step: Step) -> None:
        if step.state.to_act() >= 0:
            with pytest.raises(ValueError, match="stay hidden"):
                game.view.deal_end(step.state)
        else:
            raw = game.wire.deal_end(game.view.deal_end(step.state))
            assert game_pb2.DealEnd.FromString(raw).WhichOneof("game") == game.info.name

    played(sitting, 4, check)


class Watch:
    """Checks at each step what has to hold at every table, whatever is played."""

    def __init__(self, sitting: Sitting) -> None:
        self.sitting = sitting
        self.plies = 0
        self.sums = [0] * sitting.seats
        self.deals = 0
        self.pieces = import_module(f"tests.games.{sitting.game.info.name}.pieces").pieces
        self.whole: list[int] = []

    def __call__(self, step: Step) -> None:
        """Looks at one step."""
        state = step.state
        self.plies = self.plies + 1 if step.action is not None else 0
        found = sorted(self.pieces(state))
        self.whole = self.whole or found
        assert found == self.whole
        legal = state.legal_actions()
        assert bool(legal) == (state.to_act() >= 0)
        assert len(set(legal)) == len(legal)
        assert state.legal_actions() == legal
        if legal:
            assert state.default_action() in legal
        else:
            self.deal_ended(state)

    def deal_ended(self, state: State) -> None:
        """Looks at the result of a deal."""
        info = self.sitting.game.info
        bounds = info.bounds(info.resolve(self.sitting.options))
        result = state.deal_result()
        assert result is not None
        self.deals += 1
        self.sums = [total + score for total, score in zip(self.sums, result.scores, strict=True)]
        assert (result.deal, state.deal) == (self.deals, self.deals)
        assert result.totals == tuple(self.sums) == state.totals()
        assert bounds.low <= min(result.scores) <= max(result.scores) <= bounds.high
        assert sum(result.scores) == 0 or not info.zero_sum
        assert 0 < self.plies <= bounds.plies
        assert min(ranks(state.totals(), lower_is_better=info.lower_is_better)) == 1


@every_sitting
def test_r1_r15_every_deal_keeps_its_pieces_its_results_and_somebody_to_act(sitting: Sitting) -> None:
    """No piece is lost, whoever is to act can, results add up and stay within what the game says."""
    watch = Watch(sitting)
    end = played(sitting, 5, watch, deals=12)
    assert watch.deals == end.deal
    if end.to_act() == TERMINAL:
        assert end.legal_actions() == ()


@every_game
@given(st.randoms(use_true_random=False))
def test_r1_r15_also_with_any_options(game: Game, rng: random.Random) -> None:
    """The same at tables of any size with any options."""
    sitting = random_sitting(game, rng)
    watch = Watch(sitting)
    playout(sitting.start(), rng, watch, deals=3)
    assert watch.deals


@pytest.mark.soak
@pytest.mark.timeout(3600)
@every_game
def test_m11_r15_a_hundred_thousand_deals(game: Game) -> None:
    """The same over 100,000 deals, half of them with default options, half with any."""
    rng = random.Random(15)
    deals = 0
    while deals < 100_000:
        sitting = random_sitting(game, rng) if deals % 2 else Sitting(game, game.info.min_seats, {})
        watch = Watch(sitting)
        playout(sitting.start(), rng, watch, deals=9)
        deals += watch.deals


@every_sitting
def test_m10_m11_m13_what_is_not_listed_is_refused_and_changes_nothing(sitting: Sitting) -> None:
    """Actions of other moments are accepted if their normal form is listed, and else refused."""
    rng = random.Random(6)
    known: set[Action] = set()

    def check(step: Step) -> None:
        state = step.state
        before, listed = state.snapshot(), state.legal_actions()
        for action in rng.sample(sorted(known), min(len(known), 12)):
            if state.normalise(action) in listed:
                twin = state.copy()
                assert twin.apply(state.as_played(action))[0].value == state.as_played(action)
                continue
            with pytest.raises(IllegalActionError):
                state.apply(action)
            reason = state.why_illegal(state.normalise(action))
            assert reason
            assert reason.isprintable()
        assert state.snapshot() == before
        for action in listed[:40]:
            assert state.copy().apply(action)
        known.update(listed)

    played(sitting, 6, check)


@every_game
def test_m10_a_number_that_is_no_action_is_refused_too(game: Game) -> None:
    """Whatever number is played, it is an illegal action, and nothing changes."""
    state = Sitting(game, game.info.min_seats, {}).start()
    advance(state, random.Random(9))
    before, rng = state.snapshot(), random.Random(10)
    junk = [*range(-3, 300), *(rng.randrange(1 << rng.randrange(1, 70)) for _ in range(2_000))]
    for number in (one for one in junk if state.normalise(one) not in state.legal_actions()):
        with pytest.raises(IllegalActionError):
            state.apply(number)
        assert state.why_illegal(state.normalise(number)).isprintable()
    assert state.snapshot() == before


@every_sitting
def test_p13_a_copy_and_a_restored_state_go_on_alike(sitting: Sitting) -> None:
    """At every step a copy and a state restored from JSON equal the original, and go on as it does."""
    rng = random.Random(7)
    state = sitting.start()
    while state.to_act() != TERMINAL and state.deal <= DEALS:
        before = state.snapshot()
        twins = [state.copy(), sitting.game.restore(json.loads(json.dumps(before)))]
        events = step_all(state, twins, rng, before)
        for twin, told in zip(twins, events[1:], strict=True):
            assert told == events[0]
            assert_same(sitting.game, twin, state)


def step_all(
    state: State, twins: list[State], rng: random.Random, before: dict[str, object]
) -> list[list[Event]]:
    """Does one thing to the state, then to its twins, which may not have changed by then."""
    if state.to_act() == CHANCE:
        outcome = shuffled(state, rng)
        return [one.start_deal(outcome) for one in (state, *twins)]
    action = rng.choice(state.legal_actions())
    events = state.apply(action)
    assert [twin.snapshot() for twin in twins] == [before, before]
    return [events, *(twin.apply(action) for twin in twins)]


def assert_same(game: Game, one: State, other: State) -> None:
    """Asserts that two states are the same in all that the interface shows."""
    assert one.snapshot() == other.snapshot()
    assert list(one.snapshot()) == list(other.snapshot())
    assert one.to_act() == other.to_act()
    assert one.legal_actions() == other.legal_actions()
    assert one.deal_result() == other.deal_result()
    assert one.adjudicated() == other.adjudicated()
    assert game.view.public(one) == game.view.public(other)


@every_sitting
def test_nothing_is_played_out_of_its_time(sitting: Sitting) -> None:
    """A deal while one is played, and an action while none is, are refused and change nothing."""
    state = sitting.start()
    step = advance(state, random.Random(8))
    before = state.snapshot()
    with pytest.raises(Exception, match="no deal is due"):
        state.start_deal(shuffled(sitting.start(), random.Random(9)))
    assert state.snapshot() == before
    action = step.state.legal_actions()[0]
    for closed in (sitting.start(), played(sitting, 8)):
        before = closed.snapshot()
        with pytest.raises(IllegalActionError):
            closed.apply(action)
        assert closed.snapshot() == before
        assert closed.why_illegal(action)


@every_sitting
@pytest.mark.parametrize(
    "spoil",
    [
        lambda order: order[:-1],
        lambda order: (*order, 0),
        lambda order: (*order[:-1], order[0]),
        lambda _: (),
    ],
    ids=["short", "long", "double", "empty"],
)
def test_a_spoiled_deal_is_refused(sitting: Sitting, spoil: object) -> None:
    """An order that does not hold each piece once is refused, and the state stays as it was."""
    state = sitting.start()
    outcome = shuffled(state, random.Random(10))
    before = state.snapshot()
    assert callable(spoil)
    for bad in (
        outcome._replace(order=spoil(outcome.order)),
        outcome._replace(draws=(*outcome.draws, 0)),
        outcome._replace(draws=tuple(size for size in state.chance().draws) or (0,)),
    ):
        with pytest.raises(Exception, match="in an order"):
            state.start_deal(bad)
        assert state.snapshot() == before


@every_game
def test_m12_text_that_is_no_action_is_refused_by_position(game: Game) -> None:
    """Trailing CR, spaces, upper case and a byte order mark are refused, naming the byte."""
    state = Sitting(game, game.info.min_seats, {}).start()
    advance(state, random.Random(11))
    text = game.text.action(state.legal_actions()[0])
    spoiled = {
        f"{text}\r": len(text),
        f"{text}\n": len(text),
        f" {text}": 0,
        f"\ufeff{text}": 0,
        text.upper(): 0,
        f"{text}\x00": len(text),
        "": 0,
    }
    for bad, offset in spoiled.items():
        with pytest.raises(MalformedActionError, match=f"byte {offset}: ") as caught:
            game.text.parse_action(bad)
        assert str(caught.value).isascii()
        assert str(caught.value).isprintable()


@every_sitting
def test_board_shows_lines_for_people(sitting: Sitting) -> None:
    """The table can be printed at every step of a deal, and changes with it."""
    tables: list[tuple[str, ...]] = []

    def check(step: Step) -> None:
        lines = tuple(sitting.game.text.table(step.state))
        assert len(lines) > sitting.seats
        assert all(line.isprintable() for line in lines)
        tables.append(lines)

    played(sitting, 12, check, deals=1)
    assert all(one != other for one, other in pairwise(tables))

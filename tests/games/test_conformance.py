"""What every game of the registry has to keep; a new game gets these tests by registering."""

import json
import random
from pathlib import Path

import pytest

import referee.games
from referee.errors import IllegalActionError, MalformedActionError, OptionError, UsageError
from referee.games import REGISTRY, find, names
from referee.games.base import CHANCE, TABLE, TERMINAL, Game, State, ranks
from referee.v1 import game_pb2
from tests.games.helpers import Step, advance, random_playout, shuffled, start

PLAYOUTS = 20

every_game = pytest.mark.parametrize("game", REGISTRY, ids=names())


@every_game
def test_package_has_every_part(game: Game) -> None:
    """A game brings its modules, its README and its perft file."""
    package = Path(referee.games.__file__).parent / game.info.name
    for part in ("rules.py", "view.py", "wire.py", "text.py", "__init__.py", "README.md"):
        assert (package / part).is_file(), f"{game.info.name} has no {part}"
    assert (Path(__file__).parent / "perft" / f"{game.info.name}.perft").is_file()


@every_game
def test_readme_names_every_option(game: Game) -> None:
    """The README of a game explains each option and each of its words."""
    readme = (Path(referee.games.__file__).parent / game.info.name / "README.md").read_text("utf-8")
    for option in game.info.options:
        for word in (option.name, *option.choices):
            assert f"`{word}`" in readme


@every_game
def test_rules_say_what_they_are(game: Game) -> None:
    """The docstring of the rules has its three headings."""
    module = __import__(f"referee.games.{game.info.name}.rules", fromlist=["rules"])
    lines = str(module.__doc__).splitlines()
    assert [line for line in lines if line in {"Rules", "Parameters", "Deviations"}] == [
        "Rules",
        "Parameters",
        "Deviations",
    ]


def test_find_returns_each_game_by_its_name() -> None:
    """Names are unique, and lead to their games."""
    assert len(set(names())) == len(REGISTRY)
    assert [find(name) for name in names()] == list(REGISTRY)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("block_domino", "did you mean block_dominoes?"),
        ("chess", "there are block_dominoes"),
        ("", "there are block_dominoes"),
        ("x" * 500, "there are block_dominoes"),
    ],
)
def test_find_helps_with_an_unknown_name(name: str, hint: str) -> None:
    """An unknown game is refused in one short line that says what to write."""
    with pytest.raises(UsageError) as caught:
        find(name)
    assert hint in str(caught.value)
    assert len(str(caught.value)) < 200
    assert "\n" not in str(caught.value)


@every_game
def test_options_have_valid_defaults_and_refuse_the_rest(game: Game) -> None:
    """Each default is a value of its option; unknown names, words and numbers are refused."""
    resolved = game.info.resolve({})
    assert list(resolved) == sorted(option.name for option in game.info.options)
    assert game.info.resolve({name: str(value) for name, value in resolved.items()}) == resolved
    with pytest.raises(OptionError):
        game.info.resolve({"no_such_option": 1})
    for option in game.info.options:
        for bad in ("no such word", "-1", -1, "", option.high + 1):
            with pytest.raises(OptionError):
                game.info.resolve({option.name: bad})


@every_game
def test_a_wrong_number_of_seats_is_refused(game: Game) -> None:
    """A game starts with the number of seats that its facts allow, and no other."""
    for seats in (game.info.min_seats - 1, game.info.max_seats + 1):
        with pytest.raises(OptionError):
            game.new(seats, game.info.resolve({}))


@every_game
def test_a_new_match_waits_for_its_first_deal(game: Game) -> None:
    """Before the first deal there is nobody to act, nothing legal and no result."""
    state = start(game)
    assert state.to_act() == CHANCE
    assert state.deal == 0
    assert state.legal_actions() == ()
    assert state.deal_result() is None
    assert set(state.totals()) == {0}
    assert not state.adjudicated()


@every_game
@pytest.mark.parametrize("playouts", [PLAYOUTS, pytest.param(20_000, marks=pytest.mark.soak)])
def test_r15_somebody_can_act_until_the_match_is_over(game: Game, playouts: int) -> None:
    """Whoever is to act has a legal action, listed once; else the list is empty."""

    def check(step: Step) -> None:
        legal = step.state.legal_actions()
        assert bool(legal) == (step.state.to_act() >= 0)
        assert len(set(legal)) == len(legal)
        assert step.state.legal_actions() == legal

    for seed in range(playouts):
        state = random_playout(game, seed, on_step=check)
        assert state.to_act() == TERMINAL
        assert state.legal_actions() == ()


@every_game
def test_actions_survive_text_and_wire(game: Game) -> None:
    """Each legal action reads back as itself, from its text and from its message."""

    def check(step: Step) -> None:
        for action in step.state.legal_actions():
            assert game.text.parse_action(game.text.action(action)) == action
            message = game_pb2.Action.FromString(game.wire.action(action))
            assert message.WhichOneof("game") == game.info.name
            assert game.wire.parse_action(message) == action
            assert step.state.normalise(action) == action

    random_playout(game, 1, on_step=check)


@every_game
def test_an_action_tells_itself_first(game: Game) -> None:
    """The first event of an action is the action, by its seat; all events can be told."""

    def check(step: Step) -> None:
        if step.action is not None:
            assert step.events[0].seat == step.seat
            assert step.events[0].value == step.action
        seats = range(game.info.max_seats)
        for event in step.events:
            for viewer in (TABLE, *seats):
                seen = game.view.redact(event, viewer)
                assert game.view.redact(seen, viewer) == seen
                assert (
                    game_pb2.GameEvent.FromString(game.wire.event(seen)).WhichOneof("game") == game.info.name
                )
                line = game.text.event(seen)
                assert line.isprintable()
                assert (line.split()[0] == str(event.seat)) == (event.seat != TABLE)

    random_playout(game, 2, on_step=check)


@every_game
def test_observation_is_the_sum_of_its_parts(game: Game) -> None:
    """Public and private bytes concatenate to the whole; a spectator's has no private part."""

    def check(step: Step) -> None:
        public = game.wire.public(game.view.public(step.state))
        spectator = game_pb2.Observation.FromString(public)
        assert not getattr(spectator, game.info.name).HasField("private")
        for seat in range(game.info.min_seats):
            private = game.wire.private(game.view.private(step.state, seat))
            whole = game_pb2.Observation.FromString(public)
            whole.MergeFrom(game_pb2.Observation.FromString(private))
            assert game_pb2.Observation.FromString(public + private) == whole
            assert game_pb2.Observation.FromString(private + public) == whole
            assert getattr(whole, game.info.name).HasField("private")
            assert getattr(whole, game.info.name).public == getattr(spectator, game.info.name).public

    random_playout(game, 3, on_step=check)


@every_game
@pytest.mark.parametrize("seat", [-1, -2, 99])
def test_l9_nobody_but_a_seat_has_a_private_part(game: Game, seat: int) -> None:
    """Asking for the private part of no seat is refused, and does not wrap around to another's."""
    state = start(game)
    advance(state, random.Random(0))
    with pytest.raises(ValueError, match="has no hand"):
        game.view.private(state, seat)


@every_game
def test_hands_are_shown_only_when_a_deal_has_ended(game: Game) -> None:
    """The end of a deal can be seen right after it, and at no other time."""
    with pytest.raises(ValueError, match="stay hidden"):
        game.view.deal_end(start(game))

    def check(step: Step) -> None:
        if step.state.to_act() >= 0:
            with pytest.raises(ValueError, match="stay hidden"):
                game.view.deal_end(step.state)
        else:
            raw = game.wire.deal_end(game.view.deal_end(step.state))
            assert game_pb2.DealEnd.FromString(raw).WhichOneof("game") == game.info.name

    random_playout(game, 4, on_step=check)


@every_game
def test_default_action_is_legal_and_repeatable(game: Game) -> None:
    """What is played for an absent seat is in the legal list, and always the same."""

    def check(step: Step) -> None:
        if step.state.to_act() >= 0:
            choice = step.state.default_action()
            assert choice in step.state.legal_actions()
            assert step.state.copy().default_action() == choice

    random_playout(game, 5, on_step=check)


@every_game
def test_totals_are_the_sum_of_the_deals(game: Game) -> None:
    """Each deal has one result, numbered from 1, and totals are what the results add up to."""
    sums = [0] * game.info.min_seats
    seen: list[int] = []

    def check(step: Step) -> None:
        if step.state.to_act() < 0:
            result = step.state.deal_result()
            assert result is not None
            seen.append(result.deal)
            for seat, score in enumerate(result.scores):
                sums[seat] += score
            assert result.totals == tuple(sums) == step.state.totals()

    end = random_playout(game, 6, on_step=check)
    assert seen == list(range(1, end.deal + 1))
    assert min(ranks(end.totals(), lower_is_better=game.info.lower_is_better)) == 1


@every_game
def test_p13_a_copy_and_a_restored_state_go_on_alike(game: Game) -> None:
    """At every step a copy and a state restored from JSON equal the original, and go on as it does."""
    rng = random.Random(7)
    for _ in range(PLAYOUTS // 2):
        state = start(game)
        while state.to_act() != TERMINAL:
            before = state.snapshot()
            twins = [state.copy(), game.restore(json.loads(json.dumps(before)))]
            if state.to_act() == CHANCE:
                outcome = shuffled(state, rng)
                events = state.start_deal(outcome)
                told = [twin.start_deal(outcome) for twin in twins]
            else:
                action = rng.choice(state.legal_actions())
                events = state.apply(action)
                assert [twin.snapshot() for twin in twins] == [before, before]
                told = [twin.apply(action) for twin in twins]
            assert told == [events, events]
            for twin in twins:
                assert_same(game, twin, state)


def assert_same(game: Game, one: State, other: State) -> None:
    """Asserts that two states are the same in all that the interface shows."""
    assert one.snapshot() == other.snapshot()
    assert list(one.snapshot()) == list(other.snapshot())
    assert one.legal_actions() == other.legal_actions()
    assert one.deal_result() == other.deal_result()
    assert one.adjudicated() == other.adjudicated()
    assert game.view.public(one) == game.view.public(other)


@every_game
def test_nothing_is_played_out_of_its_time(game: Game) -> None:
    """A deal while one is played, and an action while none is, are refused and change nothing."""
    state = start(game)
    step = advance(state, random.Random(8))
    before = state.snapshot()
    with pytest.raises(Exception, match="no deal is due"):
        state.start_deal(shuffled(state, random.Random(9)))
    assert state.snapshot() == before
    action = step.state.legal_actions()[0]
    for closed in (start(game), random_playout(game, 8)):
        before = closed.snapshot()
        with pytest.raises(IllegalActionError):
            closed.apply(action)
        assert closed.snapshot() == before


@every_game
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
def test_a_spoiled_deal_is_refused(game: Game, spoil: object) -> None:
    """An order that does not hold each piece once is refused, and the state stays as it was."""
    state = start(game)
    outcome = shuffled(state, random.Random(10))
    before = state.snapshot()
    assert callable(spoil)
    with pytest.raises(Exception, match="in an order"):
        state.start_deal(outcome._replace(order=spoil(outcome.order)))
    assert state.snapshot() == before


@every_game
def test_m12_text_that_is_no_action_is_refused_by_position(game: Game) -> None:
    """Trailing CR, spaces, upper case and a byte order mark are refused, naming the byte."""
    state = start(game)
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


@every_game
def test_board_shows_lines_for_people(game: Game) -> None:
    """The table of a finished match can be printed at every step."""

    def check(step: Step) -> None:
        lines = game.text.table(step.state)
        assert len(lines) > game.info.min_seats
        assert all(line.isprintable() for line in lines)

    random_playout(game, 12, on_step=check)

"""Rules that hold in every deal, tried over many."""

import random
from itertools import pairwise

import pytest

from referee.errors import IllegalActionError
from referee.games.base import CHANCE, TERMINAL, Outcome
from referee.games.info import OptionValue
from referee.games.mexican_train.rules import State
from referee.games.mexican_train.table import ACTIONS, PUBLIC, TILES
from tests.games.mexican_train.pieces import pieces
from tests.games.mexican_train.positions import GAME, PIECES, legal, play, position, started, train, why
from tests.games.mexican_train.reference import EVERY_TEXT, Deal

ENGINES = ("highest_double", "descending")
DOUBLES = ("extra_turn", "must_satisfy")
TABLES = [
    (seats, {"engine": engine, "doubles": doubles})
    for seats in range(2, 9)
    for engine in ENGINES
    for doubles in DOUBLES
]


def random_order(rng: random.Random, seats: int) -> list[int]:
    """Returns a random order; now and then one that leaves all doubles, or few, in the boneyard."""
    pieces = rng.sample(range(91), 91)
    if seats < 8 and rng.random() < 0.2:
        keep = rng.choice([0, 0, 0, 1, 2])
        doubles = [piece for piece in pieces if PIECES[piece][0] == PIECES[piece][1]]
        pieces = [piece for piece in pieces if piece not in doubles]
        at = rng.randrange(15)
        pieces[at:at] = doubles[:keep]
        dealt = {2: 30, 3: 45, 4: 60, 5: 60, 6: 72, 7: 70}[seats]
        back = [*pieces[dealt:], *doubles[keep:]]
        pieces = [*pieces[:dealt], *rng.sample(back, len(back))]
    return pieces


@pytest.mark.parametrize("deals", [560, pytest.param(100_000, marks=pytest.mark.soak)])
def test_m11_the_second_implementation_agrees(deals: int) -> None:
    """In many deals of every kind of table both list the same, tell the same and score the same."""
    rng = random.Random(11)
    for number in range(deals):
        seats, options = TABLES[number % len(TABLES)]
        pieces = random_order(rng, seats)
        deal_number = rng.randrange(1, 14)
        state, told = started(pieces, seats, {**options, "deals": 13}, deal_number)
        deal = Deal(pieces, seats, deal_number, options["engine"], options["doubles"])
        assert told == deal.told
        steady = rng.random() < 0.5
        while state.to_act() >= 0:
            assert state.to_act() == deal.seat
            assert legal(state) == deal.legal()
            assert GAME.text.action(state.default_action()) == deal.default()
            text = deal.default() if steady and rng.random() < 0.7 else rng.choice(deal.legal())
            assert play(state, text) == deal.play(text)
        assert deal.over
        assert state.blocked == deal.blocked
        assert state.totals() == deal.scores()
        for name in deal.tracks:
            assert train(state, name) == " ".join(f"{inner}-{outer}" for inner, outer in deal.tracks[name])


def state_of(number: int, rng: random.Random) -> State:
    """Returns a deal that has just begun at the table of this number, in turn."""
    seats, options = TABLES[number % len(TABLES)]
    return started(random_order(rng, seats), seats, {**options, "deals": 13}, rng.randrange(1, 14))[0]


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


def test_r1_every_tile_is_somewhere_after_each_event() -> None:
    """Events told so far account for each tile of hands, boneyard and table, at every table."""
    rng = random.Random(1)
    for number in range(10 * len(TABLES)):
        state = state_of(number, rng)
        while state.to_act() >= 0:
            held = [hand.bit_count() for hand in state.hands]
            bones, laid = len(state.boneyard), sum(map(len, state.trains))
            events = state.apply(rng.choice(state.legal_actions()))
            for event in events:
                held[event.seat] += (event.kind == "drew") - (event.kind == "play")
                bones -= event.kind == "drew"
                laid += event.kind == "play"
                assert sum(held) + bones + laid == 90
            assert held == [hand.bit_count() for hand in state.hands]
            assert (bones, laid) == (len(state.boneyard), sum(map(len, state.trains)))
            assert sorted(pieces(state)) == sorted(TILES)


def test_trains_are_chains_from_the_engine() -> None:
    """Each tile of a train fits the one before it, the first one the engine."""
    rng = random.Random(2)
    for number in range(2 * len(TABLES)):
        state = state_of(number, rng)
        while state.to_act() >= 0:
            state.apply(rng.choice(state.legal_actions()))
        for one in state.trains:
            chain = [state.centre, *one]
            assert all(inner & 15 == outer >> 4 for inner, outer in pairwise(chain))
        assert all(not one for one in state.trains[len(state.hands) : PUBLIC])


def test_r6_every_deal_ends_by_going_out_or_by_a_block() -> None:
    """A block has an empty boneyard and as many passes as seats; without one somebody is out."""
    rng = random.Random(6)
    ends = {"out": 0, "blocked": 0}
    for number in range(12 * len(TABLES)):
        state, passes = state_of(number, rng), 0
        state.boneyard = state.boneyard[: rng.choice([0, 3, 91])]
        while state.to_act() >= 0:
            events = state.apply(rng.choice(state.legal_actions()))
            for event in events:
                if event.kind in {"play", "passed", "marker on"}:
                    passes = {"play": 0, "passed": passes + 1, "marker on": 1}[event.kind]
            assert state.passes == passes
            assert (
                state.to_act() < 0 or passes < len(state.hands) or state.boneyard or state.drawn is not None
            )
        kinds = [event.kind for event in events]
        ends["blocked" if state.blocked else "out"] += 1
        assert state.blocked == (kinds[-1] == "blocked") == all(state.hands)
        assert not state.blocked or (passes >= len(state.hands) and not state.boneyard)
    assert min(ends.values()) > 20


def test_r6_passes_are_counted_anew_in_each_deal() -> None:
    """After a blocked deal the next one starts without passes and without markers."""
    hands = ["3-4 1-1", "0-2"]
    state = position(hands, {"0": "12-3", "1": "12-3", "public": "12-3"}, markers=(0, 1))
    play(state, "play 3-4 on 0")
    assert (state.passes, state.blocked, state.to_act()) == (2, True, CHANCE)
    state.start_deal(Outcome((), tuple(range(91))))
    assert (state.blocked, state.passes) == (False, state.marked.bit_count() and 1)
    assert not state.result or state.result.deal == 1


GOING_OUT = [
    # last tile, train; own end 5, public end 6, train 1 marked with end 8
    ("2-5", "0"),
    ("5-5", "0"),
    ("2-6", "public"),
    ("6-6", "public"),
    ("2-8", "1"),
    ("8-8", "1"),
]


@pytest.mark.parametrize("doubles", DOUBLES)
@pytest.mark.parametrize(("tile", "name"), GOING_OUT)
def test_r2_going_out_ends_the_deal(tile: str, name: str, doubles: str) -> None:
    """A seat goes out on a plain tile or a double, on its own, the public or another train."""
    trains = {"0": "12-5", "1": "12-8", "public": "12-6"}
    state = position(
        [tile, "0-1", "9-9"], trains, markers=(1,), boneyard="5-6", options={"doubles": doubles, "deals": 1}
    )
    assert play(state, f"play {tile} on {name}") == [f"0 play {tile} on {name}", "0 out"]
    assert (state.to_act(), state.totals(), state.blocked) == (TERMINAL, (0, 1, 18), False)


def test_r2_a_run_that_empties_the_hand_ends_by_itself() -> None:
    """The last seat of the first circuit goes out in its run: there is no stop, and the deal ends."""
    state = position(["12-3 3-3", "0-1", "9-9"], {"1": "12-1", "2": "12-2"}, due=1, owner=0)
    assert play(state, "play 3-12 on 0") == ["0 play 3-12 on 0"]
    assert play(state, "play 3-3 on 0") == ["0 play 3-3 on 0", "0 out"]
    assert (state.to_act(), state.totals()) == (CHANCE, (0, 1, 18))


def test_r2_after_going_out_a_seat_that_cannot_start_still_passes() -> None:
    """Its pass and marker are told before the deal ends."""
    state = position(["12-3", "0-1", "9-9"], {}, due=3, owner=2)
    events = play(state, "play 3-12 on 0")
    assert events == ["0 play 3-12 on 0", "0 out", "1 passed", "1 marker on", "2 passed", "2 marker on"]
    assert (state.to_act(), state.totals()) == (CHANCE, (0, 1, 18))


@pytest.mark.parametrize(
    ("drawn", "told", "to_act"),
    [
        ("3-4", ["1 drew"], 1),
        ("5-7", ["1 drew", "1 passed", "1 marker on"], 0),
        ("", ["1 passed", "1 marker on"], 0),
    ],
)
def test_r16_a_draw_is_played_or_ends_in_a_pass(drawn: str, told: list[str], to_act: int) -> None:
    """A drawn tile that fits has to be played, and no marker goes on; else one does."""
    state = position(["3-3 1-3 0-5", "2-2"], {"0": "12-3", "1": "12-4", "public": "12-3"}, boneyard=drawn)
    assert play(state, "play 1-3 on 0") == ["0 play 1-3 on 0", *told]
    assert state.to_act() == to_act
    assert bool(state.marked) == (len(told) > 1 or not drawn)
    if to_act:
        assert legal(state) == ["play 3-4 on 1", "play 3-4 on public"]


def test_r16_a_marker_that_is_on_is_not_told_again() -> None:
    """A second pass has no marker event, and counts on."""
    state = position(["3-3 1-3 3-5", "2-2"], {"0": "12-3", "1": "12-4", "public": "12-3"}, markers=(1,))
    assert play(state, "play 1-3 on 0") == ["0 play 1-3 on 0", "1 passed"]
    assert (state.passes, state.to_act()) == (1, 0)


SATISFY: dict[str, OptionValue] = {"doubles": "must_satisfy", "deals": 1}


def test_r18_a_double_that_nobody_can_cover_holds_nobody_up() -> None:
    """With an empty boneyard its number is down, so that it counts as covered; the deal is blocked."""
    trains = {"0": "12-5", "1": "12-3", "2": "12-3", "public": "12-3"}
    state = position(["5-5 1-4", "0-2", "4-6"], trains, markers=(0, 1, 2), options=SATISFY)
    events = play(state, "play 5-5 on 0")
    passes = ["0 passed", "1 passed", "2 passed"]
    assert events == ["0 play 5-5 on 0", "0 marker off", "0 passed", "0 marker on", *passes[1:], "blocked"]
    assert (state.to_act(), state.double, state.totals()) == (TERMINAL, None, (5, 2, 10))


def test_r18_a_deal_is_never_blocked_by_a_double_to_cover() -> None:
    """Whoever holds a tile of its number is asked before the count of passes is full."""
    rng = random.Random(18)
    covers = 0
    for number in range(200):
        state = started(random_order(rng, 2 + number % 7), 2 + number % 7, {"doubles": "must_satisfy"})[0]
        state.boneyard = state.boneyard[: rng.randrange(8)]
        double = None
        while state.to_act() >= 0:
            double, last = state.double, double
            covers += double is not None and last is None
            fives = {action >> 4 for action in state.legal_actions()} if double is not None else set()
            assert all(state.ends[double or 0] in (tile >> 4, tile & 15) for tile in fives)
            state.apply(rng.choice(state.legal_actions()))
        assert not state.blocked or state.double is None
    assert covers > 100


def test_must_satisfy_asks_the_player_then_the_next_seats() -> None:
    """Who cannot cover draws, then passes with a marker; the next seat covers a train closed to it."""
    trains = {"0": "12-5", "1": "12-3", "2": "12-3"}
    state = position(["5-5 3-4", "0-3 1-5", "3-6"], trains, boneyard="0-0 9-9", options=SATISFY)
    events = play(state, "play 5-5 on 0")
    assert events == ["0 play 5-5 on 0", "0 drew", "0 passed", "0 marker on"]
    assert (state.to_act(), state.further, state.double) == (1, False, 0)
    assert legal(state) == ["play 1-5 on 0"]
    assert play(state, "play 1-5 on 0") == ["1 play 1-5 on 0"]
    assert (state.to_act(), state.double) == (2, None)


def test_must_satisfy_gives_a_further_turn_for_the_cover_alone() -> None:
    """The player covers its double at once if it can, and the turn is over."""
    state = position(["5-5 3-4 5-6", "0-5 1-1"], {"0": "12-5", "public": "12-3"}, options=SATISFY)
    play(state, "play 5-5 on 0")
    assert (state.to_act(), state.further, legal(state)) == (0, True, ["play 5-6 on 0"])
    assert play(state, "play 5-6 on 0")[0] == "0 play 5-6 on 0"
    assert (state.double, state.further) == (None, False)


def test_must_satisfy_a_drawn_tile_has_to_cover() -> None:
    """A drawn tile that fits an open train but not the double is kept, and the seat passes."""
    state = position(["5-5 9-9", "0-5"], {"0": "12-5", "public": "12-3"}, boneyard="3-4", options=SATISFY)
    assert play(state, "play 5-5 on 0") == ["0 play 5-5 on 0", "0 drew", "0 passed", "0 marker on"]
    assert legal(state) == ["play 0-5 on 0"]
    state = position(["5-5 9-9", "0-5"], {"0": "12-5", "public": "12-3"}, boneyard="5-7", options=SATISFY)
    assert play(state, "play 5-5 on 0") == ["0 play 5-5 on 0", "0 drew"]
    assert legal(state) == ["play 5-7 on 0"]


def test_must_satisfy_a_double_whose_number_is_down_counts_as_covered() -> None:
    """With the twelve other fives on the table any open train may follow."""
    fives = "12-5 5-0 0-1 1-5 5-2 2-3 3-5 5-4 4-6 6-5 5-7 7-8 8-5 5-9 9-10 10-5"
    state = position(["5-5 3-4", "0-3"], {"0": fives, "1": "12-11 11-5", "public": "12-3"}, options=SATISFY)
    assert play(state, "play 5-5 on 0") == ["0 play 5-5 on 0"]
    assert (state.double, state.further, legal(state)) == (None, True, ["play 3-4 on public"])
    for at, owner in (("hand", 1), ("bone", 0)):
        twin = position(["5-5 3-4", "0-3"], {"0": fives, "1": "12-11", "public": "12-3"}, options=SATISFY)
        if at == "hand":
            twin.hands[owner] |= 1 << PIECES.index((5, 11))
        else:
            twin.boneyard = (0x00, 0x5B)
        play(twin, "play 5-5 on 0")
        assert twin.double == 0


def test_must_satisfy_leaves_runs_alone() -> None:
    """Doubles inside and at the end of a first run need no cover."""
    state = position(["5-12 5-5 5-6 0-0", "12-1 1-5"], {}, due=2, owner=1, options=SATISFY)
    play(state, "play 5-12 on 0")
    play(state, "play 5-5 on 0")
    assert legal(state) == ["play 5-6 on 0", "stop"]
    play(state, "stop")
    play(state, "play 1-12 on 1")
    assert legal(state) == ["play 1-5 on 1", "stop"]
    play(state, "stop")
    assert (state.double, legal(state)) == (None, ["play 5-6 on 0"])


def test_a_blocked_count_needs_an_empty_boneyard() -> None:
    """Passes go on as long as tiles are drawn; the last draw in vain may complete the block."""
    ends = {"0": "12-3", "1": "12-3", "public": "12-3"}
    state = position(["3-4 1-1", "0-2"], ends, markers=(0, 1), boneyard="5-5 6-6 7-7")
    events = play(state, "play 3-4 on public")
    passes = ["1 drew", "1 passed", "0 drew", "0 passed", "1 drew", "1 passed"]
    assert events == ["0 play 3-4 on public", *passes, "blocked"]
    assert state.passes == 3

"""R7: positions and what is legal in them, how deals begin, and what each option changes."""

import random

import pytest

from referee.errors import OptionError
from referee.games import tiles
from referee.games.base import CHANCE, TERMINAL, Outcome, ranks
from referee.games.info import Options
from referee.games.mexican_train.rules import State, new
from referee.games.mexican_train.table import PUBLIC, TILES, hand_size, tiles_of
from tests.games.helpers import Sitting, playout
from tests.games.mexican_train.deals import TABLES, random_order
from tests.games.mexican_train.positions import GAME, PIECES, legal, order, play, position, started

LEGAL = [
    # ends "own public 1 2" (- not started; * marked), hand of seat 0, legal list; the engine is 12-12
    ("- - - -", "12-5 12-12 0-0", "5-12 on 0/5-12 on public/12-12 on 0/12-12 on public"),
    ("- - 5* 5", "12-5", "5-12 on 0/5-12 on public/5-12 on 1"),
    ("3 - 5* 5", "12-3 5-0", "0-5 on 1/3-12 on 0/3-12 on public"),
    ("3 - -* 5", "12-3 5-0", "3-12 on 0/3-12 on public"),
    ("3 3 3* 3*", "3-4", "3-4 on 0/3-4 on public/3-4 on 1/3-4 on 2"),
    ("3 4 3* 4*", "3-4", "3-4 on 0/3-4 on public/3-4 on 1/3-4 on 2"),
    ("3 4 5* 3*", "3-4", "3-4 on 0/3-4 on public/3-4 on 2"),
    ("3 6 6* 6", "6-9 0-0", "6-9 on public/6-9 on 1"),
    ("3 6 6 6*", "6-9 0-0", "6-9 on public/6-9 on 2"),
    ("3 6 6 6", "6-9 3-9 3-6", "3-6 on 0/3-6 on public/3-9 on 0/6-9 on public"),
    ("10 11 9* 2", "9-10 10-11 2-12 1-10", "1-10 on 0/9-10 on 0/9-10 on 1/10-11 on 0/10-11 on public"),
    ("1 11 1* 1*", "0-1 1-11", "0-1 on 0/0-1 on 1/0-1 on 2/1-11 on 0/1-11 on public/1-11 on 1/1-11 on 2"),
    ("0 1 2* 3*", "0-0 0-1 2-2 2-3 4-4", "0-0 on 0/0-1 on 0/0-1 on public/2-2 on 1/2-3 on 1/2-3 on 2"),
    ("0* 1 2 3", "0-0 0-1 2-2 2-3", "0-0 on 0/0-1 on 0/0-1 on public"),
    ("12 12 12* 12*", "11-12", "11-12 on 0/11-12 on public/11-12 on 1/11-12 on 2"),
    ("- 2 - -*", "0-12 1-2 2-12", "0-12 on 0/1-2 on public/2-12 on 0/2-12 on public"),
    ("7 7 7 7", "0-1 2-3", ""),
]  # fmt: skip


def at_ends(ends: str, hand: str) -> State:
    """Returns a position of three seats whose trains end so."""
    shown = dict(zip(("0", "public", "1", "2"), ends.split(), strict=True))
    trains = {name: f"12-{end.rstrip('*')}" for name, end in shown.items() if end.rstrip("*") != "-"}
    markers = [int(name) for name, end in shown.items() if end.endswith("*")]
    return position([hand, "8-8", "8-9"], trains, markers=markers)


@pytest.mark.parametrize(("ends", "hand", "listed"), LEGAL)
def test_r7_legal_lists(ends: str, hand: str, listed: str) -> None:
    """The legal list is exactly this, in this order; an empty one is a forced draw or pass."""
    assert legal(at_ends(ends, hand)) == [f"play {entry}" for entry in listed.split("/") if entry]


COVERS = [
    # ends and hand as above, the train with the double, legal list
    ("3 3 3* 3", "3-4 5-6", "0", "3-4 on 0"),
    ("3 3 3* 3", "3-4 5-6", "public", "3-4 on public"),
    ("3 3 3* 3", "3-4 5-6", "1", "3-4 on 1"),
    ("3 3 3* 3", "3-4 5-6", "2", "3-4 on 2"),
    ("5 6 7* 8", "0-8 8-9 5-6 7-7", "2", "0-8 on 2/8-9 on 2"),
    ("5 6 7* 8", "0-8 8-9 5-6 7-7", "1", "7-7 on 1"),
    ("5 6 7* 8*", "5-6 0-8", "public", "5-6 on public"),
    ("5 6 7* 5*", "5-6 0-8", "0", "5-6 on 0"),
    ("5 6 7* 8*", "5-5 0-8", "1", ""),
]


@pytest.mark.parametrize(("ends", "hand", "double", "listed"), COVERS)
def test_r7_legal_lists_with_a_double_to_cover(ends: str, hand: str, double: str, listed: str) -> None:
    """Only tiles of its number may be played, only on its train, marker or not."""
    state = at_ends(ends, hand)
    state.double = PUBLIC if double == "public" else int(double)
    assert legal(state) == [f"play {entry}" for entry in listed.split("/") if entry]


DEFAULTS = [
    # ends and hand as above, what is played for an absent seat
    ("3 6 6* 6", "6-9 3-12 3-3", "play 3-12 on 0"),
    ("3 6 6* 3*", "6-9 3-12 3-3", "play 3-12 on 0"),
    ("3 12 6* 3*", "3-12 6-9", "play 3-12 on 0"),
    ("5 12 3* 3*", "3-12 6-9", "play 3-12 on public"),
    ("5 6 3* 3*", "3-12 6-9 5-10", "play 3-12 on 1"),
    ("5 6 9* 3*", "3-12 6-9 5-10", "play 3-12 on 2"),
    ("5 6 9* 3", "6-9 5-10 7-8", "play 5-10 on 0"),
    ("5 6 9* 3", "6-9 0-5", "play 6-9 on public"),
    ("0 5 6* 3", "0-0 5-6", "play 5-6 on public"),
]


@pytest.mark.parametrize(("ends", "hand", "chosen"), DEFAULTS)
def test_default_is_the_heaviest_then_the_higher_then_the_first_train(
    ends: str, hand: str, chosen: str
) -> None:
    """The default is the playable tile with most pips, then the higher number, on the first train."""
    assert GAME.text.action(at_ends(ends, hand).default_action()) == chosen


def test_default_stops_a_run_as_soon_as_it_may() -> None:
    """A run of a seat that does not choose has one tile, the heaviest."""
    state = position(["12-3 12-4 4-5", "0-1"], {}, due=2, owner=1)
    assert GAME.text.action(state.default_action()) == "play 4-12 on 0"
    play(state, "play 4-12 on 0")
    assert legal(state) == ["play 4-5 on 0", "stop"]
    assert GAME.text.action(state.default_action()) == "stop"


RUNS = [
    # run up to now, hand, legal list
    ("", "12-3 3-4 0-12", "play 0-12 on 0/play 3-12 on 0"),
    ("12-3", "3-4 0-12", "play 3-4 on 0/stop"),
    ("12-3 3-3", "3-4 0-3 0-0", "play 0-3 on 0/play 3-4 on 0/stop"),
    ("12-3 3-4", "0-12 3-5", "stop"),
    ("12-0", "0-0 0-1", "play 0-0 on 0/play 0-1 on 0/stop"),
]


@pytest.mark.parametrize(("run", "hand", "listed"), RUNS)
def test_r7_runs(run: str, hand: str, listed: str) -> None:
    """A run is on the own train only, and is asked about also when only `stop` is left."""
    trains = {"0": run, "public": "12-3", "1": "12-3"}
    state = position([hand, "8-8"], trains, due=2, owner=1, markers=(1,))
    assert legal(state) == listed.split("/")


@pytest.mark.parametrize("seats", range(2, 9))
def test_hands_and_boneyard(seats: int) -> None:
    """Hands are read seat by seat from the order, the boneyard after them from its front."""
    size, bones = {2: (15, 61), 3: (15, 46), 4: (15, 31), 5: (12, 31), 6: (12, 19), 7: (10, 21), 8: (10, 11)}[
        seats
    ]
    pieces = random.Random(seats).sample(range(91), 91)
    state, told = started(pieces, seats)
    assert hand_size(seats) == size
    assert len(told) == 1 + sum("passed" in line or "marker" in line for line in told)
    assert list(state.boneyard) == [TILES[piece] for piece in pieces[size * seats :]]
    assert len(state.boneyard) == bones
    for seat in range(seats):
        dealt = {TILES[piece] for piece in pieces[size * seat : size * (seat + 1)]}
        assert set(tiles_of(state.hands[seat])) == dealt - {state.centre}
    best = max(piece for piece in pieces[: size * seats] if PIECES[piece][0] == PIECES[piece][1])
    assert state.centre == TILES[best]
    assert state.owner == pieces.index(best) // size


@pytest.mark.parametrize("seats", range(2, 8))
@pytest.mark.parametrize("deal", [1, 2, 5])
def test_without_a_double_the_seats_draw_for_the_engine(seats: int, deal: int) -> None:
    """From seat (deal - 1) mod seats on each draws one, until a double comes; the rest stays in hand."""
    plain = [piece for piece in range(91) if PIECES[piece][0] != PIECES[piece][1]]
    doubles = [piece for piece in range(91) if piece not in plain]
    size = hand_size(seats)
    front = plain[size * seats : size * seats + seats + 1]
    pieces = [*plain[: size * seats], *front, *doubles, *plain[size * seats + seats + 1 :]]
    state, told = started(pieces, seats, {"deals": 5}, deal)
    first, draws = (deal - 1) % seats, len(front)
    owner = (first + draws) % seats
    assert told[: draws + 2] == [
        *(f"{(first + count) % seats} drew" for count in range(draws + 1)),
        f"{owner} engine 0-0",
    ]
    assert (state.owner, state.centre) == (owner, 0x00)
    kept = [[TILES[piece] for piece in front[(seat - first) % seats :: seats]] for seat in range(seats)]
    for seat, extra in enumerate(kept):
        held = set(tiles_of(state.hands[seat]))
        assert held == {TILES[piece] for piece in plain[size * seat : size * (seat + 1)]} | set(extra)
    assert state.boneyard[0] == 0x11


def test_eight_seats_always_hold_a_double() -> None:
    """The boneyard of eight seats has eleven tiles, fewer than there are doubles."""
    for seed in range(50):
        assert "drew" not in " ".join(started(random.Random(seed).sample(range(91), 91), 8)[1])


def test_descending_begins_with_12_12_and_ends_with_0_0() -> None:
    """The holder places the engine of each deal; seat `(deal - 1) mod seats` owns one of the boneyard."""
    state = new(3, GAME.info.resolve({"engine": "descending"}))
    rng = random.Random(3)
    origins = set()
    for deal in range(1, 14):
        pieces = rng.sample(range(91), 91)
        double = next(piece for piece in range(91) if PIECES[piece] == (13 - deal, 13 - deal))
        place = pieces.index(double) // 15
        told = [GAME.text.event(event) for event in state.start_deal(Outcome((), tuple(pieces)))]
        owner = place if place < 3 else (deal - 1) % 3
        origins.add(place < 3)
        assert told[0] == f"{owner} engine {13 - deal}-{13 - deal}"
        assert (state.owner, state.centre) == (owner, 17 * (13 - deal))
        assert [hand.bit_count() for hand in state.hands] == [15 - (seat == place) for seat in range(3)]
        assert len(state.boneyard) == 46 - (place >= 3)
        assert state.centre not in state.boneyard
        while state.to_act() >= 0:
            state.apply(state.default_action())
        assert state.to_act() == (TERMINAL if deal == 13 else CHANCE)
    assert origins == {True, False}
    assert not state.adjudicated()


def test_descending_ignores_a_higher_double_in_a_hand() -> None:
    """In deal 2 the engine is 11-11, whoever holds 12-12."""
    pieces = order(["12-12 0-1", "0-2", "11-11"])
    state, told = started(pieces, 3, {"engine": "descending"}, deal=2)
    assert told[0] == "2 engine 11-11"
    assert tiles_of(state.hands[0])[-1] == 0xCC


AGREED = [
    # given, deals
    ({}, 4),
    ({"engine": "highest_double"}, 4),
    ({"engine": "descending"}, 13),
    ({"engine": "descending", "deals": 13}, 13),
    ({"engine": "descending", "deals": "4"}, 4),
    ({"deals": 1_000}, 1_000),
    ({"deals": "14"}, 14),
]


@pytest.mark.parametrize(("given", "deals"), AGREED)
def test_deals_agree_with_the_engine(given: Options, deals: int) -> None:
    """A match has four deals, with descending engines thirteen unless fewer are asked for."""
    assert GAME.info.resolve(given)["deals"] == deals


@pytest.mark.parametrize("deals", [14, 1_000, "14"])
def test_descending_has_no_more_than_13_deals(deals: int | str) -> None:
    """More deals than doubles are refused in one line."""
    with pytest.raises(OptionError, match=r"^option deals: \d+ is more than 13, the engines that") as caught:
        GAME.info.resolve({"engine": "descending", "deals": deals})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("deals", [1, 1_000, "1", "1000"], [0, 1_001, -1, "x", "", "1.0", "\uff11"]),
        ("engine", ["highest_double", "descending"], ["highest", "", 0]),
        ("doubles", ["extra_turn", "must_satisfy"], ["Extra_turn", "", 1]),
    ],
)
def test_option_ranges(name: str, good: list[int | str], bad: list[int | str]) -> None:
    """Options have exactly the stated values."""
    for value in good:
        assert str(GAME.info.resolve({name: value})[name]) == str(value)
    for value in bad:
        with pytest.raises(OptionError, match=f"option {name}: "):
            GAME.info.resolve({name: value})


@pytest.mark.parametrize("deals", [1, 2, 4])
def test_the_match_ends_after_its_deals(deals: int) -> None:
    """Totals are the sums of the deals, the lowest is first, and nothing is adjudicated."""
    state = playout(Sitting(GAME, 4, {"deals": deals}).start(), random.Random(deals))
    assert (state.deal, state.to_act(), state.adjudicated()) == (deals, TERMINAL, False)
    best = min(state.totals())
    places = ranks(state.totals(), lower_is_better=GAME.info.lower_is_better)
    assert [total == best for total in state.totals()] == [place == 1 for place in places]


def test_equal_totals_share_a_place() -> None:
    """Places are 1, 2, 2, 4."""
    assert ranks((5, 9, 9, 30), lower_is_better=True) == (1, 2, 2, 4)


def test_bounds_are_what_one_seat_can_hold_and_every_tile_once() -> None:
    """76 of 91 tiles weigh 1036 pips at most; a deal has at most 91 actions."""
    weights = sorted((tiles.pips(tile) for tile in TILES), reverse=True)
    assert GAME.info.bounds(GAME.info.resolve({})) == (0, sum(weights[:76]), 91)
    assert sum(weights[:76]) == 1036


@pytest.mark.parametrize(("seats", "options"), TABLES)
def test_bounds_hold_for_those_who_never_get_rid_of_a_tile(seats: int, options: Options) -> None:
    """Scores and actions stay in bounds, also where the light tiles are preferred."""
    bounds = GAME.info.bounds(GAME.info.resolve(options))
    rng = random.Random(seats)
    for _ in range(4):
        state, _ = started(random_order(rng, seats), seats, dict(options))
        plies = 0
        while state.to_act() >= 0:
            listed = state.legal_actions()
            state.apply(min(listed, key=lambda action: tiles.pips(action >> 4) if action < 0x1000 else -1))
            plies += 1
        assert bounds.low <= min(state.totals()) <= max(state.totals()) <= bounds.high
        assert plies <= bounds.plies

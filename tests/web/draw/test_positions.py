"""Every position of every golden log, drawn: it shows what its viewer may see, and nothing else."""

import re
from pathlib import Path

import pytest

from referee.games import find
from referee.games.base import Outcome
from referee.replay.positions import FULL, SPECTATOR
from referee.web.draw import draw
from tests.replay.golden import FOLDER
from tests.web.draw import positions, reading

GOLDENS = sorted(FOLDER.glob("*/*.jsonl"))
every_golden = pytest.mark.parametrize("path", GOLDENS, ids=lambda path: f"{path.parent.name}/{path.stem}")
SEATS = {"block_dominoes": 4, "guan_pai": 3, "mexican_train": 4, "ding_niu": 4}
every_game = pytest.mark.parametrize("name", SEATS)


@every_golden
def test_exactly_the_visible_pieces_are_drawn_and_none_overlap(path: Path) -> None:
    """All pieces of the observations occur, as often as there; lines never cross, nothing sticks out."""
    viewers = (FULL, SPECTATOR, 0, 1, 2)
    for number, table in enumerate(positions.of_log(path, viewers)):
        for narrow in {number % 2 == 0, number % 3 == 0}:
            picture = draw(table, narrow=narrow)
            root = reading.parsed(picture)

            assert reading.shown(root) == reading.expected(table)
            assert list(reading.faults(root)) == []
            assert " style=" not in picture


@pytest.mark.parametrize("seats", range(2, 9))
def test_trains_of_any_number_of_seats_stay_in_their_lanes(seats: int) -> None:
    """Two to eight trains and the public one never touch, whoever looks, in either picture."""
    for number, table in enumerate(positions.played("mexican_train", seats, seats, options={"deals": 2})):
        root = reading.parsed(draw(table, narrow=number % 2 == 0))

        assert reading.shown(root) == reading.expected(table)
        assert list(reading.faults(root)) == []


@every_game
def test_worlds_that_a_seat_cannot_tell_apart_look_the_same(name: str) -> None:
    """Two deals that agree on a seat's hand, and differ in the others', are drawn in the same bytes."""
    game, seats = find(name), SEATS[name]
    drawn: list[tuple[bytes, str]] = []
    hands = set()
    for turned in (False, True):
        state = game.new(seats, game.info.resolve({}))
        chance = state.chance()
        # The hands are the order cut into equal parts; those of the other seats are turned round.
        share = {"block_dominoes": 7, "guan_pai": 16, "mexican_train": 15, "ding_niu": 6}[name]
        order = list(range(chance.size))
        if turned:
            order[share : 3 * share] = [*order[2 * share : 3 * share], *order[share : 2 * share]]
        state.start_deal(Outcome((0,) * len(chance.draws), tuple(order)))
        table = positions.table_of(game, state, 0)
        hands.add(repr(game.view.private(state, 1)))
        drawn.append((table.public.SerializeToString(), draw(table)))

    assert len(hands) == 2
    assert drawn[0] == drawn[1]


@every_game
def test_an_ordinary_position_is_small(name: str) -> None:
    """Pictures of three of four positions have less than 15 KB; the largest have less than twice that."""
    sizes = sorted(len(draw(table).encode()) for table in positions.played(name, SEATS[name], 5, viewer=0))

    assert sizes[len(sizes) * 3 // 4] < 15_000
    assert sizes[-1] < 30_000


@every_game
def test_two_pictures_on_one_page_share_no_id(name: str) -> None:
    """Ids begin with the key, every reference is to one of them, and no id is there twice."""
    *_, table = positions.played(name, SEATS[name], 2, viewer=1)
    found = []
    for key, narrow in (("a", False), ("b", True)):
        picture = draw(table, narrow=narrow, key=key)
        ids = re.findall(r' id="([^"]+)"', picture)
        assert set(re.findall(r'href="#([^"]+)"', picture)) <= set(ids)
        found += ids

    assert len(found) == len(set(found))


def trail(length: int) -> list[int]:
    """Returns a train of a double-twelve set from its 12 on: as many tiles as asked for, each once."""
    left = {(low, high) for low in range(13) for high in range(low, 13)} - {(12, 12)}
    codes: list[int] = []
    end = 12
    while len(codes) < length:
        # Numbers with most tiles left are gone to first, so that the trail does not die early.
        fitting = [one for one in left if end in one]
        low, high = max(fitting, key=lambda one: (sum((sum(one) - end) in two for two in left), one))
        left.discard((low, high))
        codes.append(16 * end + low + high - end)
        end = low + high - end
    return codes


@pytest.mark.parametrize("narrow", [False, True], ids=["wide", "narrow"])
@pytest.mark.parametrize("train", [0, 1, 8])
def test_the_longest_train_stays_in_its_lane(train: int, *, narrow: bool) -> None:
    """With eight seats and all hands shown a train of 70 tiles bends often enough, and is drawn smaller."""
    table = next(positions.played("mexican_train", 8, 1))
    public = table.public.mexican_train.public
    chosen = public.public_train if train == 8 else public.trains[train]
    chosen.tiles[:] = trail(70)

    assert list(reading.faults(reading.parsed(draw(table, narrow=narrow)))) == []

"""Lines of dominoes that bend."""

import random
from itertools import combinations

import pytest

from referee.v1 import block_dominoes_pb2 as pb
from referee.v1 import game_pb2
from referee.web.draw import line_table, opening_index
from referee.web.draw.snake import Line, line
from tests.web.draw.reading import Area

PLANS = pytest.mark.parametrize("plan", [line_table.WIDE, line_table.NARROW], ids=["wide", "narrow"])


def chain(chooser: random.Random, length: int, *, twins: bool) -> list[int]:
    """Returns a line as its tiles lie, many of them doubles; with `twins` two equal ones may meet."""
    codes: list[int] = []
    right = 3
    while len(codes) < length:
        doubles = 0
        while codes and codes[-1 - doubles] >> 4 == codes[-1 - doubles] & 15:
            doubles += 1
            if doubles == len(codes):
                break
        wants = chooser.random() < 0.3 and doubles < (2 if twins else 1)
        nxt = right if wants else chooser.choice([number for number in range(7) if number != right])
        codes.append(16 * right + nxt)
        right = nxt
    return codes


def check(laid: Line, plan: line_table.Plan) -> None:
    """Fails where two tiles overlap or one leaves the place of the line."""
    areas = [Area(box.x, box.y, box.right, box.bottom) for box in laid.boxes()]
    assert not [pair for pair in combinations(areas, 2) if pair[0].overlaps(pair[1])]
    for area in areas:
        assert area.left >= plan.line.x - 0.01
        assert area.top >= plan.line.y - 0.01
        assert area.right <= plan.line.right + 0.01
        assert area.bottom <= plan.line.bottom + 0.01


@PLANS
@pytest.mark.parametrize("twins", [False, True])
def test_a_line_of_any_form_stays_in_its_place(plan: line_table.Plan, *, twins: bool) -> None:
    """Up to 28 tiles, opened anywhere, doubles anywhere: no tile covers another or leaves the place."""
    chooser = random.Random(7)
    for _ in range(300):
        length = chooser.randint(1, 28)
        opening = chooser.choice([None, 0, length - 1, chooser.randrange(length)])
        codes = chain(chooser, length, twins=twins)
        laid = line(codes, opening, plan.line, plan.units, 2 if twins else 1)

        check(laid, plan)
        assert [spot.code() for spot in laid.spots] == [
            16 * min(code >> 4, code & 15) + max(code >> 4, code & 15) for code in codes
        ]


@PLANS
def test_the_longest_line_is_still_large(plan: line_table.Plan) -> None:
    """Halves of a line of 28 tiles are at least 20 units in a narrow picture, 30 in a wide one."""
    chooser = random.Random(3)
    for opening in (0, 14, 27):
        laid = line(chain(chooser, 28, twins=False), opening, plan.line, plan.units)

        assert laid.unit >= (20 if plan is line_table.NARROW else 30)


def test_tiles_stay_where_they_were_laid() -> None:
    """With the opening known a tile that is joined moves no other one, as long as there is room."""
    codes = chain(random.Random(5), 9, twins=False)
    plan = line_table.WIDE
    for first in range(3, 6):
        before = line(codes[first : first + 3], 1, plan.line, plan.units)
        left = line(codes[first - 1 : first + 3], 2, plan.line, plan.units)
        right = line(codes[first : first + 4], 1, plan.line, plan.units)

        assert left.spots[1:] == before.spots
        assert right.spots[:-1] == before.spots


def test_the_opening_is_known_from_the_plays() -> None:
    """Each tile that joins at the left moves the first one a place to the right."""
    ends = (
        pb.BLOCK_DOMINOES_END_UNSPECIFIED,
        pb.BLOCK_DOMINOES_END_LEFT,
        pb.BLOCK_DOMINOES_END_RIGHT,
        pb.BLOCK_DOMINOES_END_LEFT,
    )
    plays = [game_pb2.Action(block_dominoes=pb.BlockDominoesAction(tile=1, end=end)) for end in ends]

    assert [opening_index(plays[:count]) for count in range(5)] == [None, 0, 1, 1, 2]

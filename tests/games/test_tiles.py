"""Tiles as values."""

import pytest

from referee.games import tiles


@pytest.mark.parametrize("highest", range(16))
def test_r1_a_set_holds_each_pair_once(highest: int) -> None:
    """The double-n set has (n+1)(n+2)/2 distinct tiles in canonical order."""
    found = tiles.double_set(highest)
    assert len(set(found)) == len(found) == (highest + 1) * (highest + 2) // 2
    assert list(found) == sorted(found)
    assert [tiles.halves(code) for code in found] == sorted(tiles.halves(code) for code in found)
    assert all(low <= high <= highest for low, high in map(tiles.halves, found))


def test_a_tile_is_the_same_from_both_sides() -> None:
    """The numbers of a tile may come in any order."""
    assert tiles.tile(5, 2) == tiles.tile(2, 5) == 0x25
    assert tiles.canonical(0x52, 6) == tiles.canonical(0x25, 6) == 0x25
    assert tiles.pips(0x25) == tiles.pips(0x52) == 7
    assert (tiles.text(0x25), tiles.text(0x52), tiles.text(0xCC)) == ("2-5", "5-2", "12-12")


@pytest.mark.parametrize("code", [-1, 7, 0x0F, 0x70, 0x67, 0x100, 0x125, 2**31 - 1, -(2**31), 2**31])
def test_m2_a_number_beyond_the_set_is_no_tile(code: int) -> None:
    """A code with a half outside 0..6 names no tile of the double-six set."""
    assert tiles.canonical(code, 6) is None


def test_choices_go_by_their_bits() -> None:
    """Choice number n has the tiles whose bits are set in n; their pips go the same way."""
    part = (0x00, 0x12, 0x66)
    assert tiles.subsets(part) == (
        *((), (0x00,), (0x12,), (0x00, 0x12)),
        *((0x66,), (0x00, 0x66), (0x12, 0x66), part),
    )
    assert tiles.subset_pips(part) == (0, 0, 3, 3, 12, 12, 15, 15)

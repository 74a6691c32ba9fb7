"""Tile helpers of the bot kit."""

import pytest

from referee.bot import tiles


def test_every_tile_survives_text_and_halves() -> None:
    """Code, halves and text of every tile up to double fifteen agree, in both orientations."""
    for left in range(16):
        for right in range(16):
            tile = tiles.code(left, right)
            assert tiles.halves(tile) == (left, right)
            assert tiles.parse(tiles.text(tile)) == tile
            assert tiles.pips(tile) == left + right
            assert tiles.is_double(tile) == (left == right)


def test_codes_as_the_protocol_says() -> None:
    """2-5 is 37 and 6-6 is 102."""
    assert (tiles.parse("2-5"), tiles.parse("6-6")) == (37, 102)


@pytest.mark.parametrize("text", ["", "2", "25", "2-", "-5", "2-16", "2-5 ", "a-b", "²-5", "02-5"])
def test_what_is_no_tile_is_refused(text: str) -> None:
    """Anything else than two numbers and a dash is refused by its text."""
    with pytest.raises(ValueError, match="is no tile"):
        tiles.parse(text)


def test_ends_of_a_line() -> None:
    """The ends are the outer halves; an empty line has none."""
    assert tiles.ends([]) is None
    assert tiles.ends([0x25]) == (2, 5)
    assert tiles.ends([0x25, 0x55, 0x51]) == (2, 1)

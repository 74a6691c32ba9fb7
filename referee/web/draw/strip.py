"""Pieces in a row, outside of any table: for the text of rules."""

from collections.abc import Sequence
from typing import Final

from markupsafe import Markup

from referee.web.draw import cards, tiles
from referee.web.draw.svg import Box, Sheet, num

_UNIT: Final = 20.0
_GAP: Final = 3.0
_EDGE: Final = 1.0


class _Strip(Sheet):
    """A sheet without a felt, as large as what lies on it."""

    def cut(self, width: float, height: float) -> Markup:
        """Returns the picture; what it shows has to stand beside it as text."""
        shapes = "".join(f'<g id="{self.key}-{name}">{drawn}</g>' for name, drawn in self._shapes.items())
        return Markup(  # noqa: S704  made of numbers, and of ranks of cards
            '<svg xmlns="http://www.w3.org/2000/svg" class="art strip"'
            f' viewBox="0 0 {num(width)} {num(height)}" width="{num(width)}" height="{num(height)}"'
            f' aria-hidden="true"><defs>{shapes}</defs>'
            f"{''.join(self._parts)}</svg>"
        )


def standing(codes: Sequence[tuple[int, int]], key: str) -> Markup:
    """Draws tiles side by side, each upright with its first number on top."""
    sheet = _Strip(key, narrow=True)
    for at, (first, second) in enumerate(codes):
        x = _EDGE + _UNIT / 2 + at * (_UNIT + _GAP)
        tiles.tile(sheet, tiles.Spot(first, second, x, _EDGE + _UNIT, tiles.SOUTH), _UNIT)
    return sheet.cut(2 * _EDGE + len(codes) * (_UNIT + _GAP) - _GAP, 2 * _EDGE + 2 * _UNIT)


def laid(codes: Sequence[tuple[int, int]], key: str) -> Markup:
    """Draws tiles as they lie in a line, doubles across it."""
    sheet = _Strip(key, narrow=True)
    x = _EDGE
    for first, second in codes:
        double = first == second
        spot = tiles.Spot(first, second, 0, _EDGE + _UNIT, tiles.SOUTH if double else tiles.EAST)
        width = spot.box(_UNIT).width
        tiles.tile(sheet, spot._replace(x=x + width / 2), _UNIT)
        x += width + 1
    return sheet.cut(x - 1 + _EDGE, 2 * _EDGE + 2 * _UNIT)


def fanned(codes: Sequence[int], key: str) -> Markup:
    """Draws cards side by side."""
    sheet = _Strip(key, narrow=True)
    scale = 0.8
    box = Box(_EDGE, _EDGE, cards.WIDTH * scale, cards.HEIGHT * scale)
    for at, code in enumerate(codes):
        x, y = box.middle
        cards.card(sheet, code, x + at * (box.width + _GAP), y, scale)
    return sheet.cut(2 * _EDGE + len(codes) * (box.width + _GAP) - _GAP, 2 * _EDGE + box.height)

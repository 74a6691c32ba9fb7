"""Markup of a picture: numbers, text that is safe, and a sheet that collects what is drawn."""

import re
import unicodedata
from functools import cache
from typing import Final, NamedTuple

from markupsafe import Markup, escape

ELLIPSIS: Final = "\u2026"
_WHO: Final = re.compile(r"(\S+) \((.*?)(, you)?\)")


class Box(NamedTuple):
    """A rectangle of the picture, in its units."""

    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> tuple[float, float]:
        """The centre."""
        return self.x + self.width / 2, self.y + self.height / 2

    @property
    def right(self) -> float:
        """The right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.y + self.height


def num(value: float) -> str:
    """Returns a number as short as it can be written with one decimal."""
    text = f"{value:.1f}"
    return text.removesuffix(".0")


def safe(text: str) -> str:
    """Returns a text escaped for markup; what no XML may hold, or turns lines round, is replaced."""
    if not text.isprintable():
        text = "".join(char if char.isprintable() else "\ufffd" for char in text)
    return str(escape(text))


def width_of(text: str) -> float:
    """Returns about how wide a text is, in the size of its font; rather more than less."""
    return sum(map(_char_width, text))


@cache
def _char_width(char: str) -> float:
    if char in "ijlI.,:;'|!()[] \u00b7":
        return 0.38
    if unicodedata.east_asian_width(char) in "WF" or char in "mwMW@%":
        return 1.04
    return 0.74 if char.isupper() else 0.62


def cut(text: str, width: float) -> str:
    """Returns a text cut to a width, in the size of its font, with an ellipsis where it is cut."""
    if width_of(text) <= width:
        return text
    while text and width_of(text) + 0.9 > width:
        text = text[:-1]
    return f"{text.rstrip()}{ELLIPSIS}"


def cut_name(text: str, width: float) -> str:
    """Returns the name of a seat cut to a width; who it is stays whole.

    Of `South (a long name, you)` the name is cut, of `North (easy)` the place.
    """
    found = _WHO.fullmatch(text)
    if found is None or width_of(text) <= width:
        return cut(text, width)
    place, name, you = found.groups()
    if not you:
        return f"{cut(place, width - width_of(f' ({name})'))} ({name})"
    shown = cut(name, width - width_of(f"{place} ({you})"))
    return f"{place} (you)" if shown == ELLIPSIS else f"{place} ({shown}{you})"


def place_of(text: str) -> str:
    """Returns the place of `North (easy)`, for labels that are small; any other name whole."""
    found = _WHO.fullmatch(text)
    return str(found[1]) if found else text


class Sheet:
    """Collects the parts of one picture.

    Attributes:
        key: what all ids of this picture begin with.
        narrow: whether it is the picture for a narrow window.
        height: of the picture in its units; may be set while drawing.
    """

    def __init__(self, key: str, *, narrow: bool) -> None:
        self.key = key
        self.narrow = narrow
        self.width = 400.0 if narrow else 1000.0
        self.height = 600.0
        self._parts: list[str] = []
        self._shapes: dict[str, str] = {}

    def add(self, markup: str) -> None:
        """Adds markup on top of what is there."""
        self._parts.append(markup)

    def shape(self, name: str, markup: str) -> str:
        """Returns the reference to a shape that is drawn more than once, and keeps the shape."""
        self._shapes.setdefault(name, markup)
        return f"#{self.key}-{name}"

    def text(self, x: float, y: float, words: str, css: str, title: str = "") -> None:
        """Adds a line of text whose base line begins at a point, or as its class anchors it."""
        told = f"<title>{safe(title)}</title>" if title else ""
        self.add(f'<text class="{css}" x="{num(x)}" y="{num(y)}">{told}{safe(words)}</text>')

    def rect(self, box: Box, css: str, radius: float = 0) -> None:
        """Adds a rectangle."""
        x, y, width, height = map(num, box)
        round_ = f' rx="{num(radius)}"' if radius else ""
        self.add(f'<rect class="{css}" x="{x}" y="{y}" width="{width}" height="{height}"{round_}/>')

    def finish(self, title: str, facts: tuple[str, ...], css: str, *, interactive: bool) -> Markup:
        """Returns the whole picture."""
        key, width, height = self.key, num(self.width), num(self.height)
        shapes = "".join(f'<g id="{key}-{name}">{drawn}</g>' for name, drawn in self._shapes.items())
        role = "group" if interactive else "img"
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="art {css}" viewBox="0 0 {width} {height}"'
            f' role="{role}" aria-labelledby="{key}-title" aria-describedby="{key}-desc">'
            f'<title id="{key}-title">{safe(title)}</title>'
            f'<desc id="{key}-desc">{safe(" ".join(facts))}</desc><defs>{shapes}</defs>'
            f'<rect class="felt" x="1" y="1" width="{num(self.width - 2)}" height="{num(self.height - 2)}"'
            ' rx="18"/>'
        )
        return Markup("".join((head, *self._parts, "</svg>")))  # noqa: S704  every text went through `safe`

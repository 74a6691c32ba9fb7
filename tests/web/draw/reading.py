"""Reads a picture back: which pieces are in it, and where."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple
from xml.etree import ElementTree as ET

from referee.games import tiles
from referee.web.draw import Table

SVG = "{http://www.w3.org/2000/svg}"
_MOVE = re.compile(r"translate\((-?[\d.]+) (-?[\d.]+)\)(?:rotate\((-?[\d.]+)\))?scale\(([\d.]+)\)")
_EDGE = 0.5
"""What rounding may bring two tiles nearer to each other."""


class Area(NamedTuple):
    """What something covers."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: "Area") -> bool:
        """Says whether two areas have more than an edge in common."""
        return (
            self.left < other.right - _EDGE
            and other.left < self.right - _EDGE
            and self.top < other.bottom - _EDGE
            and other.top < self.bottom - _EDGE
        )


def parsed(picture: str) -> ET.Element:
    """Returns a picture as XML; fails where it is none."""
    return ET.fromstring(picture)  # noqa: S314  drawn by the code under test


def shown(root: ET.Element) -> Counter[int]:
    """Returns the pieces that lie face up, by code."""
    return Counter(int(piece.attrib["data-piece"]) for piece in root.iter() if "data-piece" in piece.attrib)


def expected(table: Table) -> Counter[int]:
    """Returns the pieces that a table shows, by code, from its observations alone."""
    found: list[int] = []
    match table.game:
        case "block_dominoes":
            found += map(_upright, table.public.block_dominoes.public.line_tiles)
            for hand in table.hands.values():
                found += hand.block_dominoes.private.hand_tiles
        case "guan_pai":
            for play in table.public.guan_pai.public.trick_plays:
                found += play.cards
            for hand in table.hands.values():
                found += hand.guan_pai.private.hand_cards
        case "mexican_train":
            public = table.public.mexican_train.public
            for train in (*public.trains, public.public_train):
                found += map(_upright, train.tiles)
            found += [public.engine_tile] * bool(public.deal)
            for hand in table.hands.values():
                found += hand.mexican_train.private.hand_tiles
        case "ding_niu":
            found += map(_upright, table.public.ding_niu.public.line_tiles)
            for hand in table.hands.values():
                found += (*hand.ding_niu.private.hand_tiles, *hand.ding_niu.private.discard_tiles)
    return Counter(found)


def faults(root: ET.Element) -> Iterator[str]:
    """Yields what lies outside of the picture, and which tiles of a line or train overlap."""
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    for area in (*map(area_of, _pieces(root)), *_rects(root)):
        if area.left < 0 or area.top < 0 or area.right > width or area.bottom > height:
            yield f"{area} lies outside of {width} x {height}"
    laid = [group for group in root.iter() if set(group.get("class", "").split()) & {"line", "train"}]
    areas = [area_of(piece) for group in laid for piece in _pieces(group)]
    yield from (f"{one} overlaps {other}" for one, other in combinations(areas, 2) if one.overlaps(other))


def area_of(piece: ET.Element) -> Area:
    """Returns what a tile or a card covers."""
    found = _MOVE.fullmatch(piece.attrib["transform"])
    assert found
    x, y, turn, scale = (float(value or 0) for value in found.groups())
    wide, high = (46.0, 64.0) if "playingcard" in piece.get("class", "") else (20.0, 40.0)
    lies = abs(turn) == 90 or any(use.get("href", "").endswith("-l") for use in piece)
    if lies:
        wide, high = high, wide
    wide, high = wide * scale / 2, high * scale / 2
    return Area(x - wide, y - high, x + wide, y + high)


def _pieces(root: ET.Element) -> list[ET.Element]:
    return [piece for piece in root.iter() if "data-piece" in piece.attrib]


def _rects(root: ET.Element) -> Iterator[Area]:
    kept = {id(one) for shapes in root.iter(f"{SVG}defs") for one in shapes.iter()}
    for group in root.iter():
        if id(group) in kept:
            continue
        for rect in group.findall(f"{SVG}rect"):
            x, y, wide, high = (float(rect.attrib[name]) for name in ("x", "y", "width", "height"))
            yield Area(x, y, x + wide, y + high)


def _upright(code: int) -> int:
    return tiles.tile(*tiles.halves(code))

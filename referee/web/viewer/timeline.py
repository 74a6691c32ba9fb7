"""The timeline of a match: a bar for each action, marks for faults, and where each deal begins."""

from collections.abc import Iterator, Sequence
from math import ceil, log2
from typing import Final, NamedTuple

from markupsafe import Markup

from referee.replay.positions import UNKNOWN
from referee.web.filters import span
from referee.web.viewer.film import Film, Shot
from referee.web.viewer.words import FAULTS

MOST: Final = 1600
"""The most columns that are drawn: of a longer match several positions share one."""
HEIGHT: Final = 92
_TOP, _BASE = 34, 88
"""Between these lines a bar stands; above are the marks and the numbers of deals."""
_QUICKEST, _LONGEST = 50, 20_000
"""Microseconds: a bar is as high as its time is long on a scale of doublings. It begins with the one and
ends with the longest time of the match, the other at least."""

_SHAPES: Final = {
    "refused": '<path class="mark refused" d="M0 -5L5 0 0 5 -5 0Z"/>',
    "default": '<path class="mark default" d="M-5.4 -4.4H5.4L0 5Z"/>',
    "strike": '<circle class="mark strike" r="4.4"/>',
    "forfeit": '<path class="mark forfeit" d="M-4.4 -4.4L4.4 4.4M4.4 -4.4L-4.4 4.4"/>',
    "gone": '<rect class="mark gone" x="-4.2" y="-4.2" width="8.4" height="8.4"/>',
}
LEGEND: Final = {
    "refused": "answer refused",
    "default": "default action played",
    "strike": "strike",
    "forfeit": "forfeit",
    "gone": "process ended",
}


class Mark(NamedTuple):
    """A fault: its position, the record of the log, the kind of its mark, and what it was."""

    place: int
    n: int
    kind: str
    deal: int
    ply: int
    text: str


class Start(NamedTuple):
    """Where a deal begins: its number, its position, the record of the log."""

    number: int
    place: int
    n: int


class Timeline(NamedTuple):
    """What stands below the table.

    Attributes:
        total: how many positions the viewer steps through.
        each: how many positions share a column.
        width: of a column, in pixels.
        deals: where each deal begins.
        marks: the faults, in order.
        longest: the time of the highest bar, in microseconds.
        picture: all of it, drawn.
    """

    total: int
    each: int
    width: int
    deals: tuple[Start, ...]
    marks: tuple[Mark, ...]
    longest: int
    picture: Markup


def timeline(film: Film, viewer: int, here: int) -> Timeline:
    """Returns the timeline as a viewer may know it, with the position `here` marked.

    Where a think time is not known the bar tells how long everybody waited for the action.
    """
    shots, names = film.shots(viewer), film.names(viewer)
    each = ceil(len(shots) / MOST)
    columns = ceil(len(shots) / each)
    width = max(3, min(16, 1100 // columns))
    longest = max(map(_time, shots))
    bars = _bars(shots, each, width, max(longest, _LONGEST))
    parts = [*_deals(shots, each, width), *bars, *_marks(shots, each, width)]
    size = f'viewBox="0 0 {columns * width} {HEIGHT}" width="{columns * width}" height="{HEIGHT}"'
    picture = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="timeline-art" {size} aria-hidden="true">'
        f'{"".join(parts)}<path class="base" d="M0 {_BASE}H{columns * width}"/>'
        f'<rect class="now" x="{here // each * width}" y="0" width="{width}" height="{HEIGHT}"/></svg>'
    )
    return Timeline(
        len(shots),
        each,
        width,
        tuple(
            Start(shot.frame.deal, index, shot.frame.n)
            for index, shot in enumerate(shots)
            if shot.frame.kind == "deal"
        ),
        tuple(_mark(index, shot, names) for index, shot in enumerate(shots) if shot.fault),
        longest,
        Markup(picture),  # noqa: S704  it is made of numbers, and of words that stand in this module
    )


def sample(kind: str) -> Markup:
    """Returns a mark for the legend."""
    return Markup(  # noqa: S704  the same
        f'<svg class="sample" viewBox="-7 -7 14 14" width="14" height="14" aria-hidden="true">'
        f"{_SHAPES[kind]}</svg>"
    )


def _deals(shots: Sequence[Shot], each: int, width: int) -> Iterator[str]:
    shown = -99
    for index, shot in enumerate(shots):
        if shot.frame.kind == "deal":
            x = index // each * width
            yield f'<path class="deal" d="M{x} 0V{_BASE}"/>'
            if x - shown >= 22:
                yield f'<text class="deal-number" x="{x + 3}" y="11">{shot.frame.deal}</text>'
                shown = x


def _bars(shots: Sequence[Shot], each: int, width: int, longest: int) -> Iterator[str]:
    doublings = log2(longest / _QUICKEST)
    for start in range(0, len(shots), each):
        shot = max(shots[start : start + each], key=_time)
        time = _time(shot)
        if time:
            share = log2(max(time, _QUICKEST) / _QUICKEST) / doublings
            height = 3 + round(share * (_BASE - _TOP - 3))
            seen = " seen" if shot.frame.think == UNKNOWN else ""
            yield (
                f'<rect class="bar s{shot.frame.seat}{seen}" x="{start // each * width}" y="{_BASE - height}"'
                f' width="{max(2, width - 1)}" height="{height}"/>'
            )


def _marks(shots: Sequence[Shot], each: int, width: int) -> Iterator[str]:
    column, level = -1, 0
    for index, shot in enumerate(shots):
        if shot.fault:
            level = level + 1 if index // each - column <= 10 // width and level < 1 else 0
            column = index // each
            x, y = column * width + width / 2, 27 - 9 * level
            yield f'<g transform="translate({x:g} {y})" data-at="{shot.frame.n}">{_SHAPES[shot.fault]}</g>'


def _time(shot: Shot) -> int:
    """Returns how long an action took, at least 1, in microseconds; 0 for what is none."""
    if shot.frame.kind not in {"action", "default"}:
        return 0
    return max(1, shot.since if shot.frame.think == UNKNOWN else shot.frame.think)


def _mark(index: int, shot: Shot, names: Sequence[str]) -> Mark:
    frame = shot.frame
    who = names[frame.seat] if 0 <= frame.seat < len(names) else ""
    fault = FAULTS.get(frame.fault, frame.fault)
    why = f": {fault}" if fault else ""
    after = f", after {span(frame.think)}" if frame.kind == "default" and frame.think > 0 else ""
    return Mark(index, frame.n, shot.fault, frame.deal, frame.ply, f"{who}: {LEGEND[shot.fault]}{why}{after}")

"""The seats of a table: plates with names, totals and what there is to say of each, and their hands."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from referee.web.draw import tiles
from referee.web.draw.svg import Box, Sheet, cut_name, num, safe, width_of
from referee.web.draw.table import Table

_LOCOMOTIVE: Final = (
    '<path d="M-11 4V-2H-9V-7H-5V-2H2V-8H1V-10H11V-8H10V4Z"/>'
    '<circle cx="-7" cy="6.2" r="2.8"/><circle cx="0" cy="6.2" r="2.8"/><circle cx="7" cy="6.2" r="2.8"/>'
)


BOLD: Final = 1.08
"""How much wider bold text is than other text."""


@dataclass(frozen=True, slots=True)
class Badge:
    """A word at a plate; `css` says what kind it is."""

    words: str
    css: str = ""


def badges(table: Table, seat: int, to_act: int, more: Iterable[Badge] = ()) -> tuple[Badge, ...]:
    """Returns the badges of a seat: those of every game round the ones of its own."""
    acting = (Badge("to act", "now"),) if seat == to_act else ()
    lost = (Badge("forfeited", "bad"),) if seat in table.forfeited else ()
    return (*lost, *more, *acting)


def plate(sheet: Sheet, box: Box, name: str, total: str, holds: str, marks: Sequence[Badge]) -> None:
    """Draws the plate of a seat: its name, its total and what it holds, and badges on its upper edge."""
    acting = any(mark.css == "now" for mark in marks)
    sheet.rect(box, "plate acting" if acting else "plate", 9)
    size, small = (14, 12.5) if sheet.narrow else (17, 14.5)
    pad = 9 if sheet.narrow else 12
    base, second = (box.y + box.height * 0.47, box.bottom - box.height * 0.17)
    shown = cut_name(name, (box.width - 2 * pad) / size / BOLD)
    sheet.text(box.x + pad, base, shown, "name", name if shown != name else "")
    if width_of(f"total {total}  {holds}") > (box.width - 2 * pad) / small:
        sheet.text(box.x + pad, second, total, "fact")
    else:
        sheet.text(box.x + pad, second, f"total {total}", "fact")
    sheet.text(box.right - pad, second, holds, "fact far")
    _badges(sheet, box, marks)


def badge(sheet: Sheet, mark: Badge, x: float, y: float) -> None:
    """Draws a badge from its left end on, round a height; that of a marker has a locomotive in it."""
    size, high = _badge_size(sheet)
    wide = badge_width(sheet, mark)
    icon = ""
    left = x
    if mark.css == "flag":
        shape = sheet.shape("loco", _LOCOMOTIVE)
        at = f"translate({num(x + size * 1.2)} {num(y + 0.4)})scale({size / 19:.2g})"
        icon = f'<use href="{shape}" transform="{at}"/>'
        left += size * 1.5
    sheet.add(
        f'<g class="badge {mark.css}"><rect x="{num(x)}" y="{num(y - high / 2)}" width="{num(wide)}"'
        f' height="{high}" rx="{high / 2:g}"/>{icon}<text x="{num((left + x + wide) / 2)}"'
        f' y="{num(y + size * 0.36)}">{safe(mark.words)}</text></g>'
    )


def badge_width(sheet: Sheet, mark: Badge) -> float:
    """Returns how wide a badge is."""
    size, _ = _badge_size(sheet)
    return (width_of(mark.words) + (1.5 if mark.css == "flag" else 0)) * size + 13


def _badge_size(sheet: Sheet) -> tuple[float, int]:
    return (11, 16) if sheet.narrow else (12.5, 18)


def _badges(sheet: Sheet, box: Box, marks: Sequence[Badge]) -> None:
    """Draws badges on the upper edge of a plate from the right; those without room on the lower one."""
    upper, lower = box.y - 3, box.bottom + 4
    x, y = box.right - 8, upper
    for mark in reversed(marks):
        wide = badge_width(sheet, mark)
        if x - wide < box.x and y == upper:
            x, y = box.right - 8, lower
        badge(sheet, mark, x - wide, y)
        x -= wide + 4


def spread(box: Box, count: int, size: float, gap: float, anchor: float = 0.0) -> tuple[float, ...]:
    """Returns the middles of pieces in a row that overlap where the box is too narrow.

    `anchor` is 0 for a row at the left of its box, 0.5 for one in its middle, 1 for one at the right.
    """
    if not count:
        return ()
    step = min(size + gap, (box.width - size) / max(count - 1, 1))
    start = box.x + (box.width - size - step * (count - 1)) * anchor + size / 2
    return tuple([start + step * number for number in range(count)])


def backs(sheet: Sheet, box: Box, count: int, unit: float, anchor: float = 0.0) -> None:
    """Draws tiles that are not shown, in a row."""
    sheet.add(f'<g class="backs" data-backs="{count}">')
    for x in spread(box, count, unit, unit * 0.16, anchor):
        tiles.back(sheet, x, box.middle[1], unit)
    sheet.add("</g>")


def hand(
    sheet: Sheet,
    box: Box,
    codes: Sequence[int],
    unit: float,
    anchor: float = 0.0,
    *,
    can: frozenset[int] | None = None,
    css: str = "",
    drawn: int | None = None,
) -> None:
    """Draws tiles face up in a row; of those in `can` a person may choose one, `drawn` is highlighted."""
    for code, x in zip(codes, spread(box, len(codes), unit, unit * 0.16, anchor), strict=True):
        classes, extra = choice(can, code, f"{code >> 4}-{code & 15}")
        named = " ".join(filter(None, (css, classes, "last" * (code == drawn))))
        tiles.tile(sheet, tiles.upright(code, x, box.middle[1]), unit, named, extra)


def choice(can: frozenset[int] | None, code: int, name: str) -> tuple[str, str]:
    """Returns the classes and the attributes of a piece of the hand that may be among the choices."""
    if can is None:
        return "", ""
    if code not in can:
        return "idle", ""
    return "playable", f' role="button" tabindex="0" aria-label="{name}"'

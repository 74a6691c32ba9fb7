"""Tables for people, all in one style: thin rules, `-` for nothing, no name ever lost.

A table that does not fit narrows its texts first and then leaves whole columns out. Where the
output is no terminal there is no width to keep to, unless `COLUMNS` names one. No line ends with blanks.
"""

import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rich.box import SIMPLE_HEAD, Box
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.segment import Segment, Segments
from rich.table import Table
from rich.text import Text

from referee.errors import printable

NONE = "-"
"""What stands where there is nothing."""
NAME_WIDTH = 24
"""A name is never cut to fewer columns of the terminal."""
MOST = 10
"""How many lines a list has that matches, bots or faults make longer."""
_ENDLESS = 10_000
_GAP = 3
_HOUSE = {"±": "+-", "…": "...", "─": "-"}
"""What the tables use, and what stands for it where it cannot be written."""
_ASCII_HEAD = Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)


class Column(NamedTuple):
    """A column of a table.

    `least` is how narrow it may get, 0 when it may not; a text that is too long is cut, or folded
    with `folds`. Of the columns with a `drop` the highest is left out first. No column gets wider
    than `most`, however much room there is.
    """

    heading: str
    number: bool = False
    least: int = 0
    folds: bool = False
    drop: int = 0
    most: int = _ENDLESS


def name_column(heading: str = "bot", least: int = NAME_WIDTH) -> Column:
    """Returns a column of names."""
    return Column(heading, least=least)


def console(*, stderr: bool = False) -> Console:
    """Returns a console that colours on a terminal only, and elsewhere folds nothing."""
    stream = sys.stderr if stderr else sys.stdout
    width = None
    if os.environ.get("COLUMNS", "0") == "0":  # which says nothing, and would leave room for nothing
        width = shutil.get_terminal_size().columns if stream.isatty() else _ENDLESS
    return Console(stderr=stderr, highlight=False, width=width)


def fitting(text: str, where: Console) -> str:
    """Returns a text as a console can show it; what its encoding lacks is escaped."""
    return "".join(_encodable(char, where.encoding) for char in printable(text))


def say(where: Console, text: str, style: str = "") -> None:
    """Prints a text whose lines the terminal may fold, and nobody else."""
    for line in text.split("\n"):
        where.print(Text(fitting(line, where), style=style), soft_wrap=True)


def first(lines: Sequence[str], what: str, where: str = "all in --json", most: int = MOST) -> list[str]:
    """Returns the first lines of a list, and one that says how many more of `what` there are, and `where`."""
    more = len(lines) - most
    return [*lines[:most], f"and {more} more {what}; {where}"] if more > 0 else list(lines)


def show(
    where: Console,
    columns: Sequence[Column],
    rows: Iterable[Sequence[str]],
    styles: Sequence[str | None] | None = None,
) -> None:
    """Prints a table; `styles` are by row."""
    cells = [[fitting(cell, where) or NONE for cell in row] for row in rows]
    widths = [
        min(max(map(cell_len, (column.heading, *(row[at] for row in cells)))), column.most)
        for at, column in enumerate(columns)
    ]
    kept = _fit(columns, widths, where.width)
    plain = not where.encoding.startswith("utf")
    grid = Table(box=_ASCII_HEAD if plain else SIMPLE_HEAD, pad_edge=False, safe_box=False)
    for at in kept:
        column = columns[at]
        grid.add_column(
            column.heading,
            justify="right" if column.number else "left",
            no_wrap=not column.folds,
            overflow="fold",
            width=widths[at],
        )
    for number, row in enumerate(cells):
        shown = (
            _folded(row[at], widths[at]) if columns[at].folds else _cut(row[at], widths[at], where)
            for at in kept
        )
        grid.add_row(*map(Text, shown), style=styles[number] if styles else None)
    grid.width = _total(widths, kept)
    for line in Segment.split_lines(where.render(grid)):
        where.print(Segments([*_bare(line), Segment.line()]), crop=False)


def _fit(columns: Sequence[Column], widths: list[int], room: int) -> list[int]:
    """Narrows the widths and returns the columns that are left, so that a table fits if it can."""
    kept = list(range(len(columns)))
    for at in sorted(kept, key=lambda at: -columns[at].drop):
        narrowest = [min(width, column.least) or width for width, column in zip(widths, columns, strict=True)]
        if columns[at].drop == 0 or _total(narrowest, kept) <= room:
            break
        kept.remove(at)
    for at in sorted(kept, key=lambda at: not columns[at].folds):
        excess = _total(widths, kept) - room
        if excess > 0 and columns[at].least:
            widths[at] = max(widths[at] - excess, min(widths[at], columns[at].least))
    return kept


def _total(widths: Sequence[int], kept: Sequence[int]) -> int:
    return sum(widths[at] for at in kept) + _GAP * (len(kept) - 1) + 2


def _bare(line: list[Segment]) -> list[Segment]:
    """Returns a line without the blanks at its end."""
    while line and not line[-1].text.rstrip(" "):
        line = line[:-1]
    return [*line[:-1], Segment(line[-1].text.rstrip(" "), line[-1].style)] if line else []


def _folded(text: str, width: int) -> str:
    """Returns a text on lines of whole parts; a part that is too long for a line is left as it is."""
    first, *rest = text.replace("; ", ";\n").split("\n")
    lines = [first]
    for part in rest:
        longer = f"{lines[-1]} {part}"
        if cell_len(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(part)
    return "\n".join(lines)


def _cut(text: str, width: int, where: Console) -> str:
    if cell_len(text) <= width:
        return text
    dots = fitting("…", where)
    return set_cell_size(text, width - cell_len(dots)) + dots


def _encodable(char: str, encoding: str) -> str:
    try:
        char.encode(encoding)
    except UnicodeEncodeError:
        return _HOUSE.get(char) or char.encode(encoding, "backslashreplace").decode(encoding)
    except LookupError:
        return char
    return char

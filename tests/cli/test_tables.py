"""Tables that people read: what is left of them in a narrow terminal and on a poor one."""

import io
import re
from collections.abc import Sequence

import pytest
from rich.console import Console

from referee.cli.tables import Column, console, fitting, name_column, show

COLUMNS = (
    Column("place", number=True),
    name_column(),
    Column("points", number=True, drop=1),
    Column("rating", number=True, drop=2),
    Column("faults", least=10, folds=True),
)
LONG = "a" * 30
ROWS = [
    ("1", "first_bot 1", "1.000", "19.2 (37.5±6.1)", ""),
    ("2", LONG, "0.500", "6.6 (24.0±5.8)", "2 late, 3 illegal, 1 malformed"),
]


def printed(width: int, encoding: str = "utf-8", rows: Sequence[tuple[str, ...]] = ROWS) -> list[str]:
    """Returns the lines of a table on a console of some width."""
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding)
    show(Console(file=file, width=width), COLUMNS, rows)
    file.flush()
    return raw.getvalue().decode(encoding).splitlines()


@pytest.mark.parametrize(
    ("width", "headings"),
    [
        (200, ["place", "bot", "points", "rating", "faults"]),
        (79, ["place", "bot", "points", "rating", "faults"]),
        (70, ["place", "bot", "points", "faults"]),
        (52, ["place", "bot", "faults"]),
        (10, ["place", "bot", "faults"]),
    ],
)
def test_u6_a_narrow_table_leaves_columns_out_and_keeps_names(width: int, headings: list[str]) -> None:
    """Columns go in their order, no name is folded or cut below 24 columns, and the rest fits."""
    lines = printed(width)

    assert lines[1].split() == headings
    assert any("first_bot 1 " in line for line in lines)
    assert any("a" * 23 in line for line in lines)
    assert width == 10 or all(len(line) <= width for line in lines)
    assert (LONG in "".join(lines)) == (width in {200, 70})


def test_nothing_is_a_dash() -> None:
    """An empty cell holds a dash."""
    assert printed(200)[3].split()[-1] == "-"


def test_u6_texts_are_escaped_before_they_are_measured() -> None:
    """Where the encoding is poor the columns stay straight, and the signs of the house have stand-ins."""
    lines = printed(200, "ascii", [("1", "b🁣t", "1.000", "1 (2±3)", "…"), ("2", "bot", "0.500", "1", "x")])

    assert len({line.index(cell) for line, cell in zip(lines[3:5], ("...", "x"), strict=True)}) == 1
    assert lines[2].strip(" -") == ""
    assert lines[3].split()[1:] == [r"b\U0001f063t", "1.000", "1", "(2+-3)", "..."]


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_u6_no_line_ends_with_blanks(encoding: str) -> None:
    """Cells are padded up to the next one only, also where a row is coloured or folded."""
    for width in (200, 79, 52, 10):
        assert not [line for line in printed(width, encoding) if line != line.rstrip()]
    out = io.StringIO()
    coloured = Console(file=out, force_terminal=True, color_system="standard", width=60)
    show(coloured, COLUMNS, ROWS, ["yellow", "yellow"])
    assert "\x1b[33m" in out.getvalue()
    assert not re.search(r" (\x1b\[[0-9;]*m)*\n", out.getvalue())


def test_u6_a_long_text_is_folded_between_its_parts() -> None:
    """A column keeps to its greatest width where there is more room; parts stay whole if they fit."""
    out = io.StringIO()
    note = "0 drew 1-2; 0 passed; 1 marker on; a part that is longer than a line; end"
    show(Console(file=out, width=200), (Column("notes", least=8, folds=True, most=20),), [(note,)])
    assert [line.strip() for line in out.getvalue().splitlines()[3:-1]] == [
        "0 drew 1-2;",
        "0 passed;",
        "1 marker on;",
        "a part that is",
        "longer than a line;",
        "end",
    ]


def test_names_cannot_command_a_terminal() -> None:
    """What a terminal obeys is shown as text."""
    assert fitting("\x1b[2J[red]x\n", Console(file=io.StringIO())) == r"\x1b[2J[red]x\n"


def test_u6_a_pipe_has_no_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """Redirected output folds nothing, unless COLUMNS asks for a width."""
    monkeypatch.delenv("COLUMNS", raising=False)
    assert console().width > 1000
    monkeypatch.setenv("COLUMNS", "60")
    assert console().width == 60


@pytest.mark.parametrize("columns", ["0", None])
def test_no_columns_are_no_width(columns: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """COLUMNS=0, as some tools set it, is the same as none: what is printed can be read."""
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns:
        monkeypatch.setenv("COLUMNS", columns)
    assert console().width > 80

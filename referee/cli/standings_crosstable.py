"""How each bot did against each other one, for people."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console

from referee.cli.standings_table import row_names
from referee.cli.tables import NAME_WIDTH, NONE, Column, name_column, say, show
from referee.tournament.standings import Row, Standings

_GAP = 3
_MARGIN = 2


def print_crosstable(table: Standings, console: Console) -> None:
    """Prints the share of wins of each row against each other, among the current versions.

    A terminal that is too narrow for all columns gets them in several tables, one below the other.
    """
    rows = [row for row in table.rows if row.current]
    names = row_names(rows)
    numbers = [str(number) for number in range(1, len(rows) + 1)]
    cells = [[_cell(table, row, other) for other in rows] for row in rows]
    widths = [max(len(number), *(len(line[at]) for line in cells)) for at, number in enumerate(numbers)]
    room = console.width - len(numbers[-1]) - min(NAME_WIDTH, max(map(cell_len, names))) - _GAP - _MARGIN
    for start, stop in _parts(widths, room):
        shown = range(start, stop)
        columns = (
            Column("", number=True),
            name_column(),
            *(Column(numbers[at], number=True) for at in shown),
        )
        lines = zip(numbers, names, cells, strict=True)
        show(console, columns, [[number, name, *line[start:stop]] for number, name, line in lines])
    say(
        console,
        "share/matches: of the matches that the two played together, how often the bot of the line\n"
        "was placed before that of the column, higher is better; a shared place is half a win.",
        "dim",
    )
    console.print()


def _cell(table: Standings, row: Row, other: Row) -> str:
    matches, wins = table.against(row.line, other.line)
    return f"{wins / matches:.2f}/{matches}" if matches else NONE


def _parts(widths: Sequence[int], room: int) -> Iterator[tuple[int, int]]:
    """Yields first and last column (not included) of tables that fit, each with one column at least."""
    start, used = 0, 0
    for at, width in enumerate(widths):
        if at > start and used + width + _GAP > room:
            yield start, at
            start, used = at, 0
        used += width + _GAP
    yield start, len(widths)

"""A match as tables for people."""

from collections.abc import Iterable, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from referee.cli.standings_table import printable
from referee.replay.show import Chapter, Story


def print_story(story: Story, console: Console) -> None:
    """Prints a match from its header to its result."""
    for at, fact in enumerate(story.facts):
        console.print(Text(printable(fact), style="bold" if at == 0 else ""))
    console.print(_grid(("seat", "name", "owner", "bot", "version"), story.seats))
    for chapter in story.chapters:
        _print_chapter(chapter, console)
    if story.places:
        console.print(_grid(("place", "seat", "score", "points", "strikes", "faults"), story.places))
    console.print(Text(printable(story.state), style="bold"))


def _print_chapter(chapter: Chapter, console: Console) -> None:
    if not chapter.rows and not chapter.table:
        return
    console.print(Text(chapter.title, style="bold"))
    for line in chapter.table:
        console.print(Text(printable(f"  {line}")))
    grid = _grid(("seconds", "seat", "what", "think", ""), ())
    for row in chapter.rows:
        cells = (row.at, row.seat, row.what, row.think, row.note)
        grid.add_row(*_cells(cells), style="yellow" if row.is_fault else None)
    console.print(grid)
    if chapter.result:
        console.print(Text(f"  {chapter.result}\n"))


def _grid(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    grid = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        number = heading in {"seconds", "think", "score", "points", "strikes"}
        grid.add_column(heading, justify="right" if number else "left", no_wrap=number, overflow="fold")
    for row in rows:
        grid.add_row(*_cells(row))
    return grid


def _cells(row: Sequence[str]) -> list[Text]:
    return [Text(printable(cell)) for cell in row]

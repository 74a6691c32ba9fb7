"""A match as tables for people."""

from collections.abc import Sequence
from textwrap import wrap

from rich.console import Console

from referee.cli.tables import NONE, Column, name_column, say, show
from referee.replay.show import Chapter, Story

_NARROWEST, _WIDEST = 20, 120
"""Columns of a line of text, as a narrow and as a wide console has it."""
CALLED_OFF = "called off"
"""The note of a match that was ended from outside."""

_SEATS = (
    Column("seat", number=True),
    name_column("name"),
    name_column("owner", least=8),
    name_column("bot", least=8),
    Column("version", drop=1),
)
_ROWS = (
    Column("seconds", number=True, drop=1),
    Column("seat", least=8),
    Column("what", least=16),
    Column("think", number=True, drop=2),
    Column("notes", least=16, folds=True, most=72),
)
_PLACES = (
    Column("place"),
    name_column("seat"),
    Column("score", number=True),
    Column("points", number=True),
    Column("strikes", number=True, drop=1),
    Column("faults", least=12, folds=True),
)


def explained(note: str) -> str:
    """Returns a note about a match with its subject."""
    return f"{note} by the host" if note.endswith(CALLED_OFF) else note


def print_story(story: Story, console: Console) -> None:
    """Prints a match from its header to its result, best place first."""
    for at, fact in enumerate(story.facts):
        say_folded(console, fact, "bold" if at == 0 else "")
    show(console, _SEATS, story.seats)
    for chapter in story.chapters:
        _print_chapter(chapter, console)
    if story.places:
        show(console, _PLACES, sorted(map(_place, story.places), key=_rank))
    say(console, explained(story.state), "bold")


def _print_chapter(chapter: Chapter, console: Console) -> None:
    if not chapter.rows and not chapter.table:
        return
    say(console, chapter.title, "bold")
    _print_table(chapter, chapter.table, console)
    rows = [(row.at, row.seat, row.what, row.think, row.note) for row in chapter.rows]
    show(console, _ROWS, rows, ["yellow" if row.is_fault else None for row in chapter.rows])
    if chapter.left:
        say(console, "when the deal ended" if chapter.result else "after the last action")
        _print_table(chapter, chapter.left, console)
    if chapter.result:
        say(console, f"  {chapter.result}\n")


def _print_table(chapter: Chapter, lines: Sequence[str], console: Console) -> None:
    for line in lines:
        if line != chapter.title:
            say_folded(console, f"  {line}")


def say_folded(console: Console, text: str, style: str = "") -> None:
    """Prints a text; what is too long for a line is moved in below it."""
    width = min(max(console.width, _NARROWEST), _WIDEST)
    lines = wrap(text, width, subsequent_indent=" " * 8, break_long_words=False, break_on_hyphens=False)
    say(console, "\n".join(lines), style)


def _place(row: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the row of a seat; a match that does not count has neither places nor points."""
    rank, name, score, _, *rest = row
    return (NONE, name, score, NONE, *rest) if rank.split()[0] == "0" else row


def _rank(row: Sequence[str]) -> tuple[int, str]:
    number = row[0].split()[0]
    return (0 if number == NONE else int(number)), row[1]

"""How far a run of many matches is: a bar and the running tables on a terminal, plain lines elsewhere."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table as Grid
from rich.text import Text

from referee.cli.tables import fitting
from referee.organiser.tally import Tally

PLAIN_EVERY = 10.0
"""Seconds between two plain lines at the least."""
_TABLES = 8
"""How many running tables are shown at the most."""
_BAR = 40
_PER_SECOND = 4


@contextmanager
def shown(console: Console, *, quiet: bool, plain: bool) -> Iterator[Callable[[Tally], None]]:
    """Shows what it is told: on a terminal all the time, elsewhere a line now and then if `plain`."""
    if quiet or not (plain or console.is_terminal):
        yield lambda _: None
    elif console.is_terminal:
        with _live(console) as told:
            yield told
    else:
        yield _Plain(console)


def line(tally: Tally) -> str:
    """Returns in one line how far a run is."""
    running = len(tally.tables)
    parts = [f"{tally.done}/{tally.total} matches", _speed(tally), f"{running} running", *_trouble(tally)]
    return ", ".join(filter(None, parts))


def span(seconds: float) -> str:
    """Returns a span of time as people say it: `3 h 05 min`, `12 min`, `40 s`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{round(whole / 60)} min"
    hours, rest = divmod(whole, 3600)
    return f"{hours} h {rest // 60:02} min" if hours < 48 else f"{hours // 24} days {hours % 24} h"


def counted(counts: Mapping[str, int]) -> str:
    """Returns counts by kind: `3 late, 1 illegal`."""
    return ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in sorted(counts.items()) if count)


class _Plain:
    def __init__(self, console: Console) -> None:
        self._console = console
        self._last: float | None = None

    def __call__(self, tally: Tally) -> None:
        now = tally.now()
        if self._last is None:
            self._last = now
        if now - self._last >= PLAIN_EVERY:
            self._last = now
            self._console.print(Text(line(tally)), soft_wrap=True)


@contextmanager
def _live(console: Console) -> Iterator[Callable[[Tally], None]]:
    last: list[Tally] = []

    def picture() -> Group:
        return _picture(last[0], console) if last else Group()

    with Live(get_renderable=picture, console=console, refresh_per_second=_PER_SECOND) as live:

        def told(tally: Tally) -> None:
            last[:] = [tally]

        yield told
        for tally in last:
            tally.tables.clear()
        live.refresh()


def _picture(tally: Tally, console: Console) -> Group:
    bar = Grid.grid(padding=(0, 1))
    bar.add_row(
        Text("matches"),
        ProgressBar(total=max(1, tally.total), completed=tally.done, width=_BAR),
        Text(f"{tally.done}/{tally.total}"),
        Text(_speed(tally)),
    )
    tables = list(tally.tables.values())[:_TABLES]
    lines = [Text(f"  {', '.join(_trouble(tally))}")] if _trouble(tally) else []
    for table in tables:
        names = " ".join(sorted(table.pairing.entrants))
        text = f"  {table.pairing.index}: {names}, {span(tally.now() - table.since)}"
        again = f", attempt {table.attempt}" if table.attempt > 1 else ""
        lines.append(Text(fitting(text + again, console), no_wrap=True, overflow="ellipsis"))
    if len(tally.tables) > len(tables):
        lines.append(Text(f"  and {len(tally.tables) - len(tables)} more tables"))
    return Group(bar, *lines)


def _speed(tally: Tally) -> str:
    if not tally.speed:
        return ""
    left = f", about {span(tally.left)} left" if tally.left is not None and tally.done < tally.total else ""
    return f"{tally.speed:.1f}/s{left}"


def _trouble(tally: Tally) -> list[str]:
    told = []
    if tally.faults:
        told.append(f"faults: {counted(tally.faults)}")
    if tally.forfeited:
        told.append(f"{tally.forfeited} forfeited")
    if tally.spoiled:
        told.append(f"{tally.spoiled} spoiled attempts")
    if tally.given_up:
        told.append(f"{tally.given_up} not played")
    return told

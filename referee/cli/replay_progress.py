"""How far a check of many logs is: a bar on a terminal, nothing elsewhere."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from referee.cli.tables import console

if TYPE_CHECKING:
    from referee.cli.replay_check import Checked

_FEW = 2
"""For fewer logs there is no bar."""


@contextmanager
def shown(out: Console, total: int) -> Iterator[Callable[["Checked"], None]]:
    """Shows how many of the logs are checked, and how many of them are bad.

    The bar is below the lines on `out` if that is a terminal, else where errors go if that is one.
    """
    where = out if out.is_terminal else console(stderr=True)
    if total < _FEW or not where.is_terminal:
        yield lambda _: None
        return
    columns = (
        TextColumn("logs"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[bad]}", style="red"),
    )
    with Progress(*columns, console=where, redirect_stdout=False, redirect_stderr=False) as progress:
        task = progress.add_task("", total=total, bad="")
        bad = 0

        def told(checked: "Checked") -> None:
            nonlocal bad
            bad += not checked.good
            progress.update(task, advance=1, bad=f"{bad} bad" if bad else "")

        yield told

"""Draws and describes the table of any game."""

from collections.abc import Iterator
from typing import Final, Protocol

from markupsafe import Markup

from referee.web.draw import block_dominoes, ding_niu, guan_pai, mexican_train
from referee.web.draw.svg import Sheet
from referee.web.draw.table import Table


class Painter(Protocol):
    """What draws the tables of one game."""

    def paint(self, sheet: Sheet, table: Table) -> None:
        """Draws the table."""

    def facts(self, table: Table) -> Iterator[str]:
        """Yields what there is to see, in words."""


_PAINTERS: Final[dict[str, Painter]] = {
    "block_dominoes": block_dominoes,
    "guan_pai": guan_pai,
    "mexican_train": mexican_train,
    "ding_niu": ding_niu,
}


def draw(table: Table, *, narrow: bool = False, key: str = "t") -> Markup:
    """Returns a picture of a table; `key` makes its ids differ from those of other pictures of a page."""
    sheet = Sheet(key, narrow=narrow)
    _PAINTERS[table.game].paint(sheet, table)
    css = f"{'narrow' if narrow else 'wide'} {table.game.replace('_', '-')}"
    facts = describe(table)
    title = f"{table.game.replace('_', ' ').title()}: {facts[0].rstrip('.')}"
    return sheet.finish(title, facts, css, interactive=bool(table.choices))


def pictures(table: Table, *, key: str = "t") -> Markup:
    """Returns a table drawn for wide and for narrow windows; `table.css` shows the one that fits."""
    wide, narrow = draw(table, key=f"{key}w"), draw(table, narrow=True, key=f"{key}n")
    return Markup('<div class="table-art">{}{}</div>').format(wide, narrow)


def describe(table: Table) -> tuple[str, ...]:
    """Returns what the picture of a table shows, as lines of text."""
    return tuple(_PAINTERS[table.game].facts(table))

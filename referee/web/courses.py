"""How ratings went, as a page shows it: a chart, and the same figures for whoever cannot see it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from markupsafe import Markup

from referee.tournament.history import History, Point
from referee.tournament.standings import Row, Standings
from referee.web import figures
from referee.web.charts import COLOURS, Series, ratings

DAYS: Final = "days"
MATCHES: Final = "matches"
_ENOUGH: Final = 3
"""From so many days on a course is shown by days unless somebody asks for matches."""
_LABELS: Final = 6
_MOST: Final = 24
"""How many lines a chart has at the most, whatever is asked for."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a chart: its row, its points, and the words of what stands at each."""

    row: Row
    name: str
    points: Sequence[Point]
    at: Sequence[str]


@dataclass(frozen=True, slots=True)
class Chart:
    """The course of some ratings; `by` is `days` or `matches`, `picture` is empty where there is none."""

    lines: Sequence[Line]
    by: str
    picture: Markup
    title: str


def of_table(table: Standings, wanted: Iterable[str], by: str) -> Chart:
    """Returns how the ratings of a table went: of the bots that are wanted by id, else of the best.

    It takes a moment: call it on a thread.
    """
    wanted = {*wanted}
    rated = [row for row in table.rows if row.line in table.history]
    chosen = [row for row in rated if row.bot in wanted][:_MOST]
    return chart(table, chosen or [row for row in rated if row.current][:COLOURS], by)


def chart(table: Standings, rows: Sequence[Row], by: str) -> Chart:
    """Returns how the ratings of some rows of a table went."""
    found = [(row, table.history[row.line]) for row in rows if row.line in table.history]
    by = by if by in {DAYS, MATCHES} else _usual(history for _, history in found)
    lines = []
    for row, history in found:
        points = history.days if by == DAYS else history.matches
        lines.append(Line(row, _name(row), points, [_at(point.at, by) for point in points]))
    title = f"Ratings in {figures.title(table.key)}, by {'day' if by == DAYS else 'matches played'}"
    return Chart(lines, by, _picture(lines, by, title), title)


def _usual(histories: Iterable[History]) -> str:
    days = {point.at for history in histories for point in history.days}
    return DAYS if len(days) >= _ENOUGH else MATCHES


def _picture(lines: Sequence[Line], by: str, title: str) -> Markup:
    """Returns the chart; it needs two points somewhere."""
    places = sorted({point.at for line in lines for point in line.points})
    if len(places) <= 1:
        return Markup()
    series = [Series(line.name, [(point.at, point.rating) for point in line.points]) for line in lines]
    low, high = places[0], places[-1]
    steps = min(_LABELS, high - low)
    named = sorted({low + (high - low) * step // steps for step in range(steps + 1)})
    x_title = "day (UTC)" if by == DAYS else "counted matches of the bot"
    return ratings(series, title, x_title, named, lambda at: _at(int(at), by))


def _name(row: Row) -> str:
    return f"{row.name} {row.version}" if row.version else row.name


def _at(at: int, by: str) -> str:
    if by == MATCHES:
        return str(at)
    return f"{datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=at):%Y-%m-%d}"

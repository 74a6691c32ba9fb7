"""Charts as SVG: intervals, the course of ratings, histograms, progress.

They hold no styles and no scripts: colours and type come by classes from `static/standings.css`, so
that they follow the reader's choice of light or dark. Whoever cannot see them has the same figures in
a table or in words beside them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

import pygal
from markupsafe import Markup
from pygal.style import Style

from referee.tournament.bootstrap import Estimate

if TYPE_CHECKING:
    from referee.tournament.rating import Rating

COLOURS: Final = 8
"""How many lines of one chart can be told apart by colour and dashes."""
_WIDTH, _HEIGHT = 120, 18
_MARGIN = 4
_NUMBERS: Final = "{http://www.w3.org/2000/svg}"
_DROPPED: Final = frozenset({"defs", "script", "style", "title"})
"""What pygal puts into a picture and a page has no use for; styles come with the site."""


def bar(estimate: Estimate | None, low: float = 0.0, high: float = 1.0) -> Markup:
    """Returns a mean on a scale from `low` to `high`, with its interval; it has the figures beside it."""
    if estimate is None or high <= low:
        return Markup()

    def at(value: float) -> str:
        share = (min(max(value, low), high) - low) / (high - low)
        return f"{_MARGIN + share * (_WIDTH - 2 * _MARGIN):.1f}"

    middle = _HEIGHT // 2
    ticks = "".join(
        f'<line class="tick" x1="{at(x)}" x2="{at(x)}" y1="2" y2="{_HEIGHT - 2}"/>'
        for x in (low, (low + high) / 2, high)
    )
    reach = ""
    if estimate.low is not None and estimate.high is not None:
        left, right = at(estimate.low), at(estimate.high)
        reach = (
            f'<line class="reach" x1="{left}" x2="{right}" y1="{middle}" y2="{middle}"/>'
            f'<line class="reach" x1="{left}" x2="{left}" y1="{middle - 4}" y2="{middle + 4}"/>'
            f'<line class="reach" x1="{right}" x2="{right}" y1="{middle - 4}" y2="{middle + 4}"/>'
        )
    return Markup(  # noqa: S704  numbers only
        f'<svg class="bar" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}"'
        f' aria-hidden="true"><line class="axis" x1="{at(low)}" x2="{at(high)}" y1="{middle}" y2="{middle}"/>'
        f'{ticks}{reach}<circle class="mean" cx="{at(estimate.mean)}" cy="{middle}" r="4"/></svg>'
    )


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a chart: what it is called, and where it goes, each point with its rating."""

    name: str
    points: Sequence[tuple[int, "Rating"]]


def ratings(
    series: Sequence[Series], title: str, x_title: str, named: Sequence[int], name_of: Callable[[int], str]
) -> Markup:
    """Returns the course of ratings, each line with a band of one deviation to both sides.

    `named` are the points of the lower axis that have a name, which `name_of` tells. Of more than
    `COLOURS` lines the colours repeat.
    """
    chart = pygal.XY(
        style=Style(label_font_size=13, title_font_size=13, major_label_font_size=13),
        width=900,
        height=380,
        js=[],
        no_prefix=True,
        show_legend=False,
        include_x_axis=False,
        dots_size=3,
        x_title=x_title,
        y_title="rating",
        x_labels=[{"value": at, "label": name_of(at)} for at in named],
        margin=8,
        margin_right=44,
        spacing=8,
        max_scale=8,
        disable_xml_declaration=True,
    )
    chart.y_value_formatter = chart.value_formatter = lambda value: f"{value:.1f}".removesuffix(".0")
    chart.x_value_formatter = name_of
    for one in series:
        upper = [(x, rating.mean + rating.deviation) for x, rating in one.points]
        lower = [(x, rating.mean - rating.deviation) for x, rating in reversed(one.points)]
        chart.add(one.name, [*upper, *lower], show_dots=False)
    for one in series:
        chart.add(one.name, [(x, rating.mean) for x, rating in one.points])
    picture = chart.render_tree()
    _adapt(picture, series, title)
    return Markup(ET.tostring(picture, encoding="unicode"))  # noqa: S704  made of elements, which escapes


def _adapt(picture: ET.Element, series: Sequence[Series], title: str) -> None:
    """Makes a picture of pygal one of this site: named, classed, and without what it brought along."""
    _drop(picture)
    for name in ("id", "width", "height"):
        picture.attrib.pop(name, None)
    picture.set("class", "chart")
    picture.set("role", "img")
    picture.set("aria-label", title)
    for group in picture.iter("g"):
        words = group.get("class", "").split()
        if "series" in words:
            number = int(words[1].removeprefix("serie-"))
            kind = "band" if number < len(series) else "trace"
            group.set("class", f"series {kind} c{number % len(series) % COLOURS}")
        for dot in group.findall("desc"):
            if dot.get("class") == "value":
                dot.tag = "title"
                dot.text = f"{series[number % len(series)].name}, {dot.text}"
            else:
                group.remove(dot)


def _drop(node: ET.Element) -> None:
    for child in list(node):
        words = str(child.get("class") or "").split()
        gone = not isinstance(child.tag, str) or child.tag.removeprefix(_NUMBERS) in _DROPPED
        if gone or {"tooltip-overlay", "text-overlay", "legends"} & set(words):
            node.remove(child)
        else:
            _drop(child)


def histogram(counts: Sequence[tuple[str, int]], title: str) -> Markup:
    """Returns bars for numbers with a name each; the figures stand on them."""
    wide, high, foot = 44, 120, 34
    most = max((count for _, count in counts), default=0) or 1
    parts = []
    for at, (label, count) in enumerate(counts):
        x, top = at * wide, 18 + (high - 18) * (1 - count / most)
        parts.append(
            Markup(
                '<rect class="column" x="{}" y="{:.1f}" width="{}" height="{:.1f}"/>'
                '<text x="{}" y="{:.1f}">{}</text><text class="name" x="{}" y="{}">{}</text>'
            ).format(
                *(x + 3, top, wide - 6, high - top),
                *(x + wide / 2, top - 4, count or ""),
                *(x + wide / 2, high + 16, label),
            )
        )
    return Markup(
        '<svg class="histogram" viewBox="0 0 {0} {1}" role="img" aria-label="{2}">{3}'
        '<line class="axis" x1="0" x2="{0}" y1="{4}" y2="{4}"/></svg>'
    ).format(wide * len(counts), high + foot, title, Markup().join(parts), high)

"""The rules of the games for people: the page that comes with each game, its pieces drawn."""

import itertools
import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from typing import Any, Final, NamedTuple

from markdown_it import MarkdownIt
from markupsafe import Markup

from referee.errors import OptionError
from referee.games import cards, find
from referee.games.info import GameInfo, Option
from referee.web.draw import strip

_TILE: Final = re.compile(r"(\d{1,2})-(\d{1,2})")
_PIECES: Final = frozenset({"tiles", "line", "cards"})
"""What a block of code may say that it shows: tiles of a hand, a line as it lies, cards."""
_TITLE: Final = re.compile(r"\A# .*\n")

_HIGHEST: Final = 12
"""The highest number of any tile."""


class Chapter(NamedTuple):
    """A heading of the rules, and its place on the page."""

    anchor: str
    title: str


class Rules(NamedTuple):
    """The rules of a game as they are shown."""

    chapters: tuple[Chapter, ...]
    text: Markup


class Setting(NamedTuple):
    """An option with the value in force."""

    option: Option
    value: str

    @property
    def range(self) -> str:
        """What the option may be."""
        option = self.option
        return ", ".join(option.choices) if option.choices else f"{option.low:,} to {option.high:,}"

    @property
    def usual(self) -> bool:
        """Whether the value is the default."""
        return self.value == str(self.option.default)


@cache
def rules(game: str) -> Rules:
    """Returns the rules of a game."""
    info = find(game).info
    source = resources.files(f"referee.games.{info.name}").joinpath("README.md").read_text("utf-8")
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    writer: Any = reader.renderer
    keys = (f"p{number}" for number in itertools.count())
    writer.rules.update(
        code_inline=lambda tokens, at, _options, _env: _code(tokens[at].content, keys),
        fence=lambda tokens, at, _options, _env: _block(tokens[at].info, tokens[at].content, keys),
        table_open=lambda *_: '<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>',
        table_close=lambda *_: "</table></div>",
    )
    tokens = reader.parse(_TITLE.sub("", source))
    chapters = []
    for token, inside in itertools.pairwise(tokens):
        if token.type == "heading_open" and token.tag == "h2":
            anchor = re.sub(r"[^a-z]+", "-", inside.content.lower()).strip("-")
            token.attrSet("id", anchor)
            chapters.append(Chapter(anchor, inside.content))
    html = writer.render(tokens, reader.options, {})
    return Rules(tuple(chapters), Markup(html))  # noqa: S704  a file of the product, its HTML escaped


def settings(info: GameInfo, given: dict[str, str]) -> tuple[Setting, ...]:
    """Returns all options with the values in force; raises `OptionError` for a value that cannot be."""
    known = {option.name for option in info.options}
    for name in given:
        if name not in known:
            raise OptionError(f"{info.name} has no option of that name")
    resolved = info.resolve(given)
    return tuple(Setting(option, str(resolved[option.name])) for option in info.options)


def _code(text: str, keys: Iterator[str]) -> str:
    """Returns a piece of code, with the tile or the card that it names before it."""
    drawn = _drawn("cards" if text in cards.CODES else "tiles", [text], keys)
    shown = Markup("<code>{}</code>").format(text)
    return Markup('<span class="piece">{}{}</span>').format(drawn, shown) if drawn else shown


def _block(info: str, text: str, keys: Iterator[str]) -> str:
    kind = info.strip()
    if kind not in _PIECES:
        return Markup('<pre tabindex="0"><code>{}</code></pre>\n').format(text)
    rows = []
    for line in text.splitlines():
        label, colon, words = line.rpartition(":")
        drawn = _drawn(kind, words.split(), keys)
        rows.append(
            Markup('<div class="pieces">{}{}<span class="hidden-text">{}</span></div>').format(
                Markup('<span class="pieces-of">{}</span> ').format(label) if colon else "", drawn, words
            )
        )
    return Markup("\n").join(rows) + Markup("\n")


def _drawn(kind: str, words: Sequence[str], keys: Iterator[str]) -> Markup:
    """Returns the pieces that words name, drawn; nothing where one names none."""
    if kind == "cards":
        codes = [cards.CODES[word] for word in words if word in cards.CODES]
        return strip.fanned(codes, next(keys)) if len(codes) == len(words) else Markup()
    found = [_TILE.fullmatch(word) for word in words]
    pairs = [(int(tile[1]), int(tile[2])) for tile in found if tile]
    if len(pairs) != len(words) or any(max(pair) > _HIGHEST for pair in pairs):
        return Markup()
    return (strip.laid if kind == "line" else strip.standing)(pairs, next(keys))

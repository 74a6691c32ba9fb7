"""Addresses of pages that are named by what others made up: tournaments, games, bots.

A name is one part of a path, written so that no name leads elsewhere: what a path cannot hold (`/`, a
part that is empty, `.` or `..`) is written as `~` and two hexadecimal digits for each byte.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import quote, urlencode

from referee.errors import UsageError
from referee.games import find
from referee.tournament.standings import TableKey

ALL: Final = "all"
"""Stands in addresses for the tables of matches that belong to no tournament."""
_HELD_BACK: Final = re.compile(r"[~/\\\x00-\x1f\x7f]")
_ESCAPED: Final = re.compile("~([0-9A-F]{2})")
_OPTION: Final = "opt."


def segment(name: str) -> str:
    """Returns a name as one part of a path."""
    if not name:
        return "~"
    if name in {".", ".."}:
        return f"~2E{name[1:]}"
    return quote(_HELD_BACK.sub(lambda found: f"~{ord(found[0]):02X}", name), safe="~", errors="replace")


def name_of(part: str) -> str:
    """Returns the name of a part of a path, of which the percent signs are resolved already."""
    return "" if part == "~" else _ESCAPED.sub(lambda found: chr(int(found[1], 16)), part)


def tournament_part(name: str) -> str:
    """Returns a tournament as a part of the path of a table; an empty name stands for no tournament."""
    if not name:
        return ALL
    return f"~{ord(ALL[0]):02X}{ALL[1:]}" if name == ALL else segment(name)


def tournament_of(part: str) -> str:
    """Returns the tournament of a part of the path of a table."""
    return "" if part == ALL else name_of(part)


def bot(bot_id: str) -> str:
    """Returns the address of the page of a bot."""
    return "/bots/" + "/".join(map(segment, bot_id.split("/")))


def bot_of(path: str) -> str:
    """Returns the id of the bot whose page lies at a path below `/bots/`."""
    return "/".join(map(name_of, path.split("/")))


def tournament(name: str) -> str:
    """Returns the address of the page of a tournament, ladder or run."""
    return f"/tournaments/{segment(name)}"


def table(key: TableKey, page: str = "") -> str:
    """Returns the address of a table of standings, or of a page below it."""
    return _table("/standings", key, page)


def leaderboard(key: TableKey) -> str:
    """Returns the address of a leaderboard of challenges."""
    return _table("/challenges", key, "")


def rules(key: TableKey) -> str:
    """Returns the address of the rules of a table, with its options where they are those of the game now."""
    path = f"/rules/{segment(key.game)}"
    _, defaults = usual(key.game)
    if not key.options or {name for name, _ in key.options} != set(defaults):
        return path
    return rules_by(key.game, dict(key.options))


def rules_by(game: str, options: Mapping[str, int | str]) -> str:
    """Returns the address of the rules of a game under options."""
    return (
        f"/rules/{segment(game)}?{urlencode({f'{_OPTION}{name}': value for name, value in options.items()})}"
    )


def _table(root: str, key: TableKey, page: str) -> str:
    path = f"{root}/{tournament_part(key.tournament)}/{segment(key.game)}{page and f'/{page}'}"
    version, defaults = usual(key.game)
    query = {"rules": key.rules_version} if key.rules_version != version else {}
    named = {f"{_OPTION}{name}": str(value) for name, value in key.options if value != defaults.get(name)}
    return f"{path}?{urlencode(query | named)}" if query or named else path


def usual(game: str) -> tuple[str, Mapping[str, int | str]]:
    """Returns what an address need not say: the rules version that is played, and options by default."""
    try:
        info = find(game).info
    except UsageError:
        return "", {}
    return info.rules_version, {option.name: option.default for option in info.options}


def fits(key: TableKey, tournament: str, game: str, query: Mapping[str, str]) -> bool:
    """Says whether a table is what an address names in full; what it leaves out has its default."""
    version, defaults = usual(game)
    return (
        (key.tournament, key.game) == (tournament, game)
        and key.rules_version == query.get("rules", version)
        and all(
            str(value) == query.get(f"{_OPTION}{name}", str(defaults.get(name)))
            for name, value in key.options
        )
    )


FILTERS: Final[Mapping[str, Callable[..., str]]] = {
    "bot_link": bot,
    "tournament_link": tournament,
    "table_link": table,
    "leaderboard_link": leaderboard,
    "rules_link": rules,
}

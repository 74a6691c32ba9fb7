"""Who may sit together: rated tables, and rated blocks as a whole, hold one bot of each owner.

The matches of a block share their deals, so that the first bot of an owner could else tell the second
one what is coming. House bots have no owner.
"""

from collections.abc import Iterable, Mapping, Sequence

from referee.errors import SettingError


def party(name: str, owner: str, *, house: bool = False) -> str:
    """Returns on whose behalf a bot plays: its owner's, or its own where it has none."""
    return f"bot {name}" if house or not owner else f"owner {owner}"


def are_apart(table: Iterable[str], parties: Mapping[str, str]) -> bool:
    """Says whether a table holds one bot of each party; `parties` are by bot."""
    seen = [parties[bot] for bot in table]
    return len(set(seen)) == len(seen)


def check_block(sittings: Iterable[Sequence[str]], parties: Mapping[str, str]) -> None:
    """Raises `SettingError` for a block in which two bots of one party meet the same deals.

    That they sit in different matches of it does not help.
    """
    first: dict[str, str] = {}
    for bot in dict.fromkeys(bot for sitting in sittings for bot in sitting):
        other = first.setdefault(parties[bot], bot)
        if other != bot:
            raise SettingError(
                "bots",
                f"{other!r} and {bot!r} have one owner, who would meet the deals of a block twice;"
                " enter one of them, or play unrated",
            )

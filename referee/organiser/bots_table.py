"""Reads the tables of bots of a tournament file, `[bots.NAME]`."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from referee.engine.entrants import Entry
from referee.organiser.file import Section, meant
from referee.server.resolve import resolve
from referee.store.bots import HOUSE_BOTS, Bot, bot_id
from referee.tournament.names import SHORT, SHORT_TOLD, check_new, owner

_KINDS: Final = ("command", "house", "registered")


def read_bots(section: Section, game: str, registered: Callable[[], Iterable[Bot]]) -> tuple[Entry, ...]:
    """Returns the bots that a file names; `registered` tells those of the register, if it is asked."""
    found: list[Entry] = []
    register: dict[str, Bot] = {}
    bots = section.sections()
    if any("registered" in bot for bot in bots.values()):
        register = {bot.bot_id: bot for bot in registered()}
    for name, bot in bots.items():
        entry = _bot(name, bot, game, register)
        bot.close()
        twin = next((other for other in found if other.name.casefold() == name.casefold()), None)
        same = next((other for other in found if other.bot_id == entry.bot_id), None)
        if twin or same:
            bot.problem("", f"is the same bot as bots.{(twin or same or entry).name}; take another name")
        found.append(entry)
    if not bots:
        section.problem("", 'there is no bot; add tables as [bots.mine] with command = "./mine"')
    return tuple(found)


def opponents(level: str, count: int, game: str) -> tuple[Entry, ...]:
    """Returns the house bots that a challenge is against, where the file names none."""
    command = tuple(resolve(level, game))
    names = (level, *(f"{level}-{number}" for number in range(2, count + 1)))
    return tuple(Entry(name, level, f"{level}/{name}", command, house=True) for name in names[:count])


def _bot(name: str, bot: Section, game: str, register: Mapping[str, Bot]) -> Entry:
    if not SHORT.fullmatch(name):
        bot.problem("", f"the name has to be {SHORT_TOLD}")
    else:
        bot.made("", lambda: check_new(name))
    kinds = [kind for kind in _KINDS if kind in bot]
    level = name.casefold() if name.casefold() in HOUSE_BOTS else ""
    owned_by = bot.parsed("owner", owner, "")
    if len(kinds) > 1:
        bot.problem(kinds[1], f"{kinds[0]} is given too, and they exclude each other; keep one of them")
        return _spare(name)
    if not kinds and not level:
        bot.problem("", f"has nothing to play; give one of {', '.join(_KINDS)}")
        return _spare(name)
    if level and kinds not in ([], ["house"]):
        bot.problem("", f"{name} is the name of a house bot; take another")
    if kinds == ["registered"]:
        return _remote(name, bot, owned_by, register)
    if kinds == ["command"]:
        owned_by = owned_by or name
        return Entry(name, owned_by, f"{owned_by}/{name}", _command(bot, game), house=False)
    return _house(name, bot, level, game)


def _spare(name: str) -> Entry:
    """Returns what stands for a bot that cannot be had, while other problems are looked for."""
    return Entry(name, name, f"{name}/{name}", (name,), house=False)


def _house(name: str, bot: Section, level: str, game: str) -> Entry:
    house = bot.choice("house", HOUSE_BOTS, level or None)
    if level and house != level:
        bot.problem("house", f"{name} is the name of another house bot; take another")
    if "owner" in bot:
        bot.problem("owner", "a house bot has none")
    return Entry(name, house, f"{house}/{name}", tuple(resolve(house, game)), house=True)


def _command(bot: Section, game: str) -> tuple[str, ...]:
    return bot.parsed("command", lambda command: tuple(resolve(command, game)), ("",))


def _remote(name: str, bot: Section, owned_by: str, register: Mapping[str, Bot]) -> Entry:
    spare = Entry(name, name, name, (), house=False)
    identity = bot.parsed("registered", bot_id, "")
    if not identity:
        return spare
    known = register.get(identity)
    if known is None:
        hint = meant(identity, register) or "; `referee bot list` shows all"
        bot.problem("registered", f"no bot is registered as {bot.text('registered')!r}{hint}")
        return spare
    if known.revoked is not None:
        bot.problem(
            "registered", f"the token of {known.name!r} was revoked; `referee bot add` gives a new one"
        )
    if owned_by and owned_by != known.owner:
        bot.problem("owner", f"{known.name!r} is registered as a bot of {known.owner!r}")
    return Entry(name, known.owner, known.bot_id, (), house=False)

"""Bots as they are named on a command line or in a tournament file."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from referee.errors import LaunchError, UsageError
from referee.server.resolve import display_name, fingerprint, resolve, split_name, unique_names
from referee.store.bots import HOUSE_BOTS
from referee.tournament import names


@dataclass(frozen=True, slots=True)
class Entry:
    """A bot of the command line.

    `name` is its own in this call, and what people see. `owner` is the same for all copies of one
    bot, and is another one for another command: the name that was given, a house name, or the name
    of the program with a mark that its command makes. `bot_id` has its results put together over
    many calls, whatever the order in which bots are named.
    """

    name: str
    owner: str
    bot_id: str
    command: tuple[str, ...]
    house: bool


def entries(texts: Sequence[str], game: str) -> tuple[Entry, ...]:
    """Returns the bots of a command line, or raises `UsageError`; nothing is started."""
    given = [split_name(text) for text in texts]
    try:
        found = [tuple(resolve(command, game)) for _, command in given]
    except LaunchError as error:
        raise UsageError(str(error)) from None
    _check_names(given)
    shown = [name or display_name(command) for name, command in given]
    unique = unique_names(shown)
    for name, (_, text) in zip(unique, given, strict=True):
        if names.is_label(name) or not names.is_line(name):
            raise UsageError(f"bot {text!r} cannot be called {name!r}; give it another name, as NAME=COMMAND")
    copies: Counter[str] = Counter()
    made = []
    for base, name, (own, text), command in zip(shown, unique, given, found, strict=True):
        house = text.strip() in HOUSE_BOTS
        owner = own or (base if house else f"{base}@{fingerprint(command)}")
        copies[owner] += 1
        copy = f"-{copies[owner]}" if copies[owner] > 1 else ""
        made.append(Entry(name, owner, f"{owner}/{base}{copy}", command, house))
    return tuple(made)


def _check_names(given: Sequence[tuple[str | None, str]]) -> None:
    """Raises `UsageError` for a name of two different commands, or of a house bot that it is not."""
    commands: dict[str, str] = {}
    for name, command in given:
        if name is None:
            continue
        if name.casefold() in HOUSE_BOTS and command != name.casefold():
            raise UsageError(f"bot {name}={command}: {name} is the name of a house bot; take another")
        if commands.setdefault(name.casefold(), command) != command:
            raise UsageError(f"bot {name}={command}: another command has this name; take another")

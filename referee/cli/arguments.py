"""Arguments that the commands which play matches share."""

import os
from collections.abc import Sequence
from typing import Annotated, NamedTuple

import typer

from referee.cli import roots
from referee.errors import OptionError, UsageError
from referee.games import REGISTRY, find
from referee.games.info import GameInfo, OptionValue
from referee.match.config import Penalties, TimeControl, parse_span
from referee.tournament import names

BOTS_HELP = (
    "A house bot (easy, normal, expert) or a command in one word, with a name of its own before it if it is"
    " to have one: [NAME=]COMMAND, as in deep='python3 mybot.py --depth 3'. A NAME is 1 to 64 letters,"
    " digits, '.', '_' or '-'. Without one a bot is called after its program, and another command is"
    " another bot in the standings; with one it stays the same bot whatever its command becomes."
)
BotsArgument = Annotated[list[str], typer.Argument(metavar="BOT", help=BOTS_HELP)]
GameOption = Annotated[str, typer.Option("--game", metavar="GAME", help="The game to play.")]


def _options_help() -> str:
    games = (
        f"{game.info.name} has " + ", ".join(f"{one.name}={one.default}" for one in game.info.options)
        for game in REGISTRY
    )
    return f"An option of the game; may be repeated. With its defaults, {'; '.join(games)}."


OptionsOption = Annotated[
    list[str] | None, typer.Option("--option", "-o", metavar="NAME=VALUE", help=_options_help())
]
TimeOption = Annotated[
    str | None,
    typer.Option(
        "--time",
        metavar="CONTROL",
        help="Base per turn + increment per deal, bank, limits to join and to start."
        f" Default: {TimeControl()}.",
    ),
]
StrikesOption = Annotated[
    int | None,
    typer.Option(
        "--strikes",
        metavar="NUMBER",
        min=1,
        help=f"How many strikes are a forfeit. Default: {Penalties().strikes}.",
    ),
]
RetriesOption = Annotated[
    int | None,
    typer.Option(
        "--retries",
        metavar="NUMBER",
        min=0,
        help=f"How many refused answers a turn allows. Default: {Penalties().retries}.",
    ),
]
SeedOption = Annotated[
    int | None,
    typer.Option(
        "--seed", metavar="NUMBER", min=0, help="Derive all deals from a number; they prove nothing then."
    ),
]
UnratedOption = Annotated[
    bool,
    typer.Option(
        "--unrated",
        help="Play for no rating: unrated matches do not enter the standings; nor do those with --seed.",
    ),
]
DataOption = roots.DataOption
StoreOption = roots.StoreOption
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]

GAME = "block_dominoes"
"""The game that is played unless another is named."""


def examples(*lines: str) -> str:
    """Returns examples for the end of a help text, one a line."""
    return "\n\n".join(("Examples:", *lines))


class Rules(NamedTuple):
    """What is played and how: a game, all its options, time control and penalties."""

    info: GameInfo
    options: dict[str, OptionValue]
    time: TimeControl
    penalties: Penalties


def match_rules(
    game: str, option: Sequence[str] | None, time: str | None, strikes: int | None, retries: int | None
) -> Rules:
    """Returns what the options of a command line come to; raises `UsageError`."""
    info, usual = find(game).info, Penalties()
    penalties = Penalties(
        strikes=usual.strikes if strikes is None else strikes,
        retries=usual.retries if retries is None else retries,
    )
    penalties.check()
    return Rules(
        info, game_options(info, option), TimeControl.parse(time) if time else TimeControl(), penalties
    )


def game_options(info: GameInfo, given: Sequence[str] | None) -> dict[str, OptionValue]:
    """Returns all options of a game by name; raises `UsageError` for one that it does not have."""
    named: dict[str, OptionValue] = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals or name in named:
            raise UsageError(f"option {text!r}: write each option once, as NAME=VALUE")
        named[name] = value
    try:
        return info.resolve(named)
    except OptionError as error:
        raise UsageError(str(error)) from None


def owner(text: str | None) -> str:
    """Returns an owner that was named, empty where none was; raises `UsageError` for one that cannot be."""
    return "" if text is None else names.owner(text)


def span(option: str, text: str) -> int:
    """Returns the time that an option gives, in microseconds; raises `UsageError` that names the option."""
    try:
        return parse_span(text)
    except UsageError as error:
        raise UsageError(f"{option} {error}") from None


def spare_cores() -> int:
    """Returns how many matches to play at once: one core stays free for the bots to think."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores - 1)

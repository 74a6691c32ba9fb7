"""Arguments that the commands which play matches share."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from referee.errors import OptionError, UsageError
from referee.games.base import GameInfo, OptionValue

BotsArgument = Annotated[
    list[str],
    typer.Argument(metavar="BOT...", help="A house bot (easy, normal, expert), or a command in one word."),
]
GameOption = Annotated[str, typer.Option("--game", help="The game to play.")]
OptionsOption = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", metavar="NAME=VALUE", help="An option of the game; may be repeated."),
]
TimeOption = Annotated[
    str | None,
    typer.Option(
        "--time",
        metavar="CONTROL",
        help="Base per turn + increment per deal, bank, limits to join and to start.",
        show_default="5s+0,bank=60s,join=60s,start=20s",
    ),
]
SeedOption = Annotated[
    int | None,
    typer.Option("--seed", min=0, help="Derive all deals from a number; they prove nothing then."),
]
DataOption = Annotated[
    Path, typer.Option("--data", envvar="REFEREE_DATA", help="Folder of replays/ and referee.db.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]

GAME = "block_dominoes"
"""The game that is played unless another is named."""


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


def spare_cores() -> int:
    """Returns how many matches to play at once: one core stays free for the bots to think."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores - 1)


def seat_range(info: GameInfo) -> str:
    """Returns how many a game seats, in words."""
    if info.min_seats == info.max_seats:
        return str(info.min_seats)
    return f"{info.min_seats} to {info.max_seats}"

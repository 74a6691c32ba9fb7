"""The two ways to start a bot: `run` from Python, `main` with a command line of its own."""

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from typing import Unpack

from referee.bot.connection import Connection, Refused
from referee.bot.session import About, Bot, Choose, ChooseBatch, one_by_one


def run(
    choose: Choose | None = None,
    *,
    choose_batch: ChooseBatch | None = None,
    server: str | None = None,
    token: str | None = None,
    games: Sequence[str],
    **about: Unpack[About],
) -> None:
    """Connects to the referee and plays until the bot is told to leave.

    Give `choose(turn)`, or `choose_batch(turns)` that gets all turns of one message and returns as
    many answers. `server` (host:port) and `token` come from `REFEREE_ADDRESS` and `REFEREE_TOKEN`
    unless given. `about` are the fields of `About`.

    Answers that are refused: `on_rejected` is told, `choose` is asked once more about the same turn
    with `turn.rejected` set, and if that is refused too the first legal action is played.

    Exits with a line on stderr and status 1 when the referee will not have the bot. What a `choose`
    or a hook raises comes out of here, so that an uncaught error ends the bot with its traceback.
    """
    if (choose is None) == (choose_batch is None):
        raise TypeError("give either choose or choose_batch")
    batch = one_by_one(choose) if choose is not None else choose_batch
    assert batch is not None  # noqa: S101 -- one of the two was given
    bot = Bot(choose_batch=batch, games=games, **about)
    address = server or _from_environment("REFEREE_ADDRESS", "--server HOST:PORT")
    secret = token or _from_environment("REFEREE_TOKEN", "--token TOKEN")
    bot.on_start()
    try:
        asyncio.run(_play(bot, address, secret))
    except Refused as refusal:
        sys.exit(f"bot: {refusal}")


def main(
    choose: Choose | None = None,
    *,
    choose_batch: ChooseBatch | None = None,
    argv: Sequence[str] | None = None,
    games: Sequence[str],
    **about: Unpack[About],
) -> None:
    """Does as `run`, with `--server`, `--token`, `--instance` and `--matches` from the command line."""
    parser = argparse.ArgumentParser(description="Connects this bot to a referee and plays.")
    parser.add_argument("--server", help="host:port of the referee; default REFEREE_ADDRESS")
    parser.add_argument("--token", help="the bot's token; default REFEREE_TOKEN")
    parser.add_argument("--instance", help="tells several processes of one bot apart")
    parser.add_argument("--matches", type=int, help="how many matches to play at once")
    given = parser.parse_args(argv)
    if given.instance is not None:
        about["instance"] = given.instance
    if given.matches is not None:
        about["matches_at_once"] = given.matches
    run(
        choose,
        choose_batch=choose_batch,
        server=given.server,
        token=given.token,
        games=games,
        **about,
    )


async def _play(bot: Bot, address: str, token: str) -> None:
    await Connection(bot, address, token).run()


def _from_environment(variable: str, option: str) -> str:
    value = os.environ.get(variable)
    if not value:
        sys.exit(f"bot: {variable} is not set; set it, or give {option}")
    return value

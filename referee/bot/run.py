"""The two ways to start a bot: `run` from Python, `main` with a command line of its own."""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from typing import Unpack

from referee.bot.connection import Connection, Refused
from referee.bot.endpoint import Endpoint, Roots, find, seconds
from referee.bot.practice import LEVELS
from referee.bot.session import About, Bot, Choose, ChooseBatch, one_by_one
from referee.bot.telling import misused, printable


def run(
    choose: Choose | None = None,
    *,
    choose_batch: ChooseBatch | None = None,
    server: str | None = None,
    token: str | None = None,
    tls: Roots | None = None,
    keepalive: float | None = None,
    games: Sequence[str],
    **about: Unpack[About],
) -> None:
    """Connects to the referee and plays until the bot is told to leave.

    Give `choose(turn)`, or `choose_batch(turns)` that gets all turns of one message and returns as
    many answers. `about` are the fields of `About`. Unless given, `server` (host:port) and `token`
    come from `REFEREE_ADDRESS` and `REFEREE_TOKEN`; `tls`, which is True or the path of a PEM file
    with root certificates, from `REFEREE_TLS=1` or `REFEREE_CA`, and without them nothing is
    encrypted; `keepalive`, the seconds between two pings, from `REFEREE_KEEPALIVE`, and else it is 20.

    Answers that are refused: `on_rejected` is told, `choose` is asked once more about the same turn
    with `turn.rejected` set, and if that is refused too the first legal action is played.

    Exits with a line on stderr, and status 1 when the referee will not have the bot, or 2 when it is
    not told where the referee is and how to get there. What a `choose` or a hook raises comes out of
    here once the stream is closed, so that an uncaught error ends the bot with its traceback. Neither
    this nor `main` cuts the process short: the program may go on, and when it ends, its files are
    flushed and its exit handlers run.
    """
    if (choose is None) == (choose_batch is None):
        raise TypeError("give either choose or choose_batch")
    _check_level(about)
    batch = one_by_one(choose) if choose is not None else choose_batch
    assert batch is not None  # noqa: S101 -- one of the two was given
    bot = Bot(choose_batch=batch, games=games, **about)
    endpoint = find(server, token, tls, keepalive)
    bot.on_start()
    try:
        asyncio.run(_play(bot, endpoint))
    except Refused as refusal:
        sys.exit(f"bot: {printable(str(refusal))}")


def main(
    choose: Choose | None = None,
    *,
    choose_batch: ChooseBatch | None = None,
    argv: Sequence[str] | None = None,
    games: Sequence[str],
    **about: Unpack[About],
) -> None:
    """Does as `run`, with the options of `--help` from the command line.

    Arguments that it does not know are the bot's own, to be read from `sys.argv`, and left alone.
    """
    given, _ = _parser().parse_known_args(argv)
    if given.instance is not None:
        about["instance"] = given.instance
    if given.matches is not None:
        about["matches_at_once"] = given.matches
    if given.practice is not None:
        about["practice"] = given.practice
    if given.verbose:
        about["verbose"] = True
    run(
        choose,
        choose_batch=choose_batch,
        server=given.server,
        token=given.token,
        tls=given.ca or given.tls,
        keepalive=given.keepalive,
        games=games,
        **about,
    )


def options() -> argparse.ArgumentParser:
    """Returns what reads the options of `main`: a parent for a parser with options of the bot's own."""
    # No abbreviations: `--in` may be an option of the bot's own.
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--server", help="host:port of the referee; default REFEREE_ADDRESS")
    parser.add_argument("--token", help="the bot's token; default REFEREE_TOKEN")
    parser.add_argument("--tls", action="store_true", default=None, help="encrypt; default REFEREE_TLS")
    parser.add_argument(
        "--ca", metavar="FILE", help="encrypt, and trust the root certificates in FILE; default REFEREE_CA"
    )
    parser.add_argument(
        "--keepalive",
        type=seconds,
        metavar="SECONDS",
        help="time between two pings; default REFEREE_KEEPALIVE, or 20",
    )
    parser.add_argument("--instance", help="tells several processes of one bot apart")
    parser.add_argument("--matches", type=int, help="how many matches to play at once")
    parser.add_argument(
        "--practice",
        metavar="LEVEL",
        help=f"play one unrated match of each game against house bots ({', '.join(LEVELS)}), and leave",
    )
    parser.add_argument(
        "--verbose", action="store_true", help="tell of connections and results even where no terminal is"
    )
    return parser


def _parser() -> argparse.ArgumentParser:
    description = "Connects this bot to a referee and plays."
    return argparse.ArgumentParser(description=description, parents=[options()], allow_abbrev=False)


def _check_level(about: About) -> None:
    """Ends the process with one line where practice is wished for against no level that there is."""
    level = about.get("practice")
    if level is not None and level not in LEVELS:
        misused(f"no house bots have the level {level!r}; practise against {', '.join(LEVELS)}")


async def _play(bot: Bot, endpoint: Endpoint) -> None:
    await Connection(bot, endpoint).run()

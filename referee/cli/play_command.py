"""`referee play`: a person plays a match against house bots, at this terminal."""

import asyncio
import contextlib
import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee.cli import arguments as args
from referee.cli.interrupt import EXIT_INTERRUPTED
from referee.cli.printing import tell, warn
from referee.errors import LaunchError, RefereeError, UsageError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from referee.bot.endpoint import Endpoint
    from referee.person.player import Player
    from referee.person.seat import Wish

EXAMPLES = args.examples(
    "referee play",
    "referee play --game mexican_train --level expert --option deals=1",
    "referee play --game guan_pai --server arena.example.org:7700 --tls",
)
_LEVELS = ("easy", "normal", "expert")


def register(app: typer.Typer) -> None:
    """Adds `play`."""
    app.command("play", epilog=EXAMPLES)(_play)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """What is played, as whom, and where: on a server, or here where none is named."""

    wish: "Wish"
    name: str
    data: Path
    store: str | None
    endpoint: "Endpoint | None"


def _play(
    game: args.GameOption = args.GAME,
    level: Annotated[
        str, typer.Option("--level", metavar="LEVEL", help=f"The house bots: {', '.join(_LEVELS)}.")
    ] = "easy",
    option: args.OptionsOption = None,
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="What you are called.")] = "You",
    data: args.DataOption = Path(),
    store: args.StoreOption = None,
    server: Annotated[
        str,
        typer.Option(
            "--server",
            metavar="HOST:PORT",
            help="A server that seats people. Default: play here.",
            show_default=False,
        ),
    ] = "",
    token: Annotated[
        str,
        typer.Option(metavar="TOKEN", envvar="REFEREE_TOKEN", help="Your token there.", show_default=False),
    ] = "",
    tls: Annotated[bool, typer.Option("--tls", help="Encrypt, with the usual root certificates.")] = False,
    ca: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Encrypt, with the root certificates of a PEM file."),
    ] = None,
) -> None:
    """Play a match yourself, against house bots of one level: unrated, ten minutes for each turn."""
    from referee.cli.app import EXIT_NOT_STARTED
    from referee.cli.loop import run

    plan = _Plan(
        wish=_wish(game, level, option),
        name=_name(name),
        data=data,
        store=store,
        endpoint=_endpoint(server, token, ca, tls=tls) if server else None,
    )
    try:
        status = run(_sit_down(plan))
    except LaunchError as error:
        warn(f"referee: no match could start: {error}")
        status = EXIT_NOT_STARTED
    raise typer.Exit(status)


def _wish(game: str, level: str, option: list[str] | None) -> "Wish":
    from referee.games import find
    from referee.person.seat import Wish

    info = find(game).info
    if level not in _LEVELS:
        raise UsageError(f"--level {level}: name one of {', '.join(_LEVELS)}")
    args.game_options(info, option)  # raises for what cannot be
    given = dict(text.split("=", 1) for text in option or ())
    return Wish(game=info.name, level=level, options=given)


def _name(text: str) -> str:
    from referee.server.house.people import person_name

    return person_name(text)


def _endpoint(server: str, token: str, ca: Path | None, *, tls: bool) -> "Endpoint":
    import grpc

    from referee.bot.endpoint import Endpoint
    from referee.replay.opening import KEY, content

    if not token:
        raise UsageError("a server asks for a token; give that of a registered bot with --token")
    try:
        roots = content(ca, KEY) if ca else None
    except OSError as error:
        raise UsageError(f"{ca}: {error.strerror}; name a file of root certificates in PEM") from None
    return Endpoint(server, token, grpc.ssl_channel_credentials(roots) if tls or ca else None)


async def _sit_down(plan: _Plan) -> int:
    from referee.cli.app import EXIT_NOT_STARTED
    from referee.person.seat import Phase

    if plan.endpoint:
        from referee.person.player import Player

        player = Player(plan.endpoint, plan.wish)
        stayed = await _at_terminal(player)
    else:
        async with _here(plan) as (player, leave):
            stayed = await _at_terminal(player)
            if not stayed:
                leave()
    seat = player.seat
    if seat.phase is Phase.REFUSED:
        warn(f"referee: no match could start: {seat.note}")
        return EXIT_NOT_STARTED
    if seat.phase is Phase.LOST and stayed:
        raise RefereeError(f"the seat is lost: {seat.note}")
    if stayed and seat.started:
        _tell_log(plan, seat.started.match_id)
    return 0


async def _at_terminal(player: "Player") -> bool:
    """Plays to the end of the match; says whether it came to one, and was not left."""
    from referee.cli.play_input import Lines
    from referee.cli.play_terminal import Terminal

    left = _interrupts()
    playing = asyncio.ensure_future(Terminal(player, Lines()).play())
    either: set[asyncio.Future[Any]] = {playing, left}
    await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
    stayed = playing.done() and playing.result()
    playing.cancel()
    left.cancel()
    await player.close()
    if not stayed:
        warn("\nyou have left the match" if sys.stdout.isatty() else "you have left the match")
    return stayed


def _interrupts() -> "asyncio.Future[None]":
    """Returns what is done at the first interrupt; another one ends the command at once."""
    loop = asyncio.get_running_loop()
    heard: asyncio.Future[None] = loop.create_future()

    def hear() -> None:
        if heard.done():
            os._exit(EXIT_INTERRUPTED)
        heard.set_result(None)

    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):  # the loop of Windows has none
            loop.add_signal_handler(number, hear)
    return heard


@contextlib.asynccontextmanager
async def _here(plan: _Plan) -> "AsyncIterator[tuple[Player, Callable[[], None]]]":
    """Has a server of its own for one match; yields the seat, and what voids the match."""
    from referee.bot.endpoint import Endpoint
    from referee.cli.runs import new_run
    from referee.engine.local import LOG, STOP, output_folder
    from referee.person.player import Player
    from referee.server import logs
    from referee.server.app import Arena
    from referee.server.config import ArenaConfig
    from referee.server.house.config import PeopleRules

    outputs = output_folder(plan.data, new_run("play"))
    outputs.mkdir(parents=True, exist_ok=True)
    with (outputs / LOG).open("a", encoding="utf-8") as log:
        logs.configure(stream=log)
        people = PeopleRules(levels=(plan.wish.level,))
        arena = Arena(ArenaConfig(data=plan.data, store=plan.store, people=people))
        await arena.start()
        try:
            assert arena.people is not None  # noqa: S101  -- it was configured
            door, ticket = arena.people, arena.people.admit(plan.name)
            player = Player(Endpoint(ticket.address, ticket.token), plan.wish)
            yield player, lambda: door.call_off(ticket, "the person left")
        finally:
            await arena.stop(STOP)


def _tell_log(plan: _Plan, match_id: str) -> None:
    from referee.server.logbook import find_log

    path = None if plan.endpoint else find_log(plan.data, match_id)
    if path:
        tell(f"look at it again: referee replay show {path}")

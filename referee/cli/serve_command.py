"""`referee serve`: listens for bots and plays them against each other until it is told to stop."""

import asyncio
import os
import shlex
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli import arguments as args
from referee.cli.interrupt import EXIT_INTERRUPTED
from referee.errors import UsageError

if TYPE_CHECKING:
    from referee.server.config import ArenaConfig, Tls

INTERRUPT_GRACE = 2.0
"""Seconds that running matches get to finish after an interrupt; SIGTERM gives them `--drain`."""


def register(app: typer.Typer) -> None:
    """Adds `serve`."""
    app.command("serve")(_serve)


def _serve(
    data: args.DataOption = Path(),
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = 0,
    game: Annotated[
        list[str] | None, typer.Option(help="A game of the open tables; may be repeated. Default: all.")
    ] = None,
    option: args.OptionsOption = None,
    time: args.TimeOption = None,
    drain: Annotated[
        str, typer.Option(help="How long running matches may take to finish after SIGTERM.")
    ] = "30s",
    tls_cert: Annotated[Path | None, typer.Option(help="Certificate chain, PEM.")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="Private key of the certificate, PEM.")] = None,
    sign_key: Annotated[
        Path | None, typer.Option(help="Ed25519 private key, PEM, that signs each finished log.")
    ] = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Listen in plain text where others can hear it.")
    ] = False,
) -> None:
    """Listen for bots and seat whoever waits; stop with an interrupt, resume with the same command."""
    from referee import games
    from referee.cli.loop import run
    from referee.match.config import SECOND, TimeControl
    from referee.server import logs
    from referee.server.config import ArenaConfig, OpenTable

    named = [games.find(name) for name in game or games.names()]
    if option and len(named) > 1:
        raise UsageError("--option needs --game: an option belongs to one game")
    config = ArenaConfig(
        data=data,
        host=host,
        port=port,
        auto_pair=True,
        tables=tuple(
            OpenTable(game=one.info.name, options=args.game_options(one.info, option)) for one in named
        ),
        time_control=TimeControl.parse(time) if time else TimeControl(),
        tls=_tls(tls_cert, tls_key),
        insecure=insecure,
        sign_key=sign_key,
        recover=True,
    )
    grace = TimeControl.parse(drain).base / SECOND
    logs.configure()
    raise typer.Exit(run(_run(config, grace)))


async def _run(config: "ArenaConfig", drain: float) -> int:
    from referee.server.app import Arena

    arena = Arena(config)
    address = await arena.start()
    again = _again(sys.argv[2:], address.rpartition(":")[2])
    stop = _StopSignal(again)
    print(f"LISTENING {address}", flush=True)
    interrupted = await stop.heard
    await arena.stop(INTERRUPT_GRACE if interrupted else drain)
    count = len(arena.suspended)
    if count:
        matches = "1 match is" if count == 1 else f"{count} matches are"
        print(f"{matches} suspended; to go on within 60 s: {again}", file=sys.stderr, flush=True)
    return EXIT_INTERRUPTED if interrupted else 0


class _StopSignal:
    """Hears the first signal to stop; a second one ends the process at once.

    `heard` is done with whether it was a person's interrupt, and not SIGTERM.
    """

    def __init__(self, again: str) -> None:
        loop = asyncio.get_running_loop()
        self.heard: asyncio.Future[bool] = loop.create_future()
        self._again = again
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._hear, number)

    def _hear(self, number: signal.Signals) -> None:
        if self.heard.done():
            print(f"to go on within 60 s: {self._again}", file=sys.stderr, flush=True)
            os._exit(EXIT_INTERRUPTED)
        interrupted = number == signal.SIGINT
        self.heard.set_result(interrupted)
        text = "stopping, press again to force" if interrupted else "draining, signal again to force"
        print(text, file=sys.stderr, flush=True)


def _again(given: Sequence[str], port: str) -> str:
    """Returns the command that resumes: the same one, on the port that was taken."""
    kept: list[str] = []
    skip = False
    for word in given:
        if not skip and not word.startswith("--port"):
            kept.append(word)
        skip = word == "--port"
    return shlex.join(["referee", "serve", *kept, "--port", port])


def _tls(certificate: Path | None, key: Path | None) -> "Tls | None":
    from referee.server.config import Tls

    if certificate and key:
        return Tls(certificate=certificate, key=key)
    if certificate or key:
        raise UsageError("TLS needs both --tls-cert and --tls-key")
    return None

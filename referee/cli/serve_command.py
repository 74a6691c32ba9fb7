"""`referee serve`: listens for bots and plays them against each other until it is told to stop."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli import arguments as args
from referee.cli.interrupt import EXIT_INTERRUPTED
from referee.cli.printing import tell, warn
from referee.errors import UsageError

if TYPE_CHECKING:
    from referee.cli.serve_site import ArenaSite, Place
    from referee.server.app import Arena
    from referee.server.config import ArenaConfig, Tls

EXAMPLES = args.examples(
    "referee serve --port 7700",
    "referee serve --port 7700 --game block_dominoes --option target=50 --time 2s+0,bank=30s",
    "referee serve --port 7700 --ladder ladder.toml --http 8080",
    "referee serve --host 0.0.0.0 --port 7700 --tls-cert chain.pem --tls-key key.pem",
)


def register(app: typer.Typer) -> None:
    """Adds `serve`."""
    app.command("serve", epilog=EXAMPLES)(_serve)


def _serve(
    data: args.DataOption = Path(),
    store: args.StoreOption = None,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="PORT", min=0, max=65535, help="The port; 0 takes a free one.")
    ] = 0,
    game: Annotated[
        list[str] | None,
        typer.Option(metavar="GAME", help="A game of the open tables; may be repeated. Default: all."),
    ] = None,
    seats: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER", min=1, help="Seats of a table. Default: four, or as near as the game comes."
        ),
    ] = None,
    option: args.OptionsOption = None,
    time: args.TimeOption = None,
    ladder: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Play the ladder of a TOML file instead of open tables."),
    ] = None,
    admin: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="A loopback address and port for the operator. Default: a socket in the data folder.",
        ),
    ] = "",
    drain: Annotated[
        str,
        typer.Option(metavar="TIME", help="How long running matches may go on after SIGTERM."),
    ] = "30s",
    tls_cert: Annotated[Path | None, typer.Option(metavar="FILE", help="Certificate chain, PEM.")] = None,
    tls_key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Private key of the certificate, PEM.")
    ] = None,
    sign_key: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Ed25519 private key, PEM, that signs each finished log."),
    ] = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Listen in plain text where others can hear it.")
    ] = False,
    private: Annotated[
        bool,
        typer.Option("--private", help="Show matches and standings to nobody without the token of a bot."),
    ] = False,
    http: Annotated[
        str,
        typer.Option(
            metavar="[HOST:]PORT",
            help="Serve the web site there too; 0 takes a free port. Default host: that of --host.",
        ),
    ] = "",
    http_proxy: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS[,ADDRESS]",
            help="Proxies before the site: they are believed whom a request is from. Default: none.",
        ),
    ] = "",
    watch_delay: Annotated[
        int | None,
        typer.Option(
            metavar="PLIES",
            min=0,
            help="Actions that have to follow on what spectators are told. Default: 8, or the ladder's.",
        ),
    ] = None,
) -> None:
    """Listen for bots and seat whoever waits; stop with an interrupt, resume with the same command."""
    from referee.cli.loop import run
    from referee.match.config import SECOND
    from referee.replay.signature import Signer
    from referee.server import logs
    from referee.server.config import ArenaConfig
    from referee.server.house.config import PeopleRules, PracticeRules

    asked = {"--game": game, "--seats": seats, "--option": option, "--time": time}
    config = ArenaConfig(
        data=data,
        store=store,
        host=host,
        port=port,
        tls=tls_of(tls_cert, tls_key),
        insecure=insecure,
        sign_key=sign_key,
        recover=True,
        admin=admin,
        drain=args.span("--drain", drain),
        public=not private,
    )
    if ladder:
        config = _with_ladder(config, ladder, [name for name, value in asked.items() if value])
    else:
        config = _with_tables(config, game, seats, option, time)
    if watch_delay is not None:
        config = replace(config, watch_delay=watch_delay)
    if sign_key:
        Signer.load(sign_key)  # nothing is made with a key that cannot sign
    if http_proxy and not http:
        raise UsageError("--http-proxy is about the site; it needs --http")
    place = _site(http, http_proxy, config) if http else None
    if place:
        config = replace(config, people=PeopleRules(), practice=None if config.ladder else PracticeRules())
    logs.configure()
    raise typer.Exit(run(_run(config, place, config.drain / SECOND)))


def _site(text: str, proxies: str, config: "ArenaConfig") -> "Place":
    """Listens for the site; raises `UsageError` where that cannot be."""
    try:
        from referee.cli.serve_site import Place
    except ModuleNotFoundError as error:
        missing = str(error.name).partition(".")[0]
        raise UsageError(
            f"--http needs {missing}: run pip install -e '.[web]' in the referee's folder"
        ) from None
    return Place.listen(text, proxies, config)


def _with_tables(
    config: "ArenaConfig",
    game: list[str] | None,
    seats: int | None,
    option: list[str] | None,
    time: str | None,
) -> "ArenaConfig":
    from referee import games
    from referee.match.config import TimeControl
    from referee.server.config import OpenTable

    named = [games.find(name) for name in game or games.names()]
    if (option or seats) and len(named) > 1:
        word = "--option" if option else "--seats"
        raise UsageError(f"{word} is for one game; name it, and no other, with --game")
    tables = tuple(
        OpenTable(game=one.info.name, options=args.game_options(one.info, option), seats=seats or 0)
        for one in named
    )
    control = TimeControl.parse(time) if time else TimeControl()
    return replace(config, auto_pair=True, tables=tables, time_control=control)


def _with_ladder(config: "ArenaConfig", file: Path, asked: list[str]) -> "ArenaConfig":
    from referee.organiser.ladder_file import read_ladder, tells

    if asked:
        raise UsageError(f"{asked[0]} is for open tables; {file} says what is played on the ladder")
    found = read_ladder(file)
    warn(tells(found.ladder))
    return replace(
        config,
        ladder=found.ladder,
        time_control=found.time_control,
        penalties=found.penalties,
        watch_delay=found.watch_delay,
    )


async def _run(config: "ArenaConfig", place: "Place | None", drain: float) -> int:
    import structlog

    from referee.cli.serve_stop import StopSignal, again_of, tell_again, told_to_stop
    from referee.server.app import Arena

    arena = Arena(config)
    address = await arena.start()
    again = again_of(sys.argv[2:], address.rpartition(":")[2])
    stop = StopSignal(arena, drain, again)
    tell(f"LISTENING {address}", flush=True)
    structlog.get_logger("referee.serve").info("serving", address=address, data=str(config.data.absolute()))
    site = await _open_site(arena, place) if place else None
    interrupted = await told_to_stop(arena, stop)
    if site:
        site.drain(stop.grace)
    await arena.stop(stop.grace, site.stop if site else None)
    if arena.suspended:
        tell_again(len(arena.suspended), again)
    return EXIT_INTERRUPTED if interrupted else 0


async def _open_site(arena: "Arena", place: "Place") -> "ArenaSite":
    """Opens the site; where that cannot be, the arena is stopped, for nobody asked for half of it."""
    from referee.cli.serve_site import ArenaSite

    try:
        site = ArenaSite(arena, place)
    except BaseException:
        await arena.stop(0)
        raise
    site.start()
    tell(f"SITE {site.url}", flush=True)
    return site


def tls_of(certificate: Path | None, key: Path | None) -> "Tls | None":
    """Returns the certificate to serve with, None for none; raises `UsageError` for half of one."""
    from referee.server.config import Tls

    if certificate and key:
        return Tls(certificate=certificate, key=key)
    if certificate or key:
        raise UsageError("TLS needs both --tls-cert and --tls-key")
    return None

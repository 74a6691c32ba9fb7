"""`referee tournament`: plays a tournament by its file, and shows what it is and how it stands."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli import arguments as args
from referee.cli import tournament_decide
from referee.cli.printing import answer, json_of, refuse, tell, warn
from referee.cli.tournament_file import NAMED, begun, sources
from referee.errors import LaunchError, RefereeError

if TYPE_CHECKING:
    from referee.cli.tournament_file import Source
    from referee.organiser.run import How, Report

FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="A tournament file, in TOML.")]
ParallelOption = Annotated[
    int | None,
    typer.Option(
        "--parallel",
        metavar="NUMBER",
        min=1,
        help="Matches at once. Default: as the file says, or one less"
        " than there are cores, which leaves one to the bots.",
    ),
]
HostOption = Annotated[
    str, typer.Option("--host", metavar="ADDRESS", help="The address on which registered bots dial in.")
]
PortOption = Annotated[
    int, typer.Option("--port", metavar="PORT", min=0, max=65535, help="Its port; 0 takes a free one.")
]
CertOption = Annotated[
    Path | None, typer.Option("--tls-cert", metavar="FILE", help="Certificate chain, PEM.")
]
KeyOption = Annotated[
    Path | None, typer.Option("--tls-key", metavar="FILE", help="Private key of the certificate, PEM.")
]
InsecureOption = Annotated[
    bool, typer.Option("--insecure", help="Listen in plain text where others can hear it.")
]
SignOption = Annotated[
    Path | None,
    typer.Option(
        "--sign-key",
        metavar="FILE",
        help="Ed25519 private key, PEM, that signs each finished log and in the end the standings.",
    ),
]

_LOOPBACK = "127.0.0.1"
EXAMPLES = args.examples(
    "referee tournament plan cup.toml --limit 20",
    "referee tournament run cup.toml",
    "referee tournament status cup",
    "referee tournament void cup 0194... --why 'the power failed'",
)


def register(app: typer.Typer) -> None:
    """Adds `tournament` and its commands."""
    group = typer.Typer(
        help="Play a tournament by a file, so that every pairing is played once.", epilog=EXAMPLES
    )
    group.command("plan")(_plan)
    group.command("run")(_run)
    group.command("resume")(_resume)
    group.command("status")(_status)
    group.command("list")(_list)
    tournament_decide.register(group)
    app.add_typer(group, name="tournament", no_args_is_help=True)


def _plan(
    file: FileArgument,
    limit: Annotated[
        int, typer.Option("--limit", metavar="NUMBER", min=0, help="How many pairings to list.")
    ] = 20,
    data: args.DataOption = Path(),
    store: args.StoreOption = None,
    parallel: ParallelOption = None,
    as_json: args.JsonOption = False,
) -> None:
    """List the pairings and say what the tournament comes to; play nothing."""
    from referee.cli import tournament_table
    from referee.organiser.overview import plan_of

    source = sources(file, data, store)
    with source.store() as opened:
        plan = plan_of(source.tournament, opened, _parallel(source, parallel))
    if as_json:
        answer(json_of(tournament_table.plan_values(source.tournament, plan, limit)))
    else:
        tournament_table.show_plan(source.tournament, plan, limit)


def _run(
    file: FileArgument,
    data: args.DataOption = Path(),
    store: args.StoreOption = None,
    parallel: ParallelOption = None,
    host: HostOption = _LOOPBACK,
    port: PortOption = 0,
    tls_cert: CertOption = None,
    tls_key: KeyOption = None,
    insecure: InsecureOption = False,
    sign_key: SignOption = None,
    as_json: args.JsonOption = False,
    quiet: args.QuietOption = False,
) -> None:
    """Play a tournament, or what is missing of it; whatever ended the run before, nothing counts twice."""
    how = _how(data, store, host, port, tls_cert, tls_key, insecure=insecure, sign_key=sign_key)
    _carry_out(sources(file, data, store), how, parallel, as_json=as_json, quiet=quiet)


def _resume(
    name: NAMED,
    data: args.DataOption = Path(),
    store: args.StoreOption = None,
    parallel: ParallelOption = None,
    host: HostOption = _LOOPBACK,
    port: PortOption = 0,
    tls_cert: CertOption = None,
    tls_key: KeyOption = None,
    insecure: InsecureOption = False,
    sign_key: SignOption = None,
    as_json: args.JsonOption = False,
    quiet: args.QuietOption = False,
) -> None:
    """Play what is missing of a tournament that was begun."""
    how = _how(data, store, host, port, tls_cert, tls_key, insecure=insecure, sign_key=sign_key)
    _carry_out(begun(name, data, store), how, parallel, as_json=as_json, quiet=quiet)


def _status(
    name: NAMED,
    data: args.DataOption = Path(),
    store: args.StoreOption = None,
    as_json: args.JsonOption = False,
) -> None:
    """Show how far a tournament is, and what was decided about it."""
    from referee.cli import tournament_table
    from referee.organiser.overview import status_of

    source = begun(name, data, store)
    status = status_of(source.tournament, source.folder)
    if as_json:
        answer(json_of(tournament_table.status_values(status)))
    else:
        tournament_table.show_status(status, data, store)


def _list(data: args.DataOption = Path(), as_json: args.JsonOption = False) -> None:
    """List the tournaments that were begun."""
    from referee.cli.tables import console, say
    from referee.organiser.folder import names

    found = names(data)
    if as_json:
        answer(json_of({"tournaments": found}))
    elif found:
        for one in found:
            tell(one)
    else:
        say(console(), f"No tournament was begun under {data}.")


def _how(
    data: Path,
    store: str | None,
    host: str,
    port: int,
    tls_cert: Path | None,
    tls_key: Path | None,
    *,
    insecure: bool,
    sign_key: Path | None,
) -> "How":
    from referee.cli.serve_command import tls_of
    from referee.organiser.run import How

    return How(
        data=data,
        store=store,
        host=host,
        port=port,
        tls=tls_of(tls_cert, tls_key),
        insecure=insecure,
        sign_key=sign_key,
        told=warn,
    )


def _parallel(source: "Source", asked: int | None) -> int:
    return asked or source.tournament.running.concurrency or args.spare_cores()


def _carry_out(source: "Source", how: "How", parallel: int | None, *, as_json: bool, quiet: bool) -> None:
    from dataclasses import replace

    from referee.cli.app import EXIT_NOT_STARTED
    from referee.cli.loop import run
    from referee.replay.signature import Signer

    how = replace(how, parallel=_parallel(source, parallel))
    if how.sign_key:
        Signer.load(how.sign_key)  # nothing begins with a key that cannot sign
    with source.folder.locked():
        source.begin()
        try:
            status = run(_play(source, how, parallel, as_json=as_json, quiet=quiet))
        except LaunchError as error:
            refuse(f"no match could start: {error}")
            status = EXIT_NOT_STARTED
    raise typer.Exit(status)


async def _play(source: "Source", how: "How", parallel: int | None, *, as_json: bool, quiet: bool) -> int:
    from dataclasses import replace

    from referee.cli.app import EXIT_NOT_STARTED, EXIT_PLAYED
    from referee.cli.interrupt import EXIT_INTERRUPTED, Interrupt
    from referee.cli.match_result import remark
    from referee.cli.run_progress import shown
    from referee.cli.tables import console
    from referee.organiser.ending import Ending
    from referee.organiser.run import carry_out

    interrupt = Interrupt(_again(source, how, parallel))
    interrupt.install()
    remote = any(not bot.command for bot in source.tournament.bots)

    def served(address: str) -> None:
        if remote:
            port = int(address.rpartition(":")[2])
            interrupt.again = _again(source, replace(how, port=port), parallel)
            listening = f"LISTENING {address}"
            warn(listening) if as_json else tell(listening, flush=True)

    with shown(console(stderr=True), quiet=quiet, plain=True) as watch:
        playing = replace(how, watch=watch, served=served)
        try:
            report = await carry_out(source.tournament, source.folder, playing, interrupt.seen)
        except RefereeError:
            interrupt.tell_again()
            raise
    accepted = _tell(source, report, how, interrupt.again, as_json=as_json)
    remark(report.remains)
    if report.outcome.ending is Ending.INTERRUPTED:
        interrupt.tell_again()
        return EXIT_INTERRUPTED
    if report.outcome.ending is Ending.PAUSED:
        return EXIT_NOT_STARTED
    return EXIT_PLAYED if accepted else EXIT_NOT_STARTED


def _again(source: "Source", how: "How", parallel: int | None) -> str:
    """Returns the command that goes on as this one does, for bots from elsewhere at the same place."""
    from referee.cli.program import command

    options = {
        "--parallel": parallel,
        "--host": how.host if how.host != _LOOPBACK else None,
        "--port": how.port or None,
        "--tls-cert": how.tls.certificate if how.tls else None,
        "--tls-key": how.tls.key if how.tls else None,
        "--sign-key": how.sign_key,
    }
    words = [word for name, value in options.items() if value is not None for word in (name, str(value))]
    words += ["--insecure"] if how.insecure else []
    return command("tournament", "resume", source.tournament.name, *words, data=how.data, store=how.store)


def _tell(source: "Source", report: "Report", how: "How", again: str, *, as_json: bool) -> int:
    """Prints how a run ended, and returns how many matches were accepted so far."""
    from referee.cli import tournament_table
    from referee.cli.match_result import explain
    from referee.organiser.overview import status_of

    status = status_of(source.tournament, source.folder)
    if as_json:
        answer(json_of(tournament_table.run_values(status, report, how)))
    else:
        explain(report.exits)
        tournament_table.show_run(status, report, how, again)
    return status.accepted

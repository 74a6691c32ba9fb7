"""`referee bot check`: a conformance report for the author of a bot."""

import asyncio
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from referee.cli import arguments as args
from referee.cli.printing import answer, json_of, warn
from referee.errors import LaunchError, UsageError
from referee.tournament import names

if TYPE_CHECKING:
    from referee.check.run import Report, Subject
    from referee.check.scenario import Scenario, Terms
    from referee.cli.interrupt import Interrupt
    from referee.server.config import Tls

EXAMPLES = args.examples(
    "referee bot check -- sample_bots/python/first_bot.py",
    "referee bot check --game guan_pai --only refused --only late -- ./mybot --depth 3",
    "referee bot check --remote mybot --port 7700",
)
EXIT_FAILED = 1
"""Something that the guide asks of a bot was not met."""
_HOST = "127.0.0.1"
_TIME = "5s+0,bank=10s"
_IDLE = "30s"
_QUICK = "3s"
"""How long nothing is told in a short check."""
_ARRIVAL = 600
"""How long a remote bot may take to dial in, in seconds."""
_LOOPBACK_ONLY = (
    "{host} is not loopback: give --tls-cert and --tls-key, or say --insecure to send the token in plain text"
)


def register_in(group: typer.Typer) -> None:
    """Adds `check` to `bot`."""
    group.command("check", epilog=EXAMPLES)(_check)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the command line asks for; `command` is empty for a remote bot."""

    bot: str
    command: tuple[str, ...]
    scenarios: "tuple[Scenario, ...]"
    extra: tuple[str, ...]
    terms: "Terms"
    data: Path
    host: str
    port: int
    tls: "Tls | None"
    again: str


def _check(
    command: Annotated[
        list[str] | None, typer.Argument(metavar="[-- COMMAND...]", help="How the bot is started.")
    ] = None,
    remote: Annotated[
        str | None, typer.Option(metavar="NAME", help="Wait for a bot that dials in, instead of COMMAND.")
    ] = None,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Where a remote bot dials in.")] = _HOST,
    port: Annotated[int, typer.Option(metavar="PORT", min=0, max=65535, help="0 takes a free one.")] = 0,
    tls_cert: Annotated[Path | None, typer.Option(metavar="FILE", help="Certificate chain, PEM.")] = None,
    tls_key: Annotated[Path | None, typer.Option(metavar="FILE", help="Its private key, PEM.")] = None,
    insecure: Annotated[bool, typer.Option(help="Allow plain text beyond loopback.")] = False,
    game: Annotated[
        list[str] | None,
        typer.Option(
            "--game", metavar="GAME", help="A game to check; may be repeated. Default: all it plays."
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="SCENARIO", help="A scenario to run; may be repeated. Default: all."),
    ] = None,
    idle: Annotated[
        str | None, typer.Option(metavar="DURATION", help="How long nothing is told. Default: 30s.")
    ] = None,
    time: Annotated[
        str, typer.Option(metavar="CONTROL", help="The time control of ordinary matches.")
    ] = _TIME,
    quick: Annotated[bool, typer.Option(help="One seat for each game, and 3 s of silence.")] = False,
    list_: Annotated[bool, typer.Option("--list", help="List the scenarios and run none.")] = False,
    data: args.DataOption = Path(),
    as_json: args.JsonOption = False,
    quiet: args.QuietOption = False,
) -> None:
    """Check that a bot keeps the protocol: scripted situations, and what it made of each.

    Exit status 0: all is as expected; 1: something is not; 2: wrong usage; 130: interrupted.
    """
    from referee.check.scenarios import ALL
    from referee.cli import check_table
    from referee.cli.loop import run

    if list_:
        check_table.list_scenarios(ALL, as_json=as_json)
        return
    _check_subject(command, remote)
    if remote is None:
        given = {"--host": host != _HOST, "--port": port, "--tls-cert": tls_cert, "--tls-key": tls_key}
        _check_unplaced({**given, "--insecure": insecure})
    scenarios, extra = _chosen(only, remote=remote is not None)
    asked = Asked(
        bot=_text(command or []) if remote is None else _remote_name(remote),
        command=_resolved(command, game),
        scenarios=scenarios,
        extra=extra,
        terms=_terms(game, idle, time, quick=quick, remote=remote is not None),
        data=data,
        host=host,
        port=port,
        tls=_tls(host, tls_cert, tls_key, insecure=insecure),
        again="referee " + shlex.join(sys.argv[1:]),
    )
    try:
        status = run(_run(asked, as_json=as_json, quiet=quiet))
    except LaunchError as error:
        raise UsageError(str(error)) from None
    raise typer.Exit(status)


async def _run(asked: Asked, *, as_json: bool, quiet: bool) -> int:
    from referee.cli import check_table
    from referee.cli.interrupt import EXIT_INTERRUPTED, Interrupt

    interrupt = Interrupt(asked.again, "to check it again")
    interrupt.install()
    report = await _report(asked, interrupt, quiet=quiet)
    if as_json:
        answer(json_of(check_table.as_json(report)))
    else:
        check_table.show(report)
    if report.interrupted:
        interrupt.tell_again()
        return EXIT_INTERRUPTED
    return 0 if report.ok else EXIT_FAILED


async def _report(asked: Asked, interrupt: "Interrupt", *, quiet: bool) -> "Report":
    """Runs the check to its end, or to an interrupt."""
    from referee.check.subjects import Launched, Remote
    from referee.cli.runs import new_run
    from referee.engine.local import output_folder

    if not asked.command:
        place = (asked.host, asked.port, asked.tls)
        async with Remote(asked.bot, place, _invite) as subject:
            return await _watched(subject, asked, interrupt, "", quiet=quiet)
    outputs = output_folder(asked.data, new_run("check"))
    game = (asked.terms.games or (args.GAME,))[0]
    async with Launched(asked.command, game, outputs) as launched:
        return await _watched(launched, asked, interrupt, str(outputs), quiet=quiet)


async def _watched(
    subject: "Subject", asked: Asked, interrupt: "Interrupt", outputs: str, *, quiet: bool
) -> "Report":
    from referee.check.run import Check
    from referee.cli.tables import console

    progress = console(stderr=True)
    with progress.status("checking", spinner="line") as status:
        if quiet or not progress.is_terminal:
            status.stop()
        check = Check(
            subject, asked.terms, lambda names: status.update("checking: " + ", ".join(sorted(names)))
        )
        running = asyncio.ensure_future(check.run(asked.bot, asked.scenarios, asked.extra, outputs))
        if await interrupt.finished(running):
            return running.result()
        report = check.so_far(asked.bot, asked.scenarios, outputs)
        running.cancel()
        await asyncio.wait({running})
    return report


def _invite(address: str, token: str) -> None:
    warn(f"start the bot with REFEREE_ADDRESS={address} REFEREE_TOKEN={token}")
    warn("the token is good for this check only; waiting for the bot")


def _check_subject(command: list[str] | None, remote: str | None) -> None:
    """Raises `UsageError` unless there is exactly one bot to check."""
    ways = "-- COMMAND to launch it, or --remote NAME for one that dials in"
    if command and remote is not None:
        raise UsageError(f"a check is of one bot; name one of the two: {ways}")
    if not command and remote is None:
        raise UsageError(f"name what to check: {ways}")


def _check_unplaced(options: Mapping[str, object]) -> None:
    """Raises `UsageError` for options, by name, that say where a bot dials in, as none does."""
    given = [name for name, value in options.items() if value]
    if given:
        raise UsageError(f"{', '.join(given)}: for a bot that dials in; leave it out, or give --remote NAME")


def _remote_name(name: str) -> str:
    """Returns what a remote bot is called; raises `UsageError` for a name that no bot can take."""
    names.check_new(name)
    return names.shown(name)


def _chosen(only: list[str] | None, *, remote: bool) -> "tuple[tuple[Scenario, ...], tuple[str, ...]]":
    """Returns the scenarios that were asked for, and what is judged over all of them."""
    from referee.check import conduct
    from referee.check.scenarios import ALL

    known = [*(scenario.name for scenario in ALL), *conduct.EXTRA]
    for name in only or ():
        if name not in known:
            raise UsageError(f"no scenario {name!r}; there are {', '.join(known)}")
    launched = {conduct.OUTPUT, *(scenario.name for scenario in ALL if scenario.launched)}
    if remote and (needless := launched.intersection(only or ())):
        raise UsageError(
            f"--only {min(needless)}: it needs a bot that is launched here;"
            " give -- COMMAND in place of --remote, or leave it out"
        )
    wanted = {*(only or known), conduct.CONDUCT}
    return tuple(s for s in ALL if s.name in wanted), tuple(name for name in conduct.EXTRA if name in wanted)


def _terms(game: list[str] | None, idle: str | None, time: str, *, quick: bool, remote: bool) -> "Terms":
    from referee.check.scenario import Terms
    from referee.games import find
    from referee.match.config import SECOND, TimeControl

    control = TimeControl.parse(time)
    if remote:
        control = msgspec.structs.replace(control, join=_ARRIVAL * SECOND)
    silence = args.span("--idle", (_QUICK if quick else _IDLE) if idle is None else idle)
    if not silence:
        raise UsageError(f"--idle {idle!r} is no silence; name a time above 0, like {_IDLE}")
    chosen = tuple(find(name).info.name for name in game or ())
    return Terms(games=chosen, time=control, idle=silence / SECOND, quick=quick)


def _resolved(command: list[str] | None, game: list[str] | None) -> tuple[str, ...]:
    from referee.server.resolve import resolve

    if not command:
        return ()
    try:
        return tuple(resolve(_text(command), (game or [args.GAME])[0]))
    except LaunchError as error:
        raise UsageError(str(error)) from None


def _text(command: list[str]) -> str:
    """Returns a command as `referee match` takes it: one word is a whole command already."""
    return command[0] if len(command) == 1 else shlex.join(command)


def _tls(host: str, certificate: Path | None, key: Path | None, *, insecure: bool) -> "Tls | None":
    from referee.cli.serve_command import tls_of
    from referee.server.config import LOOPBACK

    tls = tls_of(certificate, key)
    if host not in LOOPBACK and tls is None and not insecure:
        raise UsageError(_LOOPBACK_ONLY.format(host=host))
    return tls

"""Builds the command line and turns every expected error into one line and an exit status."""

import inspect
import re
import sys
from importlib import import_module
from typing import Any, Final, cast

import typer

import referee
from referee.cli.printing import refuse, tell
from referee.cli.program import command as program
from referee.cli.streams import StdoutError, give_up
from referee.errors import RefereeError, UsageError

EXIT_PLAYED = 0
"""All that was asked for was done; faults and forfeits of bots included."""
EXIT_REFEREE_FAILED = 1
"""The referee itself could not do its work."""
EXIT_USAGE = 2
"""The command line asks for something that cannot be had."""
EXIT_NOT_STARTED = 3
"""No match could start."""

_MISUSE: Final = cast("type[Exception]", typer.BadParameter.__mro__[1])
"""What Typer raises for a command line that it cannot take; it has no public name of its own."""
_FOREIGN: Final = re.compile("[\udc80-\udcff]")
"""Bytes that are not UTF-8, as Python has them in what the system names: words, files, variables."""
_TOLD: Final = 200
"""Characters of such a name that are told."""

EPILOG = (
    "Exit status: 0 done, faults and forfeits of bots included; 1 the referee itself failed, or a log is"
    " not good; 2 wrong usage; 3 no match could start; 130 interrupted."
)

COMMANDS = {
    "match": "referee.cli.match_command",
    "play": "referee.cli.play_command",
    "round-robin": "referee.cli.round_robin_command",
    "tournament": "referee.cli.tournament_command",
    "compare": "referee.cli.compare_command",
    "serve": "referee.cli.serve_command",
    "ladder": "referee.cli.ladder_command",
    "watch": "referee.cli.watch_command",
    "bot": "referee.cli.bot_command",
    "replay": "referee.cli.replay_command",
    "standings": "referee.cli.standings_command",
    "store": "referee.cli.store_command",
}
"""Each module has `register(app)`; only the one that is called is imported."""


def build(argv: list[str]) -> typer.Typer:
    """Returns the application with the called subcommand, or with all of them for help."""
    app = typer.Typer(
        name="referee",
        help=referee.__doc__,
        epilog=EPILOG,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    app.callback()(_options)
    called = argv[0] if argv and argv[0] in COMMANDS else None
    for name, module in COMMANDS.items():
        if called in (None, name):
            import_module(module).register(app)
    return app


def run(argv: list[str]) -> int:
    """Runs one command line and returns its exit status (see the `EXIT_` constants).

    Where the reader of stdout has left, as `| head` does, all is done that anybody wanted.
    """
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        status = _status(argv)
        sys.stdout.flush()
    except StdoutError as error:
        give_up()
        if error.gone:
            return EXIT_PLAYED
        refuse(str(error))
        return EXIT_REFEREE_FAILED
    return status


def _status(argv: list[str]) -> int:
    try:
        command = typer.main.get_command(build(argv))
        _tidy(command)
        status = command(args=argv, prog_name="referee", standalone_mode=False)
    except _MISUSE as error:
        return _misused(error)
    except UnicodeEncodeError as error:
        if not _FOREIGN.search(error.object):
            raise
        refuse(f"{error.object[:_TOLD]!r}: bytes that are not UTF-8 can be neither kept nor sent; rename it")
        return EXIT_USAGE
    except typer.Abort:
        return EXIT_REFEREE_FAILED
    except SystemExit as exit_:
        return exit_.code if isinstance(exit_.code, int) else EXIT_REFEREE_FAILED
    except RefereeError as error:
        refuse(str(error))
        return EXIT_USAGE if isinstance(error, UsageError) else EXIT_REFEREE_FAILED
    return status if isinstance(status, int) else EXIT_PLAYED


def _misused(error: Any) -> int:
    """Says in one line what a command line lacks, or has too much, and where all of it is told."""
    if type(error).__name__ != "NoArgsIsHelpError":  # the help itself was printed then
        said = " ".join(error.format_message().split()).removesuffix(".").replace(": Value error, ", ": ")
        path = error.ctx.command_path.split()[1:] if error.ctx else []
        refuse(f"{said[:1].lower()}{said[1:]}; `{program(*path, '--help')}` tells more")
    return EXIT_USAGE


def _tidy(command: Any) -> None:
    """Has help texts fill the width of the terminal, and name no Python types that tell people nothing.

    An argument has a metavar that says more, and a flag takes no value.
    """
    first, *more = inspect.cleandoc(command.help or "").split("\n\n")
    command.help = "\n\n".join([first, *(text.replace("\n", " ") for text in more)])
    for parameter in command.get_params(typer.Context(command)):
        if parameter.param_type_name == "argument" or parameter.is_flag:
            parameter.display_type_rich = lambda ctx: ""  # noqa: ARG005  as Typer calls it
    for inner in getattr(command, "commands", {}).values():
        _tidy(inner)


def _version(on: bool) -> None:
    if on:
        tell(f"referee {referee.__version__}")
        raise typer.Exit


def _options(
    *,
    version: bool = typer.Option(
        False,
        "--version",
        help="Print the version and exit.",
        is_eager=True,
        callback=_version,
    ),
) -> None:
    """Takes what stands before the subcommand."""

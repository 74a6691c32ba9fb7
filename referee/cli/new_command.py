"""`referee bot new`: a project to begin a bot with."""

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli import arguments as args
from referee.cli.printing import answer, json_of, tell, warn
from referee.cli.program import command
from referee.errors import UsageError

if TYPE_CHECKING:
    from referee.bot_project.languages import Language

EXAMPLES = args.examples(
    "referee bot new --language go mybot",
    "referee bot new --language python-bare mybot --folder bots/mine",
    "referee bot new --list",
)


def register_in(group: typer.Typer) -> None:
    """Adds `new` to `bot`."""
    group.command("new", epilog=EXAMPLES)(_new)


def _new(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="What the bot is called: a-z, 0-9 and '-', a letter first.",
            show_default=False,
        ),
    ] = None,
    language: Annotated[
        str | None, typer.Option(metavar="LANGUAGE", help="One of those that --list names.")
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="The folder to write; a new one, or an empty one. Default: NAME."
        ),
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the languages and write nothing.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
) -> None:
    """Write a project to begin a bot with: one that plays, its README, the contract and the rules."""
    from referee.bot_project import starter
    from referee.bot_project.languages import find

    if list_:
        _list(as_json=as_json)
        return
    if name is None or language is None:
        raise UsageError(_lacking(name, language))
    chosen = find(language)
    starter.check_name(name)
    where = Path(name) if folder is None else folder
    starter.write(starter.files(chosen, name), where)
    _tell_next(chosen, name, where)


def _tell_next(language: "Language", name: str, folder: Path) -> None:
    """Tells the commands that build the bot and try it; they run as they are printed."""
    from referee.bot_project import starter

    tell(f"wrote {name}, a bot in {language.title}, to {folder}; to build it and to try it:")
    if folder.resolve() != Path.cwd():
        path = os.path.join(".", folder) if str(folder).startswith("-") else str(folder)  # noqa: PTH118  as written
        tell(f"    cd {shlex.quote(path)}")
    for line in language.build:
        tell(f"    {line}")
    tell("    " + command(*starter.match_words(language, name), elsewhere=True))
    tell("    " + command(*starter.check_words(language), elsewhere=True))
    tell("README.md there tells where its strategy is, and the rules of the games")
    if missing := language.missing():
        warn(f"not on this machine's PATH yet: {', '.join(missing)}; README.md tells what it needs")


def _lacking(name: str | None, language: str | None) -> str:
    """Says what a command line lacks, and what can be put there."""
    from referee.bot_project.languages import find, languages

    chosen = None if language is None else find(language).name
    example = command("bot", "new", "--language", chosen or "go", name or "mybot")
    what = (
        "name the bot" if chosen else "choose its language" if name else "choose a language and name the bot"
    )
    known = "" if chosen else f"; there are {', '.join(one.name for one in languages())}"
    return f"{what}, as in: {example}{known}"


def _list(*, as_json: bool) -> None:
    from referee.bot_project.languages import languages
    from referee.cli.tables import Column, console, show

    known = languages()
    if as_json:
        rows = [
            {"name": one.name, "title": one.title, "needs": one.needs, "missing": one.missing()}
            for one in known
        ]
        answer(json_of({"languages": rows}))
        return
    columns = (
        Column("language"),
        Column("what", drop=1),
        Column("needs", least=8, folds=True),
        Column("here"),
    )
    show(console(), columns, [(one.name, one.title, ", ".join(one.needs), _here(one)) for one in known])


def _here(language: "Language") -> str:
    missing = language.missing()
    return f"without {', '.join(missing)}" if missing else "yes"

"""`referee store`: backs up and restores the results and the register of bots."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from referee.cli.printing import answer, json_of, tell
from referee.cli.roots import DataOption, StoreOption
from referee.cli.words import many

BACKUP = "The whole record of a data root is its backup with the folders replays/ and tournaments/ beside it."


def register(app: typer.Typer) -> None:
    """Adds `store` with `info`, `backup` and `restore`."""
    group = typer.Typer(help="Look at the store of results and bots, back it up, restore it.")
    group.command("info")(_info)
    group.command("backup", epilog=BACKUP)(_backup)
    group.command("restore", epilog=BACKUP)(_restore)
    app.add_typer(group, name="store", no_args_is_help=True)


def _info(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    data: DataOption = Path(),
    store: StoreOption = None,
) -> None:
    """Tell where the store is and how much it holds."""
    from dataclasses import asdict

    from referee.cli.tables import console, say
    from referee.store.store import Store

    _look(data, store)
    with Store.under(data, store) as opened:
        found = opened.info()
    if as_json:
        newest = None if found.newest is None else _time(found.newest)
        answer(json_of({**asdict(found), "newest": newest}))
        return
    lines = [
        f"store     {found.name}",
        f"database  {found.kind}, schema {found.schema}, {found.size / 1024:,.0f} KiB",
        f"results   {found.results}" + (f", newest match {_time(found.newest)}" if found.newest else ""),
        f"bots      {found.bots}" + (f", {found.revoked} of them revoked" if found.revoked else ""),
    ]
    if found.unread:
        lines.append(
            f"          {found.unread} results are read again from their logs by the next `referee standings`"
        )
    say(console(), "\n".join(lines))


def _backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to make.")],
    data: DataOption = Path(),
    store: StoreOption = None,
) -> None:
    """Copy results and bots, as they are at one moment, into a file; a server may run meanwhile."""
    from referee.cli.program import command
    from referee.store.store import Store

    _look(data, store)
    with Store.under(data, store) as opened:
        counts = opened.backup(file)
    tell(f"{file}: {_all(*counts)}")
    tell(f"to restore it: {command('store', 'restore', str(file), data=data, store=store)}")


def _restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A backup made by `referee store backup`.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Drop the results and bots that the store has now.")
    ] = False,
    data: DataOption = Path(),
    store: StoreOption = None,
) -> None:
    """Put results and bots back into an empty store; matches since the backup come from their logs."""
    from referee.replay.reader import REPLAYS
    from referee.store.store import Store

    counts = Store.restore(file, data, store, replace=replace)
    tell(f"restored: {_all(*counts)}")
    if (data / REPLAYS).is_dir():
        with Store.under(data, store) as opened:
            report = opened.sync(data)
        added, refused = many(report.added, "further result"), many(len(report.refused), "log")
        tell(f"from the logs: {added}, {refused} left out")


def _look(data: Path, store: str | None) -> None:
    """Refuses what would make an empty store only to look at it."""
    from referee.errors import UsageError
    from referee.store.store import FILE, Store

    if not Store.exists(data, store):
        raise UsageError(
            f"{data / FILE}: no such store; name its folder with --data, or its URL with --store"
        )


def _all(results: int, bots: int) -> str:
    return f"{results} result{'' if results == 1 else 's'} and {bots} bot{'' if bots == 1 else 's'}"


def _time(microseconds: int) -> str:
    return datetime.fromtimestamp(microseconds / 1_000_000, UTC).strftime("%Y-%m-%d %H:%M:%SZ")

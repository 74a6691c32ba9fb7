"""`referee replay fetch`: gets logs from a server, one or all of a bot, and checks what comes."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli import arguments as args
from referee.cli.reads_call import CaOption, NotShownError, ServerOption, TlsOption, TokenOption, connected
from referee.errors import RecordError, UsageError

if TYPE_CHECKING:
    from referee.cli.fetched import Folder, Kept, Source, Wish
    from referee.cli.replay_check import Checked

EXAMPLES = args.examples(
    "referee replay fetch 0198a2b4-0000-7000-8000-000000000000 --address 127.0.0.1:7700",
    "referee replay fetch --bot mybot --address example.org:7700 --tls --out mylogs",
    "referee replay fetch --tournament spring --game guan_pai --address 127.0.0.1:7700",
)


def register(group: typer.Typer) -> None:
    """Adds `fetch` to the commands of `referee replay`."""
    group.command("fetch", epilog=EXAMPLES)(_fetch)


def _fetch(
    match: Annotated[str, typer.Argument(metavar="[MATCH]", help="The id of one match.")] = "",
    bot: Annotated[
        str,
        typer.Option("--bot", metavar="NAME", help="All finished matches of this bot.", show_default=False),
    ] = "",
    tournament: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="All of this tournament or ladder; with --bot those of the bot in it."
        ),
    ] = "",
    game: Annotated[str, typer.Option(metavar="GAME", help="Only those of this game.")] = "",
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where to keep them, as a data folder does.")
    ] = Path("fetched"),
    key: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Ed25519 public key, PEM; what it has not signed is not kept."),
    ] = None,
    address: ServerOption = "",
    tls: TlsOption = False,
    ca: CaOption = None,
    token: TokenOption = "",
) -> None:
    """Get the logs of finished matches from a server, and check each by playing it again.

    They lie in FOLDER/replays as on the server, with their signatures. A log that is there already is not
    asked for again, nor checked again, and none has its name before it is whole and good: to go on after a
    break, or to get what is new, run the same command again. The exit status is 1 if one is damaged or lost.
    """
    from referee.cli.fetched import Folder, Source, Wish
    from referee.cli.interrupt import leave
    from referee.replay.signature import Verifier

    if bool(match) == bool(bot or tournament):
        raise UsageError("name one match, or a bot with --bot, or a tournament with --tournament")
    leave()
    verifier = Verifier.load(key) if key else None
    with connected(address, tls=tls, ca=ca, token=token) as server:
        source, folder = Source(server), Folder(out, verifier)
        good = (
            _one(source, folder, match) if match else _all(source, folder, Wish(_key(bot), tournament, game))
        )
    if not good:
        raise typer.Exit(1)


def _key(bot: str) -> str:
    """Returns the id of a bot by its name; one that was launched has an id that is no name."""
    from referee.tournament import names

    return bot if "/" in bot or not bot else names.key(bot)


def _one(source: "Source", folder: "Folder", match_id: str) -> bool:
    from referee.cli.tables import console, say

    path = folder.place(match_id)
    if folder.has(match_id):
        say(console(), f"{path}: is here already")
        return True
    checked = _kept(folder, match_id, lambda: source.log(match_id))
    say(console(), checked.line, "green" if checked.good else "red")
    return checked.good


def _all(source: "Source", folder: "Folder", wish: "Wish") -> bool:
    """Gets what is wanted and not here, prints a line for each and one for all; says whether all is good."""
    from referee.cli import replay_progress
    from referee.cli.fetched import FEW
    from referee.cli.tables import console, say

    out = console()
    ended = source.ended(wish)
    wanted = [match for match in ended if not folder.has(match.match_id)]
    came: list[Checked] = []
    with replay_progress.shown(out, len(wanted)) as on_done:

        def told(checked: "Checked") -> None:
            on_done(checked)
            came.append(checked)
            say(out, checked.line, "green" if checked.good else "red")

        if len(wanted) <= FEW:
            for match in wanted:
                try:
                    told(_kept(folder, match.match_id, lambda match=match: source.log(match.match_id)))  # type: ignore[misc]
                except NotShownError:
                    continue  # it was anonymous and came to nothing
        elif wanted:
            for match_id, data, signature in source.logs(
                wish, wanted, lambda lost: told(_lost(folder, lost))
            ):
                if not folder.has(match_id):
                    told(_kept(folder, match_id, lambda both=(data, signature): both))  # type: ignore[misc]
    bad = sum(not checked.good for checked in came)
    say(out, _summary(len(came) - bad, bad, len(ended) - len(wanted), len(wanted) - len(came)))
    return not bad


def _kept(folder: "Folder", match_id: str, get: Callable[[], tuple[bytes, bytes]]) -> "Checked":
    """Gets a log, checks it and keeps it if it is good; says what came of that."""
    from referee.cli.replay_check import Checked

    try:
        kept: Kept = folder.keep(match_id, *get())
    except RecordError as error:
        return Checked(good=False, line=f"{match_id}: {error}")
    told = f"good: {kept.records} records, {kept.termination}, hash {kept.last_hash}"
    return Checked(good=True, line=f"{kept.path}: {told}")


def _lost(folder: "Folder", match_id: str) -> "Checked":
    from referee.cli.replay_check import Checked

    return Checked(
        good=False, line=f"{folder.place(match_id).name}: the server has no whole log of it any more"
    )


def _summary(came: int, bad: int, here: int, hidden: int) -> str:
    """Returns what became of all that was wanted, in words."""
    from referee.cli.words import many

    parts = [f"{many(came, 'log')} came"]
    parts += [f"{here} were here already"] if here else []
    parts += [f"{bad} are damaged or lost"] if bad else []
    parts += [f"{hidden} are not shown"] if hidden else []
    return ", ".join(parts)

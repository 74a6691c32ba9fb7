"""`referee bot`: the register of bots and their tokens; `check` and `new` have modules of their own."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli import arguments as args
from referee.cli import check_command, new_command
from referee.cli.printing import answer, json_of, tell, warn
from referee.cli.roots import DataOption, StoreOption

if TYPE_CHECKING:
    from referee.store.bots import Bot

NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="Name; case and outer spaces do not count.")
]


def register(app: typer.Typer) -> None:
    """Adds `bot` with its subcommands."""
    group = typer.Typer(
        help="Begin bots, check them, register them, and take their tokens back.", no_args_is_help=True
    )
    new_command.register_in(group)
    check_command.register_in(group)
    group.command("add")(_add)
    group.command("list")(_list)
    group.command("revoke")(_revoke)
    app.add_typer(group, name="bot")


def _add(
    name: NameArgument,
    owner: Annotated[
        str | None,
        typer.Option(
            metavar="OWNER",
            help="Who answers for the bot; bots of one owner do not meet in rated matches. Default: NAME.",
            show_default=False,
        ),
    ] = None,
    data: DataOption = Path(),
    store: StoreOption = None,
) -> None:
    """Register a bot and print its token, once; only a hash of it is kept."""
    from referee.cli.program import command
    from referee.store.store import Store

    owned_by = args.owner(owner)
    with Store.under(data, store) as opened:
        token = opened.add_bot(name, owned_by)
    tell(token)
    warn(
        "This token is not shown again. The bot finds it in REFEREE_TOKEN or gets it with --token;"
        f" if it is lost, add the bot again after: {command('bot', 'revoke', name, data=data, store=store)}"
    )


def _list(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    data: DataOption = Path(),
    store: StoreOption = None,
) -> None:
    """List all bots, the revoked ones too."""
    from referee.cli.program import command
    from referee.cli.tables import Column, console, name_column, say, show
    from referee.store.store import Store

    bots = []
    if Store.exists(data, store):
        with Store.under(data, store) as opened:
            bots = opened.list_bots()
    if as_json:
        answer(json_of({"bots": [_row(bot) for bot in bots]}))
        return
    out = console()
    if not bots:
        how = command("bot", "add", "NAME", data=data, store=store)
        say(out, f"No bot is registered under {data}; `{how}` adds one.")
        return
    columns = (name_column(), name_column("owner", least=8), Column("registered", drop=1), Column("state"))
    rows = [
        (bot.name, bot.owner, _day(bot.created), "revoked" if bot.revoked else "may play") for bot in bots
    ]
    show(out, columns, rows)


def _revoke(name: NameArgument, data: DataOption = Path(), store: StoreOption = None) -> None:
    """Make the token of a bot worthless; its results stay."""
    from referee.cli.program import command
    from referee.store.store import Store

    with Store.under(data, store) as opened:
        bot = opened.revoke_bot(name)
    words = ("bot", "add", bot.name, *(("--owner", bot.owner) if bot.owner != bot.name else ()))
    tell(f"The token of {bot.name} is revoked; to make a new one: {command(*words, data=data, store=store)}")


def _row(bot: "Bot") -> dict[str, str | bool]:
    return {
        "bot_id": bot.bot_id,
        "name": bot.name,
        "owner": bot.owner,
        "registered": _day(bot.created),
        "revoked": bot.revoked is not None,
    }


def _day(microseconds: int) -> str:
    return datetime.fromtimestamp(microseconds / 1_000_000, UTC).strftime("%Y-%m-%d %H:%M:%SZ")

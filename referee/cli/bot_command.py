"""`referee bot`: the register of bots and their tokens."""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from referee.store.bots import Bot

DataOption = Annotated[
    Path, typer.Option("--data", envvar="REFEREE_DATA", help="Folder of replays/ and referee.db.")
]
NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="Name; case and outer spaces do not count.")
]


def register(app: typer.Typer) -> None:
    """Adds `bot` with `add`, `list` and `revoke`."""
    group = typer.Typer(help="Register bots and take their tokens back.", no_args_is_help=True)
    group.command("add")(_add)
    group.command("list")(_list)
    group.command("revoke")(_revoke)
    app.add_typer(group, name="bot")


def _add(
    name: NameArgument,
    owner: Annotated[
        str,
        typer.Option(
            help="Who answers for the bot; bots of one owner do not meet in rated matches. Default: NAME."
        ),
    ] = "",
    data: DataOption = Path(),
) -> None:
    """Register a bot and print its token, once; only a hash of it is kept."""
    from referee.store.store import Store

    with Store.under(data) as store:
        token = store.add_bot(name, owner)
    print(token)
    print(
        "This token is not shown again. The bot finds it in REFEREE_TOKEN or gets it with --token;"
        f" if it is lost: referee bot revoke {json.dumps(name)}, then add it again.",
        file=sys.stderr,
    )


def _list(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False, data: DataOption = Path()
) -> None:
    """List all bots, the revoked ones too."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from referee.cli.standings_table import printable
    from referee.store.store import Store

    with Store.under(data) as store:
        bots = store.list_bots()
    if as_json:
        print(json.dumps({"bots": [_row(bot) for bot in bots]}, indent=2))
        return
    table = Table("bot", "owner", "registered", "state")
    for bot in bots:
        state = "revoked" if bot.revoked is not None else "may play"
        table.add_row(Text(printable(bot.name)), Text(printable(bot.owner)), _day(bot.created), state)
    Console().print(table if bots else f"No bot is registered under {data}; `referee bot add NAME` adds one.")


def _revoke(name: NameArgument, data: DataOption = Path()) -> None:
    """Make the token of a bot worthless; its results stay."""
    from referee.store.store import Store

    with Store.under(data) as store:
        bot = store.revoke_bot(name)
    print(f"The token of {bot.name} is revoked; referee bot add {json.dumps(bot.name)} makes a new one.")


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

"""`referee ladder`: what an operator does to a ladder while it runs."""

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee.cli import arguments as args
from referee.cli.printing import answer, json_of, tell

if TYPE_CHECKING:
    from google.protobuf.message import Message

EXAMPLES = args.examples(
    "referee ladder status",
    "referee ladder add mybot --owner ann > mybot.token",
    "referee ladder pause mybot --why 'loops for ever'",
    "referee ladder freeze --why 'new time control tonight'",
    "referee ladder match mybot easy normal expert --rated",
    "referee ladder drain --limit 5m",
)

AdminOption = Annotated[
    str,
    typer.Option(
        "--admin",
        metavar="ADDRESS",
        help="Loopback address that the server was given with --admin. Default: its socket in the data"
        " folder.",
    ),
]
BotArgument = Annotated[str, typer.Argument(metavar="BOT", help="Its name, or its id.")]
WhyOption = Annotated[
    str, typer.Option("--why", metavar="TEXT", help="Why, in one line; it is kept for good.")
]
MaybeWhyOption = Annotated[str, typer.Option("--why", metavar="TEXT", help="Why, in one line.")]


def register(app: typer.Typer) -> None:
    """Adds `ladder` and its commands."""
    group = typer.Typer(
        help="Look after the ladder of a running server: `referee serve --ladder FILE`.",
        no_args_is_help=True,
        epilog=EXAMPLES,
    )
    for name, command in _COMMANDS.items():
        group.command(name)(command)
    app.add_typer(group, name="ladder")


def _status(
    data: args.DataOption = Path(), admin: AdminOption = "", as_json: args.JsonOption = False
) -> None:
    """Show what runs, who waits, and how the bots stand."""
    from google.protobuf.json_format import MessageToDict

    from referee.cli.ladder_status import bots_of, show_status
    from referee.cli.operator_call import operator
    from referee.v1 import admin_service_pb2 as pb

    with operator(data, admin) as calls:
        status = calls.call("GetStatus", pb.GetStatusRequest())
        bots = bots_of(calls)
    if as_json:
        told: dict[str, Any] = MessageToDict(
            status, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
        )
        told["bots"] = [
            MessageToDict(bot, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
            for bot in bots
        ]
        answer(json_of(told))
    else:
        show_status(status, bots)


def _add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name; case and outer spaces do not count.")],
    owner: Annotated[
        str | None,
        typer.Option(
            metavar="OWNER",
            help="Who answers for the bot. Default: the bot is its own.",
            show_default=False,
        ),
    ] = None,
    data: args.DataOption = Path(),
    admin: AdminOption = "",
    as_json: args.JsonOption = False,
) -> None:
    """Register a bot and print its token, once."""
    from referee.v1 import admin_service_pb2 as pb

    request = pb.AddBotRequest(request_id=_once(), display_name=name, owner=args.owner(owner))
    _tell(_call(data, admin, "AddBot", request), lambda added: str(added.token), as_json=as_json)


def _pause(
    bot: BotArgument,
    why: WhyOption,
    data: args.DataOption = Path(),
    admin: AdminOption = "",
    as_json: args.JsonOption = False,
) -> None:
    """Give a bot no more matches until it is resumed."""
    _rule("Pause", bot, why, data, admin, "gets no more matches until it is resumed", as_json=as_json)


def _resume(
    bot: BotArgument,
    why: MaybeWhyOption = "",
    data: args.DataOption = Path(),
    admin: AdminOption = "",
    as_json: args.JsonOption = False,
) -> None:
    """Let a bot play on that was paused, removed or disqualified."""
    _rule("Resume", bot, why, data, admin, "plays on", as_json=as_json)


def _remove(
    bot: BotArgument,
    why: WhyOption,
    data: args.DataOption = Path(),
    admin: AdminOption = "",
    as_json: args.JsonOption = False,
) -> None:
    """Take a bot out for good; what it has played counts."""
    _rule("Remove", bot, why, data, admin, "is out of the ladder; what it has played counts", as_json=as_json)


def _disqualify(
    bot: BotArgument,
    why: WhyOption,
    data: args.DataOption = Path(),
    admin: AdminOption = "",
    as_json: args.JsonOption = False,
) -> None:
    """Take a bot out, and let nothing that it has played count."""
    _rule("Disqualify", bot, why, data, admin, "is disqualified; none of its matches counts", as_json=as_json)


def _freeze(
    why: WhyOption, data: args.DataOption = Path(), admin: AdminOption = "", as_json: args.JsonOption = False
) -> None:
    """Start no more matches; those that run go on, and bots stay connected."""
    from referee.v1 import admin_service_pb2 as pb

    frozen = _call(data, admin, "FreezeLadder", pb.FreezeLadderRequest(request_id=_once(), note=why))
    _tell(
        frozen, lambda told: f"The ladder is frozen; {_matches(told.running_match_count)}.", as_json=as_json
    )


def _unfreeze(
    data: args.DataOption = Path(), admin: AdminOption = "", as_json: args.JsonOption = False
) -> None:
    """Start matches again."""
    from referee.v1 import admin_service_pb2 as pb

    done = _call(data, admin, "UnfreezeLadder", pb.UnfreezeLadderRequest(request_id=_once()))
    _tell(done, lambda _: "The ladder goes on.", as_json=as_json)


def _drain(
    limit: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="How long running matches may go on. Default: as the server says."),
    ] = None,
    data: args.DataOption = Path(),
    admin: AdminOption = "",
    as_json: args.JsonOption = False,
) -> None:
    """End the server: no new matches, running ones finish up to a limit, the rest is suspended."""
    from referee.v1 import admin_service_pb2 as pb

    request = pb.DrainServerRequest(request_id=_once())
    if limit is not None:
        request.limit_duration.FromMicroseconds(args.span("--limit", limit))
    _tell(
        _call(data, admin, "DrainServer", request),
        lambda told: f"The server drains; {_matches(told.running_match_count)}.",
        as_json=as_json,
    )


def _void(
    match: Annotated[str, typer.Argument(metavar="MATCH", help="The id of the match.")],
    why: WhyOption,
    data: args.DataOption = Path(),
    admin: AdminOption = "",
    as_json: args.JsonOption = False,
) -> None:
    """Let a match count for nothing, whether it runs or has ended."""
    from referee.v1 import admin_service_pb2 as pb

    request = pb.VoidMatchRequest(request_id=_once(), match_id=match, note=why)
    _tell(
        _call(data, admin, "VoidMatch", request),
        lambda told: f"Match {told.match.match_id} counts for nothing.",
        as_json=as_json,
    )


def _match(
    bots: Annotated[list[str], typer.Argument(metavar="BOT...", help="Connected bots, or house bots.")],
    game: Annotated[
        str, typer.Option("--game", metavar="GAME", help="The game; needed where there are several.")
    ] = "",
    option: args.OptionsOption = None,
    seed: args.SeedOption = None,
    rated: Annotated[bool, typer.Option("--rated", help="Play it for the ladder.")] = False,
    data: args.DataOption = Path(),
    admin: AdminOption = "",
    as_json: args.JsonOption = False,
) -> None:
    """Start a match of bots that are connected, unrated unless it is for the ladder."""
    from referee.cli.ladder_status import ladder_name
    from referee.cli.operator_call import operator
    from referee.store.bots import HOUSE_BOTS, bot_id
    from referee.v1 import admin_service_pb2 as pb
    from referee.v1.game_pb2 import GameOption

    given = [text.partition("=") for text in option or ()]
    request = pb.CreateMatchRequest(
        request_id=_once(),
        game=game,
        options=[GameOption(option=name, value=value) for name, _, value in given],
        entrants=[
            pb.Entrant(house_bot=bot) if bot in HOUSE_BOTS else pb.Entrant(bot_id=bot_id(bot)) for bot in bots
        ],
        rated=rated,
        seed=seed,
    )
    with operator(data, admin) as calls:
        request.tournament = ladder_name(calls) if rated else ""
        made = calls.call("CreateMatch", request)
    _tell(made, lambda told: str(told.match.match_id), as_json=as_json)


def _rule(verb: str, bot: str, why: str, data: Path, admin: str, then: str, *, as_json: bool) -> None:
    from referee.store.bots import bot_id
    from referee.v1 import admin_service_pb2 as pb

    request = getattr(pb, f"{verb}BotRequest")(request_id=_once(), bot_id=bot_id(bot), note=why)
    _tell(
        _call(data, admin, f"{verb}Bot", request),
        lambda told: f"{told.bot.display_name} {then}.",
        as_json=as_json,
    )


def _call(data: Path, admin: str, method: str, request: "Message") -> Any:
    from referee.cli.operator_call import operator

    with operator(data, admin) as calls:
        return calls.call(method, request)


def _tell(told: "Message", text: Callable[[Any], str], *, as_json: bool) -> None:
    from google.protobuf.json_format import MessageToJson

    if as_json:
        answer(MessageToJson(told, preserving_proto_field_name=True))
    else:
        tell(text(told))


def _once() -> str:
    """Returns an id that makes a call one that is done once, however often it arrives."""
    return secrets.token_hex(16)


def _matches(count: int) -> str:
    return "1 match runs on" if count == 1 else f"{count or 'no'} matches run on"


_COMMANDS: dict[str, Callable[..., None]] = {
    "status": _status,
    "add": _add,
    "pause": _pause,
    "resume": _resume,
    "remove": _remove,
    "disqualify": _disqualify,
    "freeze": _freeze,
    "unfreeze": _unfreeze,
    "drain": _drain,
    "void": _void,
    "match": _match,
}

"""`referee replay branch`: plays on from a position of a match, with other bots."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli import arguments as args
from referee.cli.printing import refuse
from referee.cli.replay_explain import house_command, root_of
from referee.cli.replay_log import LogArgument, examined, naming
from referee.errors import LaunchError, RecordError, UsageError

if TYPE_CHECKING:
    from referee.engine.entrants import Entry
    from referee.replay.reader import Log
    from referee.server.request import Origin

EXAMPLES = args.examples(
    "referee replay branch replays/2026/01/31/0194….jsonl --at 40 - - - ./mybot.py",
    "referee replay branch replays/2026/01/31/0194….jsonl --at 0 expert expert expert 'mybot.py --depth 3'",
)
SAME = "-"
"""Stands for the bot that had the seat."""


def register(group: typer.Typer) -> None:
    """Adds `branch` to the commands of `referee replay`."""
    group.command("branch", epilog=EXAMPLES)(_branch)


def _branch(
    file: LogArgument,
    bots: Annotated[
        list[str],
        typer.Argument(
            metavar="BOT...",
            help="One for each seat: a house bot, a command in one word, or - for the bot that had the seat,"
            " where it was launched here.",
        ),
    ],
    at: Annotated[
        int,
        typer.Option(
            "--at",
            metavar="PLY",
            min=0,
            help="So many actions are taken over.",
            show_default=False,
        ),
    ],
    data: args.DataOption = Path(),
    store: args.StoreOption = None,
    as_json: args.JsonOption = False,
    quiet: args.QuietOption = False,
) -> None:
    """Play on from any position of a finished match with other bots; a new log that names its parent.

    All deals are the parent's, those after the position too, so two ways to go on can be compared. Who has
    read its log knows them: the new match is unrated and proves nothing about its deals. The new bots begin
    with the whole bank and no strikes. The new log can be verified by itself.
    """
    from referee.cli.app import EXIT_NOT_STARTED
    from referee.cli.loop import run
    from referee.cli.program import command
    from referee.cli.replay_branched import Plan, play

    with naming(file):
        log = examined(file)
        origin = _origin(log, at)
    plan = Plan(
        setup=log.setup,
        origin=origin,
        entries=_entries(log, bots, root_of(file, None)),
        data=data,
        store=store,
        again=command("replay", "branch", str(file), "--at", str(at), *bots, data=data, store=store),
    )
    try:
        status = run(play(plan, as_json=as_json, quiet=quiet))
    except LaunchError as error:
        refuse(f"no match could start: {error}")
        status = EXIT_NOT_STARTED
    raise typer.Exit(status)


def _origin(log: "Log", at: int) -> "Origin":
    """Returns a position of a good log; raises `RecordError` or `UsageError` where there is none."""
    from referee.games import find
    from referee.match.config import Branch
    from referee.replay.branches import actions
    from referee.replay.verify import verify
    from referee.server.request import DealGroup, Origin

    verdict = verify(log)
    if not verdict.ok or log.end is None:
        raise RecordError(f"only a good log can be gone on from: {verdict.problem}", verdict.line)
    if at >= log.end.plies:
        raise UsageError(f"--at {at}: the match has {log.end.plies} actions; name a ply before the last one")
    text, setup = find(log.setup.game).text, log.setup
    contributions = tuple(map(bytes.fromhex, log.end.contributions))
    return Origin(
        branch=Branch(match_id=setup.match_id, last_hash=log.last_hash, ply=at),
        group=DealGroup(group_id=setup.deal_group, secret=bytes.fromhex(log.end.secret)),
        contributions=contributions,
        actions=tuple(text.parse_action(action) for action in actions(log, at)),
    )


def _entries(log: "Log", bots: list[str], root: Path) -> "tuple[Entry, ...]":
    from referee.engine.entrants import entries

    count = len(log.setup.seats)
    if len(bots) != count:
        raise UsageError(f"the match has {count} seats, and not {len(bots)}; - is the bot that sat there")
    named = [_same(log, seat, root) if bot == SAME else bot for seat, bot in enumerate(bots)]
    return entries(named, log.setup.game)


def _same(log: "Log", seat: int, root: Path) -> str:
    """Returns the bot that had a seat, as for a command line; raises `UsageError` where nobody knows it."""
    from referee.replay import processes

    house = house_command(log, seat)
    if house:
        return house
    found, name = processes.find(root, log.setup.match_id, seat), log.setup.seats[seat].name
    if not found:
        raise UsageError(f"seat {seat}: its bot {name!r} was not launched here; name another instead of -")
    return f"{name}={found[-1].command}" if re.fullmatch(r"[A-Za-z0-9._-]{1,64}", name) else found[-1].command

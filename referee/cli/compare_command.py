"""`referee compare`: finds out whether one bot is better than another, in as few matches as it takes."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from referee.cli import arguments as args
from referee.cli.printing import answer, refuse, warn
from referee.cli.words import many
from referee.errors import LaunchError, UsageError

if TYPE_CHECKING:
    from referee.organiser.compare import Before, Duel, Duellist
    from referee.organiser.folder import Folder
    from referee.server.launch_report import LaunchReport

EXAMPLES = args.examples(
    "referee compare normal expert --game ding_niu",
    "referee compare old=./v1/bot.py new=./v2/bot.py --gain 0.02 --json",
    "referee compare --resume cmp-20260131-120000-1a2b",
)
KEPT = "compare.json"
"""The file of a comparison in its folder."""


class How(NamedTuple):
    """How a comparison is carried out; nothing of it changes its result."""

    data: Path
    store: str | None
    parallel: int
    as_json: bool
    quiet: bool


def register(app: typer.Typer) -> None:
    """Adds `compare`."""
    app.command("compare", no_args_is_help=True, epilog=EXAMPLES)(_compare)


def _compare(
    old: Annotated[str | None, typer.Argument(metavar="OLD", help=args.BOTS_HELP, show_default=False)] = None,
    new: Annotated[
        str | None, typer.Argument(metavar="NEW", help="The bot that is to be better.", show_default=False)
    ] = None,
    game: args.GameOption = args.GAME,
    seats: Annotated[
        int | None,
        typer.Option("--seats", metavar="NUMBER", min=2, help="Seats of a table. Default: about 4."),
    ] = None,
    gain: Annotated[
        float,
        typer.Option(
            "--gain",
            metavar="POINTS",
            help="By how many placement points a match (0..1) NEW has to be better to be worth it; half of"
            " that takes four times as many blocks.",
        ),
    ] = 0.1,
    alpha: Annotated[
        float, typer.Option("--alpha", help="How often NEW may be called better when it is not.")
    ] = 0.05,
    beta: Annotated[
        float, typer.Option("--beta", help="How often it may be missed that NEW is better by the gain.")
    ] = 0.05,
    blocks: Annotated[
        int, typer.Option("--blocks", metavar="NUMBER", min=1, help="The most blocks that are played.")
    ] = 1000,
    third: Annotated[
        str | None,
        typer.Option(
            "--third",
            metavar="BOT",
            help="Who has the last seat where their number is odd. Default: normal.",
            show_default=False,
        ),
    ] = None,
    option: args.OptionsOption = None,
    time: args.TimeOption = None,
    strikes: args.StrikesOption = None,
    retries: args.RetriesOption = None,
    seed: args.SeedOption = None,
    data: args.DataOption = Path(),
    store: args.StoreOption = None,
    parallel: Annotated[
        int | None,
        typer.Option(
            "--parallel", metavar="NUMBER", min=1, help="Blocks at once. Default: one for each core but one."
        ),
    ] = None,
    resume: Annotated[
        str | None, typer.Option("--resume", metavar="RUN_ID", help="Go on with a comparison.")
    ] = None,
    as_json: args.JsonOption = False,
    quiet: args.QuietOption = False,
) -> None:
    """Play NEW against OLD until it is known whether NEW is better.

    They meet in blocks: the same deals are played again with their seats changed, by processes that
    have not seen them. After each block a sequential test weighs the differences so far, and the first
    clear answer ends the comparison. The matches are unrated. The exit status is 0 whatever the answer.
    """
    from referee.organiser.folder import Folder

    if resume is not None:
        if old or new or option or time:
            raise UsageError(
                "--resume goes on as it was planned, with --data, --store, --parallel, --quiet, --json"
            )
        plan = _load(Folder(data, resume, KEPT))
    else:
        if not old or not new:
            raise UsageError("name two bots, OLD and NEW")
        rules = args.match_rules(game, option, time, strikes, retries)
        plan = _plan(rules, (old, new, third), seats, seed, (gain, alpha, beta), blocks)
    how = How(data, store, parallel or args.spare_cores(), as_json, quiet)
    raise typer.Exit(_carry_out(plan, Folder(data, plan.run, KEPT), how))


def _plan(
    rules: args.Rules,
    bots: tuple[str, str, str | None],
    seats: int | None,
    seed: int | None,
    test: tuple[float, float, float],
    blocks: int,
) -> "Duel":
    from referee.cli.runs import new_run
    from referee.organiser.compare import Duel
    from referee.server.config import OpenTable

    size = OpenTable(game=rules.info.name, seats=seats or 0).size()
    if bots[2] is not None and size % 2 == 0:
        raise UsageError(
            f"a table of {size} seats has none for a third bot; leave --third out, or say --seats"
        )
    plan = Duel(
        run=new_run("cmp"),
        game=rules.info.name,
        options=rules.options,
        old=bots[0],
        new=bots[1],
        third=bots[2] or "normal",
        seats=size,
        seed=seed,
        time_control=rules.time,
        penalties=rules.penalties,
        gain=test[0],
        alpha=test[1],
        beta=test[2],
        blocks=blocks,
    )
    plan.hypotheses()
    plan.bots()
    return plan


def _load(folder: "Folder") -> "Duel":
    import msgspec

    from referee.organiser.compare import Duel

    try:
        kept = folder.begun_with()
    except UsageError as error:
        raise UsageError(str(error).replace("no tournament", "no comparison", 1)) from None
    try:
        return msgspec.json.decode(kept, type=Duel)
    except msgspec.MsgspecError as error:
        raise UsageError(f"{folder.path / KEPT}: {error}; start a new comparison") from None


def _carry_out(plan: "Duel", folder: "Folder", how: How) -> int:
    import time

    from referee.cli.app import EXIT_NOT_STARTED
    from referee.cli.loop import run

    with folder.locked():
        folder.begin(plan.encoded(), f"comparison {plan.run}", time.time_ns() // 1000)
        try:
            return run(_play(plan, folder, how))
        except LaunchError as error:
            refuse(f"no match could start: {error}")
            return EXIT_NOT_STARTED


async def _play(plan: "Duel", folder: "Folder", how: How) -> int:
    import asyncio
    import contextlib

    from referee.cli.app import EXIT_PLAYED
    from referee.cli.compare_result import progress
    from referee.cli.interrupt import EXIT_INTERRUPTED, Interrupt
    from referee.cli.program import command
    from referee.cli.tables import console
    from referee.engine.local import LocalArena, output_folder
    from referee.organiser.compare import Duellist
    from referee.server.config import ArenaConfig

    again = command("compare", "--resume", plan.run, data=how.data, store=how.store)
    interrupt = Interrupt(again)
    interrupt.install()
    if not how.quiet:
        warn(f"comparison {plan.run}; whatever ends it, it goes on with: {again}")
    known = _before(plan, folder, how)
    config = ArenaConfig(data=how.data, store=how.store, time_control=plan.time_control)
    outputs = output_folder(how.data, plan.run)
    outputs.mkdir(parents=True, exist_ok=True)
    arena = LocalArena(config, (), plan.game, outputs, warn, seed=plan.seed, per_match=plan.bots())
    async with arena as local:
        with progress(console(stderr=True), quiet=how.quiet) as told:
            duellist = Duellist(plan, local, known, folder.log, told)
            work = asyncio.create_task(duellist.play(how.parallel))
            if not await interrupt.finished(work):
                work.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await work
        reports = [] if interrupt.seen.is_set() else local.reports()
    _tell(plan, duellist, reports, how)
    if interrupt.seen.is_set():
        interrupt.tell_again()
        return EXIT_INTERRUPTED
    return EXIT_PLAYED


def _before(plan: "Duel", folder: "Folder", how: How) -> "Before":
    """Returns what was played of a comparison before, with what a killed process left of it."""
    from referee.organiser.compare import before
    from referee.organiser.leftovers import void_leftovers
    from referee.store.store import Store
    from referee.tournament.decision import rulings

    void_leftovers(how.data, plan.run, warn)
    log = folder.log
    with Store.under(how.data, how.store) as store:
        store.sync(how.data)
        known = before(plan, store.each_result(run=plan.run), rulings(log.read()).accepted)
    log.append(*known.news)
    return known


def _tell(plan: "Duel", duellist: "Duellist", reports: "list[LaunchReport]", how: How) -> None:
    from referee.cli.compare_result import as_json, show
    from referee.cli.match_result import explain
    from referee.cli.tables import console, say
    from referee.engine.local import output_folder

    if how.as_json:
        answer(as_json(plan, duellist.comparison))
    else:
        show(plan, duellist.comparison, console())
        played = many(duellist.played, "match", "matches")
        say(console(), f"comparison {plan.run}: {played} played now, all unrated")
        say(console(), f"what the bots printed: {output_folder(how.data, plan.run)}")
    explain(list({report.bot: report for report in reports}.values()))

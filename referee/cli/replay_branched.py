"""Plays a match from a position of another one, and prints what became of it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from referee.cli import match_result
from referee.cli.interrupt import EXIT_INTERRUPTED, Interrupt
from referee.cli.printing import answer, json_of, warn
from referee.cli.program import command
from referee.cli.runs import new_run
from referee.cli.tables import console, say
from referee.engine.entrants import Entry
from referee.engine.local import LocalArena, output_folder
from referee.games import find
from referee.match.config import Setup
from referee.server.config import ArenaConfig
from referee.server.launch_report import LaunchReport
from referee.server.request import MatchOutcome, MatchRequest, Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is played: from `origin`, a position of the match of `setup`; `again` is the command for it."""

    setup: Setup
    origin: Origin
    entries: tuple[Entry, ...]
    data: Path
    store: str | None
    again: str


async def play(plan: Plan, *, as_json: bool, quiet: bool) -> int:
    """Plays on, tells what became of it, and returns the exit status."""
    interrupt = Interrupt(plan.again, "to play it again")
    interrupt.install()
    config = ArenaConfig(data=plan.data, store=plan.store, time_control=plan.setup.time_control)
    outputs = output_folder(plan.data, new_run("branch"))
    progress = console(stderr=True)
    async with LocalArena(config, plan.entries, plan.setup.game, outputs, warn) as local:
        if progress.is_terminal and not quiet:
            with progress.status("playing on", spinner="line"):
                outcome = await _outcome(local, plan, interrupt)
        else:
            outcome = await _outcome(local, plan, interrupt)
        interrupted = interrupt.seen.is_set()
        reports = [] if interrupted else local.reports()
    _tell(plan, outcome, match_result.crashed(reports, outcome), as_json=as_json)
    match_result.remark(local.remains())
    if interrupted:
        interrupt.tell_again()
        return EXIT_INTERRUPTED
    return match_result.exit_status(outcome)


async def _outcome(local: LocalArena, plan: Plan, interrupt: Interrupt) -> MatchOutcome:
    """Plays, or voids the match on an interrupt."""
    request = MatchRequest(
        game=plan.setup.game,
        options=plan.setup.options,
        bots=tuple(entry.name for entry in plan.entries),
        time_control=plan.setup.time_control,
        penalties=plan.setup.penalties,
        rated=False,
        origin=plan.origin,
    )
    playing = asyncio.ensure_future(local.play(request))
    if await interrupt.finished(playing):
        return playing.result()
    playing.cancel()
    await asyncio.wait({playing})
    return MatchOutcome(
        match_id=None, replay=None, termination="void", note="interrupted", end=None, missing=()
    )


def _tell(plan: Plan, outcome: MatchOutcome, failed: Sequence[LaunchReport], *, as_json: bool) -> None:
    names = [entry.name for entry in plan.entries]
    branch = plan.origin.branch
    if as_json:
        parent = {"match_id": branch.match_id, "last_hash": branch.last_hash, "ply": branch.ply}
        told = {**match_result.as_json(outcome, names, list(failed)), "parent": parent}
        answer(json_of(told))
    elif outcome.termination == "no_show":
        say(console(stderr=True), f"referee: no match could start: {outcome.note}")
    else:
        match_result.show(outcome, names, find(plan.setup.game).info, console())
        say(
            console(),
            f"goes on from ply {branch.ply} of match {branch.match_id}; unrated, its deals are known",
        )
        if outcome.replay:
            say(console(), f"check it: {command('replay', 'verify', str(outcome.replay))}")
    match_result.explain(list(failed))

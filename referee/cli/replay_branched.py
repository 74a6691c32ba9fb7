"""Plays a match from a position of another one, and prints what became of it."""

from dataclasses import dataclass
from pathlib import Path

from referee.cli import match_result, one_match
from referee.cli.printing import answer, json_of
from referee.cli.program import command
from referee.cli.tables import console, say
from referee.engine.entrants import Entry
from referee.games import find
from referee.match.config import Setup
from referee.server.request import MatchRequest, Origin


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
    request = MatchRequest(
        game=plan.setup.game,
        options=plan.setup.options,
        bots=tuple(entry.name for entry in plan.entries),
        time_control=plan.setup.time_control,
        penalties=plan.setup.penalties,
        rated=False,
        origin=plan.origin,
    )
    sitting = one_match.Sitting(
        request=request,
        entries=plan.entries,
        data=plan.data,
        store=plan.store,
        kind="branch",
        doing="playing on",
        again=plan.again,
    )
    return await one_match.play(sitting, lambda played: _tell(plan, played, as_json=as_json), quiet=quiet)


def _tell(plan: Plan, played: one_match.Played, *, as_json: bool) -> None:
    outcome = played.outcome
    failed = match_result.crashed(played.reports, outcome)
    names = [entry.name for entry in plan.entries]
    branch = plan.origin.branch
    if as_json:
        parent = {"match_id": branch.match_id, "last_hash": branch.last_hash, "ply": branch.ply}
        told = {**match_result.as_json(outcome, names, failed), "parent": parent}
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
    match_result.explain(failed)

"""`referee match`: launches bots and plays one match."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from referee.cli import arguments as args
from referee.cli.printing import answer, json_of, refuse, tell
from referee.errors import LaunchError, UsageError

if TYPE_CHECKING:
    from referee.cli.one_match import Played
    from referee.engine.entrants import Entry


EXAMPLES = args.examples(
    "referee match easy normal expert sample_bots/python/first_bot.py",
    "referee match easy normal expert deep='python3 mybot.py --depth 3' --seed 7 --option target=50",
)


def register(app: typer.Typer) -> None:
    """Adds `match`."""
    app.command("match", no_args_is_help=True, epilog=EXAMPLES)(_match)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One match to play; `unrated` says why it is, if it is, `again` is the command that plays it again."""

    rules: args.Rules
    entries: "tuple[Entry, ...]"
    seed: int | None
    unrated: str
    data: Path
    store: str | None
    again: str


def _match(
    bots: args.BotsArgument,
    game: args.GameOption = args.GAME,
    option: args.OptionsOption = None,
    time: args.TimeOption = None,
    strikes: args.StrikesOption = None,
    retries: args.RetriesOption = None,
    seed: args.SeedOption = None,
    unrated: args.UnratedOption = False,
    data: args.DataOption = Path(),
    store: args.StoreOption = None,
    as_json: args.JsonOption = False,
    quiet: args.QuietOption = False,
) -> None:
    """Launch one bot for each seat and play a match between them."""
    from referee.cli.app import EXIT_NOT_STARTED
    from referee.cli.loop import run

    rules = args.match_rules(game, option, time, strikes, retries)
    given = {"--time": time, "--strikes": strikes, "--retries": retries, "--seed": seed}
    words = [word for name, value in given.items() if value is not None for word in (name, str(value))]
    words += [word for text in option or () for word in ("--option", text)]
    plan = _plan(bots, rules, words, seed, data, store, unrated=unrated)
    try:
        status = run(_play(plan, as_json=as_json, quiet=quiet))
    except LaunchError as error:
        refuse(f"no match could start: {error}")
        status = EXIT_NOT_STARTED
    raise typer.Exit(status)


def _plan(
    bots: list[str],
    rules: args.Rules,
    words: list[str],
    seed: int | None,
    data: Path,
    store: str | None,
    *,
    unrated: bool,
) -> Plan:
    from referee.cli.program import command
    from referee.engine.entrants import entries

    info = rules.info
    if not info.min_seats <= len(bots) <= info.max_seats:
        raise UsageError(f"{info.name} seats {info.seats()} bots, and not {len(bots)}")
    found = entries(bots, info.name)
    words = ["match", "--game", info.name, *bots, *words, *(["--unrated"] if unrated else [])]
    return Plan(
        rules=rules,
        entries=found,
        seed=seed,
        unrated=_why_unrated(found, seed, asked=unrated),
        data=data,
        store=store,
        again=command(*words, data=data, store=store),
    )


def _why_unrated(entries: "tuple[Entry, ...]", seed: int | None, *, asked: bool) -> str:
    """Says why a match is unrated; nothing of a rated one."""
    if asked:
        return "as was asked for"
    if seed is not None:
        return "its deals come from a seed"
    owners = [entry.owner for entry in entries]
    return "one bot sits at two seats" if len(set(owners)) < len(owners) else ""


async def _play(plan: Plan, *, as_json: bool, quiet: bool) -> int:
    from referee.cli import one_match
    from referee.server.request import MatchRequest

    request = MatchRequest(
        game=plan.rules.info.name,
        options=plan.rules.options,
        bots=tuple(entry.name for entry in plan.entries),
        seed=plan.seed,
        time_control=plan.rules.time,
        penalties=plan.rules.penalties,
        rated=not plan.unrated,
    )
    sitting = one_match.Sitting(
        request=request,
        entries=plan.entries,
        data=plan.data,
        store=plan.store,
        kind="match",
        doing="playing",
        again=plan.again,
    )
    return await one_match.play(sitting, lambda played: _tell(plan, played, as_json=as_json), quiet=quiet)


def _tell(plan: Plan, played: "Played", *, as_json: bool) -> None:
    from referee.cli import match_result
    from referee.cli.tables import console, say

    names = [entry.name for entry in plan.entries]
    outcome = played.outcome
    failed = match_result.crashed(played.reports, outcome)
    if as_json:
        answer(json_of(match_result.as_json(outcome, names, failed)))
    elif outcome.termination == "no_show":
        say(console(stderr=True), f"referee: no match could start: {outcome.note}")
    else:
        match_result.show(outcome, names, plan.rules.info, console())
        if plan.unrated:
            say(console(), f"unrated: {plan.unrated}")
        crashed = {report.bot for report in failed}
        kept = {name: output for name, output in played.outputs.items() if name not in crashed}
        match_result.point_to_outputs(outcome, names, kept)
    match_result.explain(failed)
    if not as_json and outcome.end is not None:
        tell(f"play it again: {plan.again}")

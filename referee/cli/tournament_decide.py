"""`referee tournament void|disqualify|withdraw|return`: what an operator decides about a tournament.

It may be decided while the tournament is played, or afterwards: whoever plays it hears of it within a
second, and the standings are counted anew from the logs and the decisions.
"""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli import arguments as args
from referee.cli.printing import tell
from referee.cli.tournament_file import NAMED, begun
from referee.errors import UsageError

if TYPE_CHECKING:
    from referee.cli.tournament_file import Source
    from referee.replay.signature import Signer
    from referee.tournament.decision import Decision

MatchArgument = Annotated[str, typer.Argument(metavar="MATCH", help="The id of a match, or its replay log.")]
BotArgument = Annotated[str, typer.Argument(metavar="BOT", help="A bot by its name in the tournament.")]
WhyOption = Annotated[
    str,
    typer.Option("--why", metavar="TEXT", help="The reason, which is kept and shown.", show_default=False),
]
SignOption = Annotated[
    Path | None,
    typer.Option("--sign-key", metavar="FILE", help="Ed25519 private key, PEM: sign the standings anew."),
]


def register(group: typer.Typer) -> None:
    """Adds the commands that decide."""
    group.command("void")(_void)
    group.command("disqualify")(_disqualify)
    group.command("withdraw")(_withdraw)
    group.command("return")(_return)


def _void(
    name: NAMED,
    match: MatchArgument,
    why: WhyOption,
    data: args.DataOption = Path(),
    store: args.StoreOption = None,
    sign_key: SignOption = None,
) -> None:
    """Take a match out of the standings. Its pairing is not played again."""
    from referee.store.decided import check_counts
    from referee.store.store import Store
    from referee.tournament.decision import Voided

    source = begun(name, data, store)
    match_id = Path(match).name.removesuffix(".jsonl")
    with Store.under(data, store) as opened:
        opened.sync(data)
        result = opened.result(match_id)
    if result is None or not result.pairing_id.startswith(f"{source.tournament.name}/"):
        raise UsageError(
            f"tournament {source.tournament.name} has no finished match {match_id!r};"
            " its replay logs are named by the ids of their matches"
        )
    check_counts(result)
    _decide(
        source,
        Voided(at=_now(), match_id=match_id, why=_reason(why)),
        f"match {match_id} is void",
        data,
        store,
        sign_key,
    )


def _disqualify(
    name: NAMED,
    bot: BotArgument,
    why: WhyOption,
    data: args.DataOption = Path(),
    store: args.StoreOption = None,
    sign_key: SignOption = None,
) -> None:
    """Remove a bot for what it did: none of its matches counts any more, for anybody."""
    from referee.tournament.decision import Disqualified

    source = begun(name, data, store)
    decision = Disqualified(at=_now(), bot=_bot(source, bot), why=_reason(why))
    _decide(source, decision, f"{bot} is disqualified; none of its matches counts", data, store, sign_key)


def _withdraw(
    name: NAMED,
    bot: BotArgument,
    why: WhyOption,
    data: args.DataOption = Path(),
    store: args.StoreOption = None,
    sign_key: SignOption = None,
) -> None:
    """Let a bot leave for good: what it has played counts, and it gets no more matches."""
    from referee.tournament.decision import Withdrawn

    source = begun(name, data, store)
    decision = Withdrawn(at=_now(), bot=_bot(source, bot), why=_reason(why))
    _decide(source, decision, f"{bot} is withdrawn; what it has played counts", data, store, sign_key)


def _return(
    name: NAMED,
    bot: BotArgument,
    why: WhyOption,
    data: args.DataOption = Path(),
    store: args.StoreOption = None,
    sign_key: SignOption = None,
) -> None:
    """Take back that a bot was disqualified, withdrawn or paused. What was given up stays unplayed."""
    from referee.tournament.decision import Returned

    source = begun(name, data, store)
    decision = Returned(at=_now(), bot=_bot(source, bot), why=_reason(why))
    _decide(source, decision, f"{bot} is back", data, store, sign_key)


def _decide(
    source: "Source", decision: "Decision", told: str, data: Path, store: str | None, sign_key: Path | None
) -> None:
    from referee.cli.program import command
    from referee.replay.signature import Signer
    from referee.store.decided import check_news
    from referee.tournament.decision import rulings

    signer = Signer.load(sign_key) if sign_key else None

    source.folder.begun_with()
    log = source.folder.log
    check_news(rulings(log.read()), decision)
    log.append(decision)
    name = source.tournament.name
    tell(f"{told}; the table: {command('standings', '--tournament', name, data=data, store=store)}")
    _sign_anew(name, data, store, signer)


def _sign_anew(name: str, data: Path, store: str | None, signer: "Signer | None") -> None:
    """Signs standings that were signed before the decision, or says that they are out of date."""
    from referee.cli.program import command
    from referee.store import signed
    from referee.store.store import Store

    path = signed.place(data, name)
    if signer:
        with Store.under(data, store) as opened:
            opened.sync(data)
            tell(f"{signed.write(opened, data, name, signer)}: signed")
    elif path.exists():
        again = command("standings", "sign", name, "--sign-key", "KEY", data=data, store=store)
        tell(f"{path} is out of date now: {again}")


def _bot(source: "Source", name: str) -> str:
    """Returns the id of a bot of the tournament."""
    from referee.organiser.file import meant

    bots = source.tournament.by_name
    if name not in bots:
        hint = meant(name, bots) or f"; it has {', '.join(bots)}"
        raise UsageError(f"tournament {source.tournament.name} has no bot {name!r}{hint}")
    return bots[name].bot_id


def _reason(why: str) -> str:
    reason = " ".join(why.split())
    if not reason:
        raise UsageError("--why says nothing; give the reason in a few words")
    return reason


def _now() -> int:
    return time.time_ns() // 1000

"""Carries a tournament out: from its folder and what was played before to how this run ended."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from referee.engine.entrants import Entry
from referee.engine.local import LocalArena, output_folder
from referee.errors import UsageError
from referee.organiser.book import Book, index_of
from referee.organiser.ending import Ending, Outcome
from referee.organiser.folder import Folder
from referee.organiser.leftovers import settle_leftovers
from referee.organiser.organiser import Organiser
from referee.organiser.rounds import Rounds
from referee.organiser.stopping import StopRule
from referee.organiser.tally import Tally
from referee.organiser.tournament import Tournament
from referee.replay.signature import Signer
from referee.server.config import ArenaConfig, Tls
from referee.server.launch_report import LaunchReport
from referee.store.signed import write
from referee.store.store import Store

RESTARTS = 3
"""How often a bot is started again that exits during a run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """How a run is carried out; nothing of it changes a result.

    Attributes:
        store: the database; None for the file under the data root.
        parallel: matches at once.
        host: where registered bots dial in, as are `port` (0 takes a free one), `tls` and `insecure`.
        told: hears what a person should know at once, a line at a time.
        watch: hears how far it is, of every change.
        served: hears the address, `host:port`, once bots may dial in.
    """

    data: Path
    store: str | None = None
    parallel: int = 1
    host: str = "127.0.0.1"
    port: int = 0
    tls: Tls | None = None
    insecure: bool = False
    sign_key: Path | None = None
    told: Callable[[str], None] = print
    watch: Callable[[Tally], None] = lambda _: None
    served: Callable[[str], None] = lambda _: None


@dataclass(slots=True, kw_only=True)
class Report:
    """How a run ended, and what there is to tell of its bots.

    `exits` are of bots that exited by themselves, `remains` of all; `signed` is the file of the final
    standings, None where there are none yet or no key.
    """

    outcome: Outcome
    tally: Tally
    exits: list[LaunchReport] = field(default_factory=list)
    remains: list[LaunchReport] = field(default_factory=list)
    signed: Path | None = None


async def carry_out(tournament: Tournament, folder: Folder, how: How, stop: asyncio.Event) -> Report:
    """Plays what is missing, until nothing is or `stop` is set. The folder is locked and begun.

    With a key the standings are signed when it has ended. Raises `LaunchError` where a bot cannot be
    started, and `RefereeError` where the record cannot be written.
    """
    signer = Signer.load(how.sign_key) if how.sign_key else None
    report = await _carried_out(tournament, folder, how, stop, signer)
    if signer and report.outcome.ending in {Ending.FINISHED, Ending.STOPPED}:
        with Store.under(how.data, how.store) as store:
            store.sync(how.data)
            report.signed = write(store, how.data, tournament.name, signer)
    return report


async def _carried_out(
    tournament: Tournament, folder: Folder, how: How, stop: asyncio.Event, signer: Signer | None
) -> Report:
    remote = frozenset(bot.bot_id for bot in tournament.bots if not bot.command)
    resumed = settle_leftovers(how.data, tournament.name, remote, how.told, signer)
    book = Book(tournament, folder.log, _wall)
    try:
        with Store.under(how.data, how.store) as store:
            for line in store.sync(how.data).refused:
                how.told(line)
            _refuse_namesakes(tournament, store)
            book.load(store.each_result(run=tournament.name))
            for match_id, why in book.strays.items():
                how.told(f"match {match_id} does not count: {why}")
            for setup in resumed:
                book.resume(index_of(setup.pairing_id), setup.attempt)
            rounds = Rounds(tournament, book)
            if rounds.settled >= rounds.total:
                tally = Tally(now=time.monotonic, total=rounds.total, before=rounds.settled)
                return Report(outcome=Outcome(Ending.FINISHED), tally=tally)
            rule = StopRule(tournament, store, folder.log)
            return await _play(tournament, book, rule, how, stop)
    finally:
        book.close()


async def _play(tournament: Tournament, book: Book, rule: StopRule, how: How, stop: asyncio.Event) -> Report:
    outputs = output_folder(how.data, tournament.name)
    try:
        outputs.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{outputs}: {error.strerror}; name another folder with --data") from None
    config = ArenaConfig(
        data=how.data,
        store=how.store,
        host=how.host,
        port=how.port,
        tls=how.tls,
        insecure=how.insecure,
        sign_key=how.sign_key,
        time_control=tournament.time_control,
        penalties=tournament.penalties,
        watch_delay=tournament.watch_delay,
        recover=True,
        recover_series=tournament.name,
    )
    many, per_match = _entries(tournament, how.parallel)
    arena = LocalArena(
        config,
        many,
        tournament.game,
        outputs,
        how.told,
        seed=tournament.seed,
        restarts=RESTARTS,
        per_match=per_match,
    )
    async with arena as local:
        how.served(local.address)
        organiser = Organiser(tournament, book, local, how.parallel, watch=how.watch, enough=rule.enough)
        organiser.go_on(local.arena.resumed())
        outcome = await organiser.play(stop)
        exits = [] if outcome.ending is Ending.INTERRUPTED else local.reports()
    return Report(outcome=outcome, tally=organiser.tally, exits=exits, remains=local.remains())


def _entries(tournament: Tournament, parallel: int) -> tuple[list[Entry], list[Entry]]:
    """Returns the bots that play many matches, and those that are started anew for each match.

    House bots play as many matches at once as there are; others say for themselves.
    """
    many = ("--matches", str(parallel))
    once = [bot for bot in tournament.bots if not tournament.is_fresh(bot)]
    return (
        [replace(bot, command=(*bot.command, *many)) if bot.house else bot for bot in once],
        [bot for bot in tournament.bots if tournament.is_fresh(bot)],
    )


def _refuse_namesakes(tournament: Tournament, store: Store) -> None:
    """Raises `UsageError` where a registered bot could sit down in the place of one that is launched."""
    launched = {bot.name.casefold(): bot.name for bot in tournament.bots if bot.command}
    if all(bot.command for bot in tournament.bots):
        return
    for bot in store.list_bots():
        for name in (bot.bot_id, bot.name.casefold()):
            if name in launched:
                raise UsageError(
                    f"bots.{launched[name]}: a registered bot has this name too; give the one here another"
                )


def _wall() -> int:
    return time.time_ns() // 1000

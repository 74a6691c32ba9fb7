"""Runs of many matches: what was planned, kept beside what its bots print, so that it can go on."""

import hashlib
import secrets
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from referee.engine.entrants import Entry
from referee.engine.local import OUTPUT
from referee.errors import UsageError
from referee.games.info import OptionValue
from referee.match.config import TimeControl
from referee.store.store import Store
from referee.tournament.pairing import Table, tables
from referee.tournament.result import COUNTED, MatchResult

_PLAN = "plan.json"


class RoundRobin(msgspec.Struct, frozen=True, kw_only=True):
    """All that makes a round robin what it is; `order` is the seed of the pairings."""

    run: str
    game: str
    options: dict[str, OptionValue]
    commands: tuple[str, ...]
    names: tuple[str, ...]
    owners: tuple[str, ...]
    folder: str
    """Where the commands run."""
    seats: int
    matches: int
    order: int
    seed: int | None
    """From which all deals are derived; None for deals that can be proved."""
    time_control: TimeControl
    unrated: bool = False

    def tables(self) -> Iterator[Table]:
        """Returns all tables, made one at a time."""
        return tables(self.names, self.seats, self.matches, self.order)

    def pairing(self, table: Table) -> str:
        """Returns the id of a pairing, the same whenever the run goes on."""
        return f"{self.run}/{table.index}"

    def deals(self, table: Table) -> int | None:
        """Returns the number from which the deals of a table are derived, or None."""
        if self.seed is None:
            return None
        digest = hashlib.sha256(f"{self.seed}/{table.index}".encode()).digest()
        return int.from_bytes(digest[:6])

    def rated(self, table: Table) -> bool:
        """Says whether a table counts: never with two copies of one bot."""
        if self.unrated:
            return False
        owners = dict(zip(self.names, self.owners, strict=True))
        return len({owners[name] for name in table.seats}) == len(table.seats)


def new_run(kind: str) -> str:
    """Returns a name that no other run has, in the order of time within its kind."""
    now = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    return f"{kind}-{now}-{secrets.token_hex(2)}"


def output_folder(data: Path, run: str) -> Path:
    """Returns the folder of a run for what its bots print."""
    return data / OUTPUT / run


def save(plan: RoundRobin, data: Path) -> None:
    """Keeps a plan under the data root; raises `UsageError` where that cannot be."""
    folder = output_folder(data, plan.run)
    try:
        folder.mkdir(parents=True)
        (folder / _PLAN).write_bytes(msgspec.json.format(msgspec.json.encode(plan)))
    except OSError as error:
        raise UsageError(f"{folder}: {error.strerror}; name another folder with --data") from None


def load(run: str, data: Path) -> RoundRobin:
    """Returns the plan of a run; raises `UsageError` naming the runs that there are."""
    try:
        return msgspec.json.decode((output_folder(data, run) / _PLAN).read_bytes(), type=RoundRobin)
    except OSError:
        known = sorted(path.parent.name for path in (data / OUTPUT).glob(f"*/{_PLAN}"))
        hint = f"there are {', '.join(known[-5:])}" if known else "there is none; name the folder with --data"
        raise UsageError(f"no run {run!r} under {data}; {hint}") from None
    except msgspec.MsgspecError as error:
        raise UsageError(f"{output_folder(data, run) / _PLAN}: {error}; start a new run") from None


def entries_of(plan: RoundRobin, found: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """Returns the bots of a plan as found now; raises `UsageError` if that is not what was planned."""
    if plan.folder != str(Path.cwd()):
        raise UsageError(f"run {plan.run} has its bots in {plan.folder}; go on from there")
    here = tuple((entry.name, entry.owner) for entry in found)
    if tuple(zip(plan.names, plan.owners, strict=True)) != here:
        raise UsageError(
            f"run {plan.run}: its plan does not name its bots as this version does; start a new run"
        )
    return found


class Progress:
    """Which pairings of a run are done, by the finished logs, and how often each was tried."""

    def __init__(self, plan: RoundRobin, data: Path, store: str | None) -> None:
        self.done: set[str] = set()
        self.tried: Counter[str] = Counter()
        for result in results(plan.run, data, store):
            self.tried[result.pairing_id] = max(self.tried[result.pairing_id], result.attempt)
            if result.termination in COUNTED:
                self.done.add(result.pairing_id)


def results(run: str, data: Path, store: str | None) -> list[MatchResult]:
    """Returns the results of a run, in the order of time."""
    with Store.under(data, store) as opened:
        opened.sync(data)
        return opened.results(run=run)

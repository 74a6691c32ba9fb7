"""Round robins of the command line: what was planned, kept so that it can go on."""

import secrets
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from referee.engine.entrants import Entry
from referee.errors import UsageError
from referee.games.info import OptionValue
from referee.match.config import Penalties, TimeControl
from referee.organiser.folder import PLAN, Folder, names
from referee.organiser.tournament import Tournament
from referee.replay.opening import SETTINGS, content
from referee.store.store import Store
from referee.tournament.formats.settings import RoundRobinSettings
from referee.tournament.result import MatchResult


class RoundRobin(msgspec.Struct, frozen=True, kw_only=True):
    """All that makes a round robin what it is; `order` is the seed of the pairings."""

    run: str
    game: str
    options: dict[str, OptionValue]
    commands: tuple[str, ...]
    names: tuple[str, ...]
    owners: tuple[str, ...]
    seats: int
    matches: int
    order: int
    seed: int | None
    """From which all deals are derived; None for deals that can be proved."""
    time_control: TimeControl
    penalties: Penalties
    unrated: bool = False

    def tournament(self, bots: tuple[Entry, ...]) -> Tournament:
        """Returns it as a tournament of these bots, whose matches add up with all others of the game."""
        return Tournament(
            name=self.run,
            game=self.game,
            options=self.options,
            seats=self.seats,
            bots=bots,
            format=RoundRobinSettings(matches=self.matches),
            rated=not self.unrated and self.seed is None,
            seed=self.seed,
            order=self.order,
            time_control=self.time_control,
            penalties=self.penalties,
            headed=False,
            copies=True,
        )

    def encoded(self) -> bytes:
        """Returns it as the file that is kept of it."""
        return msgspec.json.format(msgspec.json.encode(self))


def new_run(kind: str) -> str:
    """Returns a name that no other run has, in the order of time within its kind."""
    now = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    return f"{kind}-{now}-{secrets.token_hex(2)}"


def folder_of(run: str, data: Path) -> Folder:
    """Returns where a run is kept."""
    return Folder(data, run, PLAN)


def load(run: str, data: Path) -> RoundRobin:
    """Returns the plan of a run; raises `UsageError` naming the runs that there are."""
    path = folder_of(run, data).path / PLAN
    try:
        return msgspec.json.decode(content(path, SETTINGS), type=RoundRobin)
    except OSError:
        known = names(data, PLAN)
        hint = f"there are {', '.join(known[-5:])}" if known else "there is none; name the folder with --data"
        raise UsageError(f"no run {run!r} under {data}; {hint}") from None
    except msgspec.MsgspecError as error:
        raise UsageError(f"{path}: {error}; start a new run") from None


def bots_of(plan: RoundRobin, found: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """Returns the bots of a plan as found now; raises `UsageError` if that is not what was planned."""
    here = tuple((entry.name, entry.owner) for entry in found)
    if tuple(zip(plan.names, plan.owners, strict=True)) != here:
        raise UsageError(
            f"run {plan.run}: its plan does not name its bots as this version does; start a new run"
        )
    return found


def results(run: str, data: Path, store: str | None) -> list[MatchResult]:
    """Returns the results of a run, in the order of time."""
    with Store.under(data, store) as opened:
        opened.sync(data)
        return opened.results(run=run)

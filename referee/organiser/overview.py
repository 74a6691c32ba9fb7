"""What there is to tell of a tournament without playing it: its plan, and how it stands."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from referee.organiser.book import Book
from referee.organiser.folder import Folder
from referee.organiser.rounds import Rounds
from referee.organiser.tournament import Tournament
from referee.store.store import Store
from referee.tournament.formats import make
from referee.tournament.formats.base import Bye, Pairing
from referee.tournament.result import COUNTED

LOOKED_AT = 100_000
"""How many pairings are looked at for the balance at the most."""
_SAMPLE = 1000
"""From how many matches, the newest ones, the length of a match is taken."""


@dataclass(slots=True, kw_only=True)
class Plan:
    """A schedule before it is played.

    Attributes:
        total: how many matches there are.
        rounds: how many rounds there are; the pairings are those of the first.
        pairings: how many pairings were looked at, all unless `more`.
        played: how many matches of these each bot plays.
        seats: how often each bot sits in each seat in them.
        seconds: how long it may take; None where no match of the game was played yet.
    """

    total: int
    rounds: int
    pairings: int = 0
    more: bool = False
    played: Counter[str] = field(default_factory=Counter)
    seats: Counter[tuple[str, int]] = field(default_factory=Counter)
    byes: list[str] = field(default_factory=list)
    seconds: float | None = None

    @property
    def unbalance(self) -> int:
        """By how much the counts of one bot in two seats differ at the most."""
        by_bot: dict[str, list[int]] = {}
        width = max((seat for _, seat in self.seats), default=-1) + 1
        for name in self.played:
            by_bot[name] = [self.seats[name, seat] for seat in range(width)]
        return max((max(counts) - min(counts) for counts in by_bot.values()), default=0)


@dataclass(slots=True, kw_only=True)
class Status:
    """How a tournament stands.

    Attributes:
        total: matches of the whole schedule.
        accepted: matches that were accepted; they count unless something else was decided.
        settled: these, and the matches of pairings that were given up.
        unplayed: why pairings were given up, with how many each.
        no_shows: how many attempts a bot missed before there was a match.
        process: the process that plays it now; 0 for none.
        torn: bytes of a decision that was being written when its process ended, which does not hold.
    """

    name: str
    game: str
    total: int
    accepted: int
    settled: int
    unplayed: Counter[str]
    voided: dict[str, str]
    disqualified: dict[str, str]
    withdrawn: dict[str, str]
    paused: dict[str, str]
    byes: int
    no_shows: dict[str, int]
    process: int
    torn: int = 0


def listed(tournament: Tournament) -> Iterator[Pairing]:
    """Yields the pairings of the first round, made one at a time; where there is one round these are all."""
    schedule = make(tournament.format, tournament.field).pairings(0)
    return (one for one in schedule if isinstance(one, Pairing))


def plan_of(tournament: Tournament, store: Store | None, parallel: int) -> Plan:
    """Returns what the schedule comes to, as far as it is known before anything is played."""
    schedule = make(tournament.format, tournament.field)
    plan = Plan(total=schedule.total(), rounds=schedule.rounds)
    for one in islice(schedule.pairings(0), LOOKED_AT + 1):
        if isinstance(one, Bye):
            plan.byes.append(one.entrant)
            continue
        if plan.pairings == LOOKED_AT:
            plan.more = True
            break
        plan.pairings += 1
        for sitting in one.sittings:
            plan.played.update(sitting)
            plan.seats.update((name, seat) for seat, name in enumerate(sitting))
    length = _length(tournament, store) if store else None
    plan.seconds = None if length is None else plan.total * length / parallel
    return plan


def status_of(tournament: Tournament, folder: Folder) -> Status:
    """Returns how a tournament stands by its decisions."""
    log, process = folder.log, folder.played_by()
    book = Book(tournament, log, lambda: 0)
    book.close()
    rulings, rounds = book.rulings, Rounds(tournament, book)
    return Status(
        name=tournament.name,
        game=tournament.game,
        total=rounds.total,
        accepted=book.matches,
        settled=rounds.settled,
        unplayed=Counter(
            one.why for pairing, one in rulings.unplayed.items() if pairing not in rulings.accepted
        ),
        voided=rulings.voided,
        disqualified=rulings.disqualified,
        withdrawn=rulings.withdrawn,
        paused=rulings.paused,
        byes=sum(map(len, rulings.byes.values())),
        no_shows=dict(rulings.no_shows),
        process=process,
        torn=0 if process else log.torn,
    )


def _length(tournament: Tournament, store: Store) -> float | None:
    """Returns how many seconds a match of the game took lately, on the average."""
    found = store.matches(limit=_SAMPLE, game=tournament.game)
    return _mean(
        result.duration / 1_000_000
        for result in found
        if result.termination in COUNTED and dict(result.options) == dict(tournament.options)
    )


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return sum(found) / len(found) if found else None

"""What is known of a tournament while it is played: what was decided, and which attempts were made.

Every decision is on disk before anything follows from it. Those of others, an operator at another
terminal, are taken in as they come.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from referee.organiser.strays import place_of, strays
from referee.organiser.tournament import Tournament
from referee.store.decision_log import DecisionLog
from referee.tournament.decision import (
    Accepted,
    Decision,
    Drawn,
    NoShow,
    Rulings,
    Unplayed,
    Voided,
    Withdrawn,
)
from referee.tournament.decision import Bye as ByeDecision
from referee.tournament.formats.base import Bye, Meeting, Pairing
from referee.tournament.result import COUNTED, MatchResult


class Book:
    """The decisions and attempts of one tournament; `wall` is microseconds since the Unix epoch.

    Attributes:
        rulings: what the decisions come to.
        settled: the numbers of the pairings that have a defined result: accepted, or given up.
        matches: how many matches were accepted.
        unplayed: how many pairings were given up.
        strays: why matches that name the tournament are none of it, by match id.
    """

    def __init__(self, tournament: Tournament, log: DecisionLog, wall: Callable[[], int]) -> None:
        self.rulings = Rulings()
        self.settled: set[int] = set()
        self.matches = 0
        self.unplayed = 0
        self.strays: dict[str, str] = {}
        self._tournament = tournament
        self._log = log
        self._wall = wall
        self._thread = ThreadPoolExecutor(1, "decisions")
        self._seen = 0
        self._tried: defaultdict[int, int] = defaultdict(int)
        self._points: dict[int, Mapping[str, float]] = {}
        self._names = {bot.bot_id: bot.name for bot in tournament.bots}
        self._ids = {bot.name: bot.bot_id for bot in tournament.bots}
        self._take(self._news())

    @property
    def groups(self) -> int:
        """How many pairings were accepted, each with deals of its own."""
        return len(self.settled) - self.unplayed

    def close(self) -> None:
        """Waits for what is being written."""
        self._thread.shutdown()

    def load(self, results: Iterable[MatchResult]) -> int:
        """Takes the results of matches that were played before, in the order in which they were made.

        Accepts those that came to an end that counts just before the process ended; returns how many
        pairings these are. What is none of the tournament is made void, see `strays`.
        """
        whole: dict[int, dict[int, list[MatchResult]]] = defaultdict(lambda: defaultdict(list))
        new = []
        for result in results:
            index = place_of(result.pairing_id)
            if index is not None and index not in self.settled:
                self._tried[index] = max(self._tried[index], result.attempt)
            if result.termination in COUNTED:
                if index is None or index not in self.settled:
                    new.append(result)
                if index is not None:
                    whole[index][result.attempt].append(result)
        self.strays = strays(self._tournament, self.rulings, new)
        fresh: list[Decision] = [
            Voided(at=self._wall(), match_id=match, why=why)
            for match, why in self.strays.items()
            if match not in self.rulings.voided
        ]
        for index, attempts in whole.items():
            accepted = self.rulings.accepted.get(self._tournament.pairing_id(index))
            for attempt, every in sorted(attempts.items(), reverse=True):
                found = [one for one in every if one.match_id not in self.strays]
                if accepted is None and index not in self.settled and _is_whole(found):
                    accepted = self._accepted(index, attempt, [one.match_id for one in found])
                    fresh.append(accepted)
                if accepted is not None and accepted.attempt == attempt:
                    self._points[index] = self._mean(
                        one for one in found if one.match_id in accepted.match_ids
                    )
        self._log.append(*fresh)
        self._take(self._news())
        return sum(isinstance(one, Accepted) for one in fresh)

    def resume(self, index: int, attempt: int) -> None:
        """Takes note of an attempt that an earlier process began and that goes on."""
        self._tried[index] = max(self._tried[index], attempt)

    async def refresh(self) -> bool:
        """Takes in what others decided; says whether there was anything."""
        return await self._run(())

    def plays(self, name: str) -> bool:
        """Says whether a bot may be given matches."""
        return self.rulings.plays(self._ids[name])

    def left(self, name: str) -> str:
        """Says that a bot has left for good and why; nothing of one that plays, or is paused only."""
        bot = self._ids[name]
        for word, away in (
            ("disqualified", self.rulings.disqualified),
            ("withdrawn", self.rulings.withdrawn),
        ):
            if bot in away:
                return f"{name} is {word}: {away[bot]}"
        return ""

    def gone(self) -> frozenset[str]:
        """Returns the bots that have left for good."""
        return frozenset(bot.name for bot in self._tournament.bots if self.left(bot.name))

    def next_attempt(self, index: int) -> int:
        """Returns the number of a new attempt at a pairing, which it takes."""
        self._tried[index] += 1
        return self._tried[index]

    def tried(self, index: int) -> int:
        """Returns the number of the last attempt at a pairing that is not settled."""
        return self._tried[index]

    async def accept(
        self, index: int, attempt: int, matches: Sequence[str], points: Mapping[str, float]
    ) -> bool:
        """Has the matches of an attempt count, unless another attempt was accepted; says which."""
        decision = self._accepted(index, attempt, matches)
        self._points[index] = points
        await self._run((decision,))
        return self.rulings.accepted[decision.pairing_id].attempt == attempt

    async def give_up(self, reasons: Mapping[int, str], at_fault: Iterable[str] = ()) -> None:
        """Has pairings stay unplayed, each for its reason; `at_fault` are names."""
        ids = tuple(self._ids[name] for name in at_fault)
        await self._run(
            tuple(
                Unplayed(
                    at=self._wall(), pairing_id=self._tournament.pairing_id(index), why=why, at_fault=ids
                )
                for index, why in reasons.items()
            )
        )

    async def missed(self, index: int, names: Iterable[str], why: str) -> None:
        """Notes who did not show up for an attempt at a pairing that no log can tell of."""
        pairing, bots = self._tournament.pairing_id(index), tuple(self._ids[name] for name in names)
        attempt = self._tried[index]
        await self._run((NoShow(at=self._wall(), pairing_id=pairing, attempt=attempt, bots=bots, why=why),))

    async def withdraw(self, name: str, why: str) -> None:
        """Takes a bot out for good; what it has played counts."""
        await self._run((Withdrawn(at=self._wall(), bot=self._ids[name], why=why),))

    async def bye(self, bye: Bye) -> None:
        """Notes a bye, once."""
        bot = self._ids[bye.entrant]
        if bot not in self.rulings.byes.get(bye.round, []):
            await self._run((ByeDecision(at=self._wall(), round=bye.round, bot=bot),))

    async def draw(self, number: int, drawn: Sequence[Pairing | Bye]) -> None:
        """Fixes the pairings and byes of a round that depends on the rounds before it."""
        pairings = [one for one in drawn if isinstance(one, Pairing)]
        byes = [
            ByeDecision(at=self._wall(), round=number, bot=self._ids[one.entrant])
            for one in drawn
            if isinstance(one, Bye)
        ]
        indexed = {one.index: one.sittings for one in pairings}
        first = min(indexed, default=0)
        span = range(first, max(indexed, default=-1) + 1)
        tables = tuple(indexed.get(index, ()) for index in span)
        await self._run((*byes, Drawn(at=self._wall(), round=number, first=first, pairings=tables)))

    def drawn(self, number: int) -> list[Pairing | Bye] | None:
        """Returns what was fixed of a round; None where it was not drawn yet."""
        found = self.rulings.drawn.get(number)
        if found is None:
            return None
        byes = [Bye(number, self._names[bot]) for bot in self.rulings.byes.get(number, ())]
        return [
            *byes,
            *(
                Pairing(found.first + at, number, sittings, self._tournament.duplicate)
                for at, sittings in enumerate(found.pairings)
                if sittings
            ),
        ]

    def meeting(self, pairing: Pairing) -> Meeting:
        """Returns what came of a pairing that is settled."""
        pairing_id = self._tournament.pairing_id(pairing.index)
        accepted = self.rulings.accepted.get(pairing_id)
        if accepted is None:
            given_up = self.rulings.unplayed.get(pairing_id)
            missing = [self._names.get(bot, bot) for bot in given_up.at_fault] if given_up else []
            return Meeting(pairing, {}, missing)
        voided = any(match in self.rulings.voided for match in accepted.match_ids)
        return Meeting(pairing, {} if voided else self._points.get(pairing.index, {}))

    def forget_points(self) -> None:
        """Keeps no points any more: a format of one round never asks for them."""
        self._points.clear()

    def _accepted(self, index: int, attempt: int, matches: Sequence[str]) -> Accepted:
        pairing = self._tournament.pairing_id(index)
        return Accepted(at=self._wall(), pairing_id=pairing, attempt=attempt, match_ids=tuple(matches))

    def _mean(self, results: Iterable[MatchResult]) -> dict[str, float]:
        seats = [(seat.bot, seat.points) for result in results for seat in result.seats]
        return mean_points((self._names.get(bot, bot), points) for bot, points in seats)

    async def _run(self, decisions: tuple[Decision, ...]) -> bool:
        loop = asyncio.get_running_loop()
        news = await loop.run_in_executor(self._thread, self._append, decisions)
        self._take(news)
        return bool(news)

    def _append(self, decisions: tuple[Decision, ...]) -> list[Decision]:
        self._log.append(*decisions)
        return self._news()

    def _news(self) -> list[Decision]:
        news = self._log.since(self._seen)
        self._seen += len(news)
        self._log.forget()
        return news

    def _take(self, news: Iterable[Decision]) -> None:
        for decision in news:
            self.rulings.take(decision)
            if isinstance(decision, Accepted | Unplayed):
                index = index_of(decision.pairing_id)
                if index in self.settled:
                    continue
                self.settled.add(index)
                self._tried.pop(index, None)
                if isinstance(decision, Accepted):
                    self.matches += len(decision.match_ids)
                else:
                    self.unplayed += 1


def mean_points(points: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Returns the mean of the points of each bot over all its seats."""
    found: dict[str, list[float]] = defaultdict(list)
    for name, point in points:
        found[name].append(point)
    return {name: sum(each) / len(each) for name, each in found.items()}


def index_of(pairing_id: str) -> int:
    """Returns the number of a pairing by its id or by that of a match of its block."""
    return int(pairing_id.rpartition("/")[2].partition(".")[0])


def _is_whole(results: Sequence[MatchResult]) -> bool:
    """Says whether matches that came to an end that counts are all of their pairing."""
    parts = {result.pairing_id for result in results}
    groups = {result.deal_group for result in results}
    return len(groups) == 1 and len(parts) == len(results) == results[0].parts

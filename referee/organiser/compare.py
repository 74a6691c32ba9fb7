"""Plays one bot against another until it is known whether it is better."""

import asyncio
import hashlib
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import count

import msgspec

from referee.engine.entrants import Entry, entries
from referee.engine.local import LocalArena
from referee.errors import LaunchError, RefereeError, UsageError
from referee.games.info import OptionValue
from referee.match.config import Penalties, TimeControl
from referee.server.request import MatchOutcome, MatchRequest
from referee.store.decision_log import DecisionLog
from referee.tournament import duel
from referee.tournament.decision import Accepted
from referee.tournament.result import COUNTED, MatchResult
from referee.tournament.sequential import Comparison, Hypotheses, Verdict

ATTEMPTS = 3
"""How often a block is tried before the comparison is given up."""


class Duel(msgspec.Struct, frozen=True, kw_only=True):
    """All that makes a comparison what it is.

    Attributes:
        old: the command of the one bot.
        new: the command of the other, which is to be better.
        third: the house bot at a table with an odd number of seats.
        seed: all deals are derived from it; None for deals that can be proved.
        blocks: how many blocks are played at the most.
    """

    run: str
    game: str
    options: dict[str, OptionValue]
    old: str
    new: str
    third: str
    seats: int
    seed: int | None
    time_control: TimeControl
    penalties: Penalties
    gain: float
    alpha: float
    beta: float
    blocks: int

    def hypotheses(self) -> Hypotheses:
        """Returns what is weighed; raises `UsageError` for what cannot be told apart."""
        hypotheses = Hypotheses(gain=self.gain, alpha=self.alpha, beta=self.beta)
        hypotheses.check()
        return hypotheses

    def bots(self) -> tuple[Entry, ...]:
        """Returns old, new and, where the table has a seat for it, third; raises `UsageError`."""
        return entries([self.old, self.new, *([self.third] if self.seats % 2 else [])], self.game)

    def deals(self, index: int) -> int | None:
        """Returns the number from which the deals of a block are derived, or None."""
        if self.seed is None:
            return None
        return int.from_bytes(hashlib.sha256(f"{self.seed}/{index}".encode()).digest()[:6])

    def accepted(self, index: int, attempt: int, matches: Sequence[str]) -> Accepted:
        """Returns the decision that these matches are the ones of a block that count."""
        now = time.time_ns() // 1000
        return Accepted(at=now, pairing_id=self.block(index), attempt=attempt, match_ids=tuple(matches))

    def block(self, index: int) -> str:
        """Returns the id of a block as a pairing."""
        return f"{self.run}/{index}"

    def encoded(self) -> bytes:
        """Returns it as the file that is kept of it."""
        return msgspec.json.format(msgspec.json.encode(self))


@dataclass(slots=True)
class Before:
    """What was played earlier: the difference of each whole block, and the attempts at every block.

    `news` are the decisions that blocks count which were whole just before the process ended.
    """

    differences: dict[int, float] = field(default_factory=dict)
    attempts: dict[int, int] = field(default_factory=dict)
    news: list[Accepted] = field(default_factory=list)


def before(plan: Duel, results: Iterable[MatchResult], accepted: Mapping[str, Accepted]) -> Before:
    """Returns what the results of earlier matches of a comparison come to; `accepted` is by block.

    Raises `UsageError` for a block that was accepted and is not there any more.
    """
    old, new = (entry.bot_id for entry in plan.bots()[:2])
    blocks: defaultdict[int, defaultdict[int, list[MatchResult]]] = defaultdict(lambda: defaultdict(list))
    found = Before()
    for result in results:
        index = int(result.pairing_id.rpartition("/")[2].partition(".")[0])
        blocks[index][result.attempt].append(result)
        found.attempts[index] = max(result.attempt, found.attempts.get(index, 0))
    for pairing_id in accepted:
        blocks[int(pairing_id.rpartition("/")[2])]  # one without any match is looked at, too
    for index, attempts in sorted(blocks.items()):
        named = accepted.get(plan.block(index))
        attempt = named.attempt if named else _latest(attempts)
        matches = attempts.get(attempt, [])
        if named and {one.match_id for one in matches} != {*named.match_ids}:
            raise UsageError(
                f"comparison {plan.run}: matches of block {index} are gone; put back their logs under"
                " replays/, or start a new comparison"
            )
        if matches:
            seats = [[(seat.bot, seat.points) for seat in one.seats] for one in matches]
            found.differences[index] = duel.difference(seats, new, old)
        if matches and not named:
            found.news.append(plan.accepted(index, attempt, [one.match_id for one in matches]))
    return found


def _latest(attempts: Mapping[int, Sequence[MatchResult]]) -> int:
    """Returns the latest attempt at a block that is whole, 0 for none."""
    return max((attempt for attempt, matches in attempts.items() if _is_whole(matches)), default=0)


def _is_whole(matches: Sequence[MatchResult]) -> bool:
    return (
        len(matches) == matches[0].parts
        and len({one.deal_group for one in matches}) == 1
        and all(one.termination in COUNTED for one in matches)
    )


class Duellist:
    """Plays the blocks of a comparison; `told` hears what they come to after each.

    That a block counts is on disk, in `log`, before anything follows from it. Blocks count in their
    order, whichever ends first: quick ones may be of another kind than slow ones.

    Attributes:
        comparison: what they come to so far.
        played: how many matches were played now.
    """

    def __init__(
        self,
        plan: Duel,
        arena: LocalArena,
        known: Before,
        log: DecisionLog,
        told: Callable[[Comparison], None],
    ) -> None:
        self.comparison = Comparison(plan.hypotheses())
        self.played = 0
        self._plan = plan
        self._bots = plan.bots()
        self._arena = arena
        self._log = log
        self._thread = ThreadPoolExecutor(1, "decisions")
        self._attempts = known.attempts
        self._differences = dict(known.differences)
        self._told = told
        self._missing = (index for index in count() if index not in known.differences)
        self._next = 0
        self._count()

    @property
    def decided(self) -> bool:
        """Whether there is nothing more to play."""
        return self.comparison.verdict is not Verdict.GO_ON or self._next >= self._plan.blocks

    async def play(self, parallel: int) -> None:
        """Plays until the test has its answer or all blocks are played; cancelling voids what runs.

        Raises `LaunchError` where a bot does not come, and `RefereeError` where the record cannot be
        written or blocks are spoiled again and again.
        """
        workers = [asyncio.create_task(self._work()) for _ in range(parallel)]
        try:
            await asyncio.wait(workers, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for worker in workers:
                worker.cancel()
            ends = await asyncio.gather(*workers, return_exceptions=True)
            self._thread.shutdown()
        for end in ends:
            if isinstance(end, Exception):
                raise end

    async def _work(self) -> None:
        """Plays blocks until it is decided; then all others may stop."""
        while not self.decided:
            index = next(self._missing)
            if index >= self._plan.blocks:
                await asyncio.Event().wait()  # others still play what decides it
            self._differences[index] = await self._block(index)
            self._count()

    def _count(self) -> None:
        while not self.decided and self._next in self._differences:
            self.comparison.add(self._differences.pop(self._next))
            self._next += 1
            self._told(self.comparison)

    async def _block(self, index: int) -> float:
        old, new, *third = (entry.name for entry in self._bots)
        seats = duel.sittings(self._plan.seats, index, new, old, *third or [""])
        tried = self._attempts.get(index, 0)
        for attempt in range(tried + 1, tried + 1 + ATTEMPTS):
            outcomes = await self._arena.play_block(
                self._request(index, attempt, seats[0]), seats, "rotate", self._ended
            )
            if len(outcomes) == len(seats) and all(one.termination in COUNTED for one in outcomes):
                matches = [one.match_id for one in outcomes if one.match_id]
                await asyncio.get_running_loop().run_in_executor(
                    self._thread, self._log.append, self._plan.accepted(index, attempt, matches)
                )
                return duel.difference(
                    [_points(one, at) for one, at in zip(outcomes, seats, strict=True)], new, old
                )
            if outcomes[-1].termination == "no_show":
                raise LaunchError(outcomes[-1].note)
        raise RefereeError(f"block {index} was spoiled {ATTEMPTS} times: {outcomes[-1].note}")

    def _request(self, index: int, attempt: int, bots: tuple[str, ...]) -> MatchRequest:
        plan = self._plan
        return MatchRequest(
            game=plan.game,
            options=plan.options,
            bots=bots,
            seed=plan.deals(index),
            pairing_id=plan.block(index),
            attempt=attempt,
            time_control=plan.time_control,
            penalties=plan.penalties,
            rated=False,
        )

    def _ended(self, outcome: MatchOutcome) -> None:
        self.played += outcome.termination in COUNTED


def _points(outcome: MatchOutcome, seats: tuple[str, ...]) -> list[tuple[str, float]]:
    places = outcome.end.places if outcome.end else ()
    return [(seats[place.seat], place.points) for place in places]


def as_values(plan: Duel, comparison: Comparison) -> Mapping[str, object]:
    """Returns what a comparison has come to as values for JSON; what is not known is null."""
    old, new = (entry.name for entry in plan.bots()[:2])
    low, high = interval(comparison)
    verdict = comparison.verdict
    return {
        "run_id": plan.run,
        "game": plan.game,
        "seats": plan.seats,
        "old": old,
        "new": new,
        "verdict": None if verdict is Verdict.GO_ON else verdict.value,
        "blocks": comparison.blocks,
        "matches": comparison.blocks * duel.matches(plan.seats),
        "difference": {"mean": comparison.mean if comparison.blocks else None, "low": low, "high": high},
        "evidence": comparison.evidence,
        "bounds": list(comparison.hypotheses.bounds),
        "gain": plan.gain,
    }


def interval(comparison: Comparison) -> tuple[float | None, float | None]:
    """Returns the ends of the normal 95 % interval of the mean; None for fewer than two blocks."""
    if comparison.error is None:
        return None, None
    half = 1.96 * comparison.error
    return comparison.mean - half, comparison.mean + half

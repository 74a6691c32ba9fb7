"""Plays a tournament: every pairing exactly once, whatever bots do and whoever is killed.

A pairing is settled by a decision: `Accepted` names the attempt that counts, `Unplayed` says why there
is none. An attempt that was spoiled goes to the end of those that wait, so that nobody waits for it;
after so many it is given up. What another process decides meanwhile is taken in within a second.
"""

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from typing import Any

from referee.engine.local import LocalArena
from referee.errors import TooFewError
from referee.match.config import Setup
from referee.organiser.book import Book, index_of, mean_points
from referee.organiser.ending import EndError, Ending, Outcome
from referee.organiser.presence import Presence
from referee.organiser.rounds import Rounds
from referee.organiser.tally import Table, Tally
from referee.organiser.tournament import Tournament
from referee.organiser.window import Window
from referee.server.request import MatchOutcome, MatchRequest
from referee.tournament.formats.base import Pairing
from referee.tournament.result import COUNTED

TICK = 0.5
"""Seconds between two looks at what others decided and at who is here."""
_GLANCE = 0.02
"""Seconds between two looks at bots that dial in while nothing else can be done."""


async def _never(_matches: int, _groups: int) -> str:
    return ""


class Organiser:
    """Plays what is missing of a tournament.

    `watch` hears of every change. `enough` gets the numbers of matches and of deal groups that count so
    far and says why they are enough, or nothing.
    """

    def __init__(
        self,
        tournament: Tournament,
        book: Book,
        arena: LocalArena,
        parallel: int,
        *,
        watch: Callable[[Tally], None] = lambda _: None,
        enough: Callable[[int, int], Awaitable[str]] = _never,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._rounds = Rounds(tournament, book)
        self.tally = Tally(now=now, total=self._rounds.total, before=self._rounds.settled)
        self._tournament = tournament
        self._book = book
        self._arena = arena
        self._parallel = parallel
        self._watch = watch
        self._enough = enough
        self._now = now
        self._bots = tournament.by_name
        self._presence = Presence(tournament, arena, parallel, now)
        self._most = max(1, int(tournament.running.share * parallel))
        self._window = Window(iter(()), self._presence.capacity, self._book.plays, self._most)
        self._running: dict[asyncio.Task[list[MatchOutcome]], Pairing] = {}
        self._tries: Counter[int] = Counter()
        self._missed: Counter[str] = Counter()
        self._failures = 0

    async def play(self, stop: asyncio.Event) -> Outcome:
        """Plays until all is settled, a rule or an obstacle ends it, or `stop` is set.

        Matches that run then are void. Raises `RefereeError` where the record cannot be written.
        """
        work = asyncio.create_task(self._play())
        stopping = asyncio.create_task(stop.wait())
        await asyncio.wait({work, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if not work.done():
            work.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            return await work
        return Outcome(Ending.INTERRUPTED)

    def go_on(self, resumed: Iterable[tuple[Setup, Coroutine[Any, Any, MatchOutcome]]]) -> None:
        """Takes matches that an earlier process began, before `play`; see `Arena.resumed`."""
        for setup, outcome in resumed:
            names = tuple(self._presence.name(seat.bot) for seat in setup.seats)
            pairing = Pairing(index_of(setup.pairing_id), 0, (names,))
            self.tally.tables[pairing.index] = Table(pairing, setup.attempt, self._now())
            self._running[asyncio.create_task(self._follow(pairing, outcome))] = pairing

    async def _play(self) -> Outcome:
        try:
            await self._stop_if_enough()
            for number in range(self._rounds.count):
                self._check_players("")
                await self._play_round(await self._rounds.pairings(number))
        except EndError as end:
            return end.outcome
        except TooFewError as error:
            return Outcome(Ending.PAUSED, f"not enough players: {error}")
        return Outcome(Ending.FINISHED)

    async def _play_round(self, pairings: Iterator[Pairing]) -> None:
        going_on = {pairing.index for pairing in self._running.values()}
        left = (pairing for pairing in pairings if pairing.index not in going_on)
        self._window = Window(left, self._presence.capacity, self._book.plays, self._most)
        for pairing in self._running.values():
            self._window.places.update(pairing.entrants)
        try:
            while True:
                await self._book.refresh()
                await self._leave_out()
                self._call_off()
                self._start()
                if self._running:
                    await self._wait()
                elif self._window.is_empty:
                    return
                elif self._presence.dialling():
                    await asyncio.sleep(_GLANCE)
                else:
                    raise self._held_up()
        finally:
            for task in self._running:
                if not task.cancelling():  # a second time would break off how it ends its processes
                    task.cancel()
            await asyncio.gather(*self._running, return_exceptions=True)
            self._running.clear()

    def _start(self) -> None:
        """Starts pairings while there is room for them."""
        while len(self._running) < self._parallel and self._wants_more():
            pairing = self._window.take(idle=not self._running and not self._presence.dialling())
            if pairing is None:
                return
            self._running[asyncio.create_task(self._attempt(pairing))] = pairing

    def _wants_more(self) -> bool:
        limit = self._tournament.stop.matches
        started = sum(len(pairing.sittings) for pairing in self._running.values())
        return not limit or self._book.matches + started < limit

    async def _wait(self) -> None:
        """Waits until a pairing has ended, or for a tick, and sees to those that have."""
        done, _ = await asyncio.wait(self._running, timeout=TICK, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            pairing = self._running.pop(task)
            self._window.done(pairing)
            if task.cancelled():
                await self._give_up([pairing])
            else:
                await self._ended(pairing, task.result())
        self._watch(self.tally)

    async def _attempt(self, pairing: Pairing) -> list[MatchOutcome]:
        attempt = self._book.next_attempt(pairing.index)
        self.tally.tables[pairing.index] = Table(pairing, attempt, self._now())
        sittings = [tuple(map(self._presence.key, sitting)) for sitting in pairing.sittings]
        plan = self._tournament
        request = MatchRequest(
            game=plan.game,
            options=plan.options,
            bots=sittings[0],
            seed=plan.deals(pairing),
            pairing_id=plan.pairing_id(pairing.index),
            attempt=attempt,
            time_control=plan.time_control,
            penalties=plan.penalties,
            tournament=plan.name if plan.headed else "",
            anonymous=plan.anonymous,
            rated=plan.counts(pairing),
        )
        try:
            if pairing.kind is None:
                return [await self._arena.play(request)]
            return await self._arena.play_block(request, sittings, pairing.kind)
        finally:
            self.tally.tables.pop(pairing.index, None)

    async def _follow(
        self, pairing: Pairing, outcome: Coroutine[Any, Any, MatchOutcome]
    ) -> list[MatchOutcome]:
        try:
            return [await outcome]
        finally:
            self.tally.tables.pop(pairing.index, None)

    async def _ended(self, pairing: Pairing, outcomes: list[MatchOutcome]) -> None:
        self.tally.see(outcomes)
        whole = len(outcomes) == len(pairing.sittings)
        if not whole or any(outcome.termination not in COUNTED for outcome in outcomes):
            await self._spoiled(pairing, outcomes[-1])
            return
        attempt = self._book.tried(pairing.index)
        ids = [outcome.match_id for outcome in outcomes if outcome.match_id]
        points = mean_points(
            (sitting[place.seat], place.points)
            for sitting, outcome in zip(pairing.sittings, outcomes, strict=True)
            for place in (outcome.end.places if outcome.end else ())
        )
        if await self._book.accept(pairing.index, attempt, ids, points):
            self.tally.count(outcomes)
        self._failures = 0
        for name in pairing.entrants:
            self._missed.pop(name, None)
        await self._stop_if_enough()

    async def _spoiled(self, pairing: Pairing, last: MatchOutcome) -> None:
        """Has a pairing wait for another attempt, or gives it up."""
        self.tally.spoiled += 1
        self._tries[pairing.index] += 1
        why = last.note or last.termination.replace("_", " ")
        missing = [self._presence.name(bot) for bot in last.missing]
        limits = self._tournament.running
        if last.termination == "no_show":
            self._failures += 1
            self._missed.update(missing)
            if last.match_id is None:
                await self._book.missed(pairing.index, missing, why)
            self._check_players(why)
        for name in missing:
            if self._missed[name] >= limits.no_shows and self._book.plays(name):
                await self._book.withdraw(name, f"it missed {self._missed[name]} matches in a row; {why}")
        hopeless = self._arena.gone.intersection(missing)
        if hopeless or self._tries[pairing.index] >= limits.attempts:
            await self._give_up([pairing], why, missing)
        else:
            self._window.put_back(pairing)
        settled = self._window.is_empty and not self._running
        if self._failures >= limits.start_failures and not settled:
            told = f"{self._failures} matches in a row could not start; the last: {why}"
            raise EndError(Ending.PAUSED, told)

    async def _give_up(
        self, pairings: list[Pairing], why: str = "", at_fault: list[str] | None = None
    ) -> None:
        """Has pairings stay unplayed, those of bots that have left too."""
        found = [(pairing, why or self._left(pairing) or "called off") for pairing in pairings]
        await self._book.give_up({pairing.index: reason for pairing, reason in found}, at_fault or ())
        for pairing, reason in found:
            self._tries.pop(pairing.index, None)
            self.tally.give_up(self._tournament.pairing_id(pairing.index), len(pairing.sittings), reason)

    async def _leave_out(self) -> None:
        """Gives up the pairings of bots that have left; raises where too few are left to play at all."""
        while out := self._window.drop(lambda pairing: bool(self._left(pairing))):
            self._check_players("")
            await self._give_up(out)
            self._watch(self.tally)

    def _call_off(self) -> None:
        """Ends, once, running matches of disqualified bots, and those that wait for bots that have left."""
        for task, pairing in self._running.items():
            for name in pairing.entrants:
                bot = self._bots[name].bot_id
                away = bot in self._book.rulings.withdrawn and self._presence.capacity(name) is None
                if (bot in self._book.rulings.disqualified or away) and not task.cancelling():
                    task.cancel()

    def _left(self, pairing: Pairing) -> str:
        """Says which bot of a pairing has left for good, and why; nothing where all are there."""
        reasons = (self._book.left(name) for name in sorted(pairing.entrants))
        return next((reason for reason in reasons if reason), "")

    def _held_up(self) -> EndError:
        """Returns why nothing of what is left can be played now."""
        if not self._wants_more():
            told = f"{self._book.matches} matches were played, as many as wanted"
            return EndError(Ending.STOPPED, told)
        waiting = {name for name in self._bots if not self._book.plays(name) and not self._book.left(name)}
        told = f"what is left needs bots that are paused: {', '.join(sorted(waiting))}"
        return EndError(Ending.PAUSED, told)

    def _check_players(self, why: str) -> None:
        """Raises where fewer bots are here, or on their way, than a table has seats."""
        playing = [name for name in self._bots if not self._book.left(name)]
        here = [name for name in playing if self._presence.capacity(name) is not None]
        seats = self._tournament.seats
        if len(playing) >= seats and (len(here) >= seats or not why):
            return
        away = ", ".join(name for name in playing if name not in here)
        reasons = "; ".join(filter(None, map(self._book.left, self._bots)))
        told = why or (f"{away} not here" if len(playing) >= seats else reasons)
        raise EndError(Ending.PAUSED, f"not enough players: {told}")

    async def _stop_if_enough(self) -> None:
        why = await self._enough(self._book.matches, self._book.groups)
        if why:
            raise EndError(Ending.STOPPED, why)

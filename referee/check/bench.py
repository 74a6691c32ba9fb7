"""One bot at one referee: what scenarios do with them."""

import asyncio
import re
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from referee import games
from referee.check.front import Front
from referee.check.journal import CLOSED, DROPPED, Journal
from referee.check.notes import MatchNotes, StreamNotes
from referee.check.partners import NAMES
from referee.check.scenario import Failed
from referee.check.tamper import Tamper
from referee.check.venue import Venue
from referee.errors import printable
from referee.games.info import GameInfo, OptionValue
from referee.match.config import SECOND, TimeControl
from referee.server.launcher import LaunchedBot
from referee.server.request import MatchOutcome, MatchRequest
from referee.v1 import fault_pb2
from referee.v1 import play_service_pb2 as pb

if TYPE_CHECKING:
    from referee.server.launch_report import Exit

COMES_BACK: Final = 30.0
"""How long a bot may take to come back, in seconds."""
MOST_SHOWN: Final = 100
"""Characters that are shown of the last line that a bot printed."""
_LENGTHS: Final = {"target": 30, "deals": 2}
"""What makes a match short, where a game has such an option."""
_USUAL_SEATS: Final = 4
_TURNS: Final = 200
"""More turns than the bot has in any of these matches; each is bounded by its clock."""
_WATCHED: Final = 3.0
"""How long a bot that was refused is watched for further attempts, in seconds."""
_SETTLES: Final = 1.0
"""How long the end of a stream may take that the referee closes, in seconds."""
_EXIT: Final = 1.0
"""How long after its last stream a process may take to end, in seconds."""
_OWN: Final = (fault_pb2.FAULT_KIND_LATE, fault_pb2.FAULT_KIND_ILLEGAL, fault_pb2.FAULT_KIND_MALFORMED)


def usual_seats(info: GameInfo) -> int:
    """Returns how many sit at a table of a game: four, or as near to that as the game comes."""
    return max(info.min_seats, min(_USUAL_SEATS, info.max_seats))


class Bench:
    """A bot behind its front, and the referee that it plays at; `process` is None for a remote one."""

    def __init__(self, venue: Venue, front: Front, name: str, process: LaunchedBot | None) -> None:
        self.venue = venue
        self.front = front
        self.name = name
        self.process = process
        self._seed = 0

    @property
    def journal(self) -> Journal:
        """The notes of the scenario that runs."""
        return self.front.journal

    async def greeted(self, limit: float) -> StreamNotes:
        """Waits for the bot to say hello; raises `Failed`."""
        return await self.arrived(None, limit, f"it did not say Hello within {limit:g} s")

    async def arrived(self, before: StreamNotes | None, limit: float, complaint: str) -> StreamNotes:
        """Waits for a stream that is let in, newer than another; raises `Failed`."""

        def here() -> bool:
            return bool(self.journal.greeted) and self.journal.greeted[-1] is not before

        await self.until(lambda: here() or self.journal.barred, limit, complaint)
        if not here():  # a bot that is refused has a little time to show whether it tries again
            await self.journal.until(here, _WATCHED)
        if not here():
            again = "" if before is None else "it did not come back: "
            why = "it is not let in" if self.journal.shut_out else "the bot's Hello is refused"
            raise Failed(f"{again}{self.journal.barred}", anchor="a-session", rest="" if before else why)
        return self.journal.greeted[-1]

    def sit(
        self,
        game: str,
        time: TimeControl,
        *,
        seat: int = 0,
        seed: int | None = None,
    ) -> "Sitting":
        """Returns a short match of the bot with partners at all other seats, to be entered."""
        info = games.find(game).info
        self._seed += 1
        bots = list(NAMES[: usual_seats(info) - 1])
        bots.insert(seat, self.name)
        short: dict[str, OptionValue] = {
            option.name: _LENGTHS[option.name] for option in info.options if option.name in _LENGTHS
        }
        request = MatchRequest(
            game=game,
            options=short,
            bots=tuple(bots),
            seed=self._seed if seed is None else seed,
            time_control=time,
            rated=False,
        )
        return Sitting(self, request, time)

    async def play(
        self,
        game: str,
        time: TimeControl,
        *,
        tamper: Tamper | None = None,
        seat: int = 0,
        seed: int | None = None,
    ) -> MatchNotes:
        """Plays a match to its end and returns its notes; raises `Failed`."""
        if tamper:
            self.front.tamper = tamper
        async with self.sit(game, time, seat=seat, seed=seed) as sitting:
            return await sitting.ended()

    async def until(self, true: Callable[[], object], limit: float, complaint: str) -> None:
        """Waits until something holds; raises `Failed` with the complaint, or for what went wrong before."""
        if not await self.journal.until(lambda: true() or self.trouble(), limit):
            raise Failed(complaint)
        if not true():
            if self.process:  # a stream ends a little before its process, which has more to tell
                await asyncio.wait({self.process.exited}, timeout=_EXIT if self._dropped() else 0)
            raise Failed(self.trouble())

    async def settled(self) -> None:
        """Waits a moment for what follows from the last things that a bot said; raises `Failed`."""
        if await self.journal.until(self.trouble, _SETTLES):
            raise Failed(self.trouble())

    def trouble(self) -> str:
        """Says what no scenario can go on after: an end of the process, or an answer that was not had."""
        if self.process and self.process.exited.done():
            return exit_told(self.process)
        for match in self.journal.matches.values():
            for rejected in match.rejected:
                if complaint := self._complaint(match, rejected):
                    return f"{match.game}, turn {rejected.answered_turn_id}: {complaint}"
        return self._dropped()

    def _dropped(self) -> str:
        return self.offence(DROPPED) or self.offence(CLOSED)

    def offence(self, kind: str) -> str:
        """Says what was the first offence of a kind; nothing where there was none."""
        return next((o.text for o in self.journal.offences if o.kind == kind), "")

    def _complaint(self, match: MatchNotes, rejected: pb.Rejected) -> str:
        if (rejected.match_id, rejected.answered_turn_id) in self.journal.spared:
            turn_id = rejected.answered_turn_id
            return self.front.tamper.complaint([r for r in match.rejected if r.answered_turn_id == turn_id])
        if rejected.fault not in _OWN:
            return ""
        kind = fault_pb2.FaultKind.Name(rejected.fault).removeprefix("FAULT_KIND_")
        question = match.questions.get(rejected.answered_turn_id)
        if rejected.fault != fault_pb2.FAULT_KIND_LATE or question is None:
            return f"{kind}: {rejected.reason}"
        given = question.turn.clock.remaining_duration.ToMicroseconds() / SECOND
        return f"{kind}: no answer within {given:g} s"


class Sitting:
    """A match that runs while this is entered; it is called off when it is left before its end."""

    def __init__(self, bench: Bench, request: MatchRequest, time: TimeControl) -> None:
        self._bench = bench
        self._request = request
        self._before = set(bench.journal.matches)
        self._limit = _TURNS * time.base / SECOND + (time.bank + time.start + time.join) / SECOND
        self._outcome: asyncio.Future[MatchOutcome]

    async def __aenter__(self) -> Self:
        self._outcome = asyncio.ensure_future(self._bench.venue.arena.play(self._request))
        self._outcome.add_done_callback(lambda _: self._bench.journal.stir())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._outcome.done():
            self._bench.journal.over = True  # what is on its way now was meant for a match that was running
            self._outcome.cancel()
            await asyncio.wait({self._outcome})

    @property
    def notes(self) -> MatchNotes | None:
        """What was noted of it; None before it began. Of several that began at once, of one."""
        journal = self._bench.journal
        return next((match for key, match in journal.matches.items() if key not in self._before), None)

    @property
    def answered(self) -> int:
        """How many turns were answered."""
        return self.notes.answered if self.notes else 0

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return self._outcome.done()

    async def until(self, true: Callable[[], object], complaint: str) -> None:
        """Waits until something holds; raises `Failed`, also when the match has ended without it."""
        await self._bench.until(lambda: true() or self.over, self._limit, complaint)
        if not true():
            await self.ended()
            raise Failed(complaint)

    async def ended(self) -> MatchNotes:
        """Waits for the end and returns the notes; raises `Failed` unless it was played to its end."""
        return await self.resumed(self._outcome)

    async def resumed(self, outcome: "asyncio.Future[MatchOutcome]") -> MatchNotes:
        """Does as `ended` with a match that goes on at another server, whose outcome will be there."""
        game = self._request.game
        await self._bench.until(outcome.done, self._limit, f"{game}: the match did not end")
        return self._judge(outcome.result())

    def _judge(self, outcome: MatchOutcome) -> MatchNotes:
        game = self._request.game
        if trouble := self._bench.trouble():
            raise Failed(trouble)
        if outcome.termination not in {"completed", "adjudicated"} or not outcome.match_id:
            note = re.sub(rf"(?<!\S){re.escape(self._bench.name)}(?![^\s,;])", "the bot", outcome.note)
            why = f": {note}" if note else ""
            raise Failed(f"{game}: the match ended {outcome.termination.upper()}{why}")
        notes = self._bench.journal.matches.get(outcome.match_id)
        if notes is None:
            raise Failed(f"{game}: the bot was not there when its match began")
        return notes


def exit_told(process: LaunchedBot) -> str:
    """Says how a process ended, with the last that it printed."""
    exited: Exit = process.exited.result()
    last = next((line.strip() for line in reversed(process.stderr_tail()) if line.strip()), "")
    return f"the bot ended with {exited}" + (f"; the last it printed: {_shortened(last)}" if last else "")


def _shortened(line: str) -> str:
    """Returns what a terminal shows of a line, cut where it is too long for a table."""
    shown = printable(line[:MOST_SHOWN])
    return shown if len(line) <= MOST_SHOWN >= len(shown) else shown[: MOST_SHOWN - 3] + "..."

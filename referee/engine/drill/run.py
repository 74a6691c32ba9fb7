"""Runs a drill: starts the bot, asks it the turns of a seat one after another, and judges what it answers.

After each turn the match goes on with what was played in the log, whatever the bot answered. Where that
is another action the bot is told so as when a default action was played for it: `Rejected` with
`played_action`. So a bot that keeps what it has seen stays right about the table.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from referee.engine.drill.desk import Desk
from referee.engine.drill.feed import Feed, Judgement, Question
from referee.engine.drill.values import VERDICTS, Drill, Row
from referee.errors import LaunchError
from referee.match.config import SECOND
from referee.replay.reader import Log
from referee.server.codec import Wish
from referee.server.hello import Introduction
from referee.server.launcher import LaunchedBot, Launcher, LaunchSpec
from referee.v1 import play_service_pb2 as pb

PATIENCE: Final = 10 * SECOND
"""How long at most a late answer is waited for, in microseconds."""
GIVEN_UP: Final = 3
"""After so many turns in a row without an answer no more are asked."""
_LAST_WORDS: Final = 0.3
"""How long what a bot that has exited said before may take to be read, in seconds."""
_TOLD: Final = 20
"""Lines of stderr that are told of a bot that ended by itself."""


async def drill(
    log: Log, seat: int, command: Sequence[str], outputs: Path, told: Callable[[int], None] = lambda _: None
) -> Drill:
    """Returns what became of a drill; raises `LaunchError` for a bot that does not come.

    `outputs` is the folder for what the bot prints; `told` hears how many turns were asked.
    """
    launcher = Launcher(outputs)
    await launcher.start()
    desk = Desk(log.setup, seat)
    try:
        await desk.start()
        spec = LaunchSpec(
            name=log.setup.seats[seat].name,
            command=tuple(command),
            game=log.setup.game,
            address=desk.address,
            token=desk.token,
        )
        bot = await launcher.launch(spec)
        return await _Session(log, seat, desk, bot, told).run()
    finally:
        await launcher.close()
        await desk.stop()


class _Session:
    """One bot before the turns of one seat."""

    def __init__(
        self, log: Log, seat: int, desk: Desk, bot: LaunchedBot, told: Callable[[int], None]
    ) -> None:
        self._log, self._seat, self._desk, self._bot, self._told = log, seat, desk, bot, told
        self._feed = Feed(log, seat)
        self._rows: list[Row] = []
        self._asked_at: dict[int, int] = {}
        self._waiting = b""
        self._stray = 0

    async def run(self) -> Drill:
        """Asks all turns, or as many as make sense."""
        await self._join()
        ended = ""
        for step in self._feed.steps():
            if isinstance(step, bytes):
                self._waiting += step
                continue
            self._rows.append(await self._ask(step))
            self._told(len(self._rows))
            ended = self._over()
            if ended:
                break
        if not ended:
            await self._desk.tell(self._waiting)
        return self._drill(ended)

    async def _join(self) -> None:
        """Waits for the bot to be there and ready."""
        control, game = self._log.setup.time_control, self._log.setup.game
        introduced = self._desk.introduced
        if not await self._within(introduced, control.join):
            raise LaunchError(f"it did not dial in within {control.join // SECOND} s{self._end()}")
        introduction = introduced.result()
        if game not in introduction.games:
            raise LaunchError(f"it plays {', '.join(introduction.games)}, and not {game}")
        self._wish(introduction)
        self._desk.again = self._again
        await self._desk.tell(self._feed.started())
        if not await self._within(self._desk.ready, control.start):
            raise LaunchError(f"it was not ready within {control.start // SECOND} s{self._end()}")

    async def _ask(self, question: Question) -> Row:
        match_id = self._log.setup.match_id
        self._desk.open_turns[match_id] = question.turn
        asked = self._asked_at[question.turn] = _now()
        written, self._waiting = self._waiting + question.frame, b""
        await self._within(asyncio.ensure_future(self._desk.tell(written)), question.budget)
        row = Row(
            turn=question.turn,
            deal=question.deal,
            ply=question.ply,
            logged=question.record.action if question.record else "",
            cause=getattr(question.record, "cause", ""),
            budget=question.budget,
        )
        found = await self._answer(question, asked)
        self._desk.open_turns.pop(match_id, None)
        judgement = found and self._feed.judge(found[0], question)
        if not judgement or not judgement.same or judgement.fault:
            self._waiting += self._feed.refusal(question, judgement or None)
        return self._judged(row, judgement, found[1] - asked) if found and judgement else row

    async def _answer(self, question: Question, asked: int) -> tuple[pb.Act, int] | None:
        """Waits for the answer to a turn, for some time past its deadline."""
        deadline = asked + question.budget + min(question.budget, PATIENCE)
        while (left := deadline - _now()) > 0:
            waiting = asyncio.ensure_future(self._desk.acts.get())
            if not await self._within(waiting, left):
                waiting.cancel()
                return None
            act, now = waiting.result()
            if (act.match_id, act.turn_id) == (self._log.setup.match_id, question.turn):
                return act, now
            self._late(act, now)
        return None

    def _judged(self, row: Row, judgement: Judgement, think: int) -> Row:
        verdict = "late" if think > row.budget else judgement.fault
        if not verdict:
            verdict = "unknown" if not row.logged else "same" if judgement.same else "differs"
        return replace(
            row,
            answer=judgement.answer,
            verdict=verdict,
            reason=judgement.reason,
            think=think,
            slow=think > self._log.setup.time_control.base,
        )

    def _late(self, act: pb.Act, now: int) -> None:
        """Takes an act that answers no open turn: one that was given up has been answered late."""
        for at, row in enumerate(self._rows):
            if (act.match_id, act.turn_id, row.verdict) == (self._log.setup.match_id, row.turn, "missing"):
                think = now - self._asked_at[row.turn]
                self._rows[at] = replace(row, verdict="late", think=think, slow=True)
                return
        self._stray += 1

    def _over(self) -> str:
        """Says why no more turns should be asked; nothing where they should."""
        if self._rows[-1].verdict != "missing":
            return ""
        if self._bot.exited.done():
            return f"the bot exited with {self._bot.exited.result()}"
        if [row.verdict for row in self._rows[-GIVEN_UP:]] == ["missing"] * GIVEN_UP:
            return f"the bot answered none of the last {GIVEN_UP} turns"
        return ""

    async def _within(self, what: asyncio.Future[Any], limit: int) -> bool:
        """Waits for something for so many microseconds, but not for long of a bot that has exited."""
        exited = self._bot.exited
        await asyncio.wait({what, exited}, timeout=limit / SECOND, return_when=asyncio.FIRST_COMPLETED)
        if exited.done() and not what.done():
            await asyncio.wait({what}, timeout=_LAST_WORDS)
        return what.done()

    def _wish(self, introduction: Introduction) -> None:
        self._feed.wish(Wish(introduction.delivery, introduction.legal_actions))

    def _again(self, introduction: Introduction) -> bytes:
        """Returns the match told again, as to any bot that comes back."""
        self._wish(introduction)
        self._waiting = b""
        return self._feed.again()

    def _end(self) -> str:
        if not self._bot.exited.done():
            return f"; what it printed: {self._bot.output}"
        last = "".join(f"\n{line}" for line in self._bot.stderr_tail(_TOLD))
        return f": it exited with {self._bot.exited.result()}; what it printed: {self._bot.output}{last}"

    def _drill(self, ended: str) -> Drill:
        setup = self._log.setup
        counts = Counter(row.verdict for row in self._rows)
        return Drill(
            match_id=setup.match_id,
            game=setup.game,
            seat=self._seat,
            command=self._bot.command,
            turns=self._feed.turns,
            counts={verdict: counts[verdict] for verdict in VERDICTS},
            slow=sum(row.slow for row in self._rows),
            rows=tuple(self._rows),
            stray=self._stray,
            ended=ended,
            stderr=tuple(self._bot.stderr_tail(_TOLD)) if self._bot.exited.done() else (),
            output=str(self._bot.output),
        )


def _now() -> int:
    return time.monotonic_ns() // 1000

"""What a person types at a terminal beside the turn that it was meant for."""

import asyncio
import os
import tty
from typing import TYPE_CHECKING, cast

import pytest

from referee.cli.play_input import Lines
from referee.cli.play_terminal import Terminal
from referee.person.seat import Answer, Seat, Wish
from referee.v1 import fault_pb2
from referee.v1 import play_service_pb2 as pb
from tests.person.test_seat import frame, started, turn
from tests.server.client import run, until

if TYPE_CHECKING:
    from referee.person.player import Player


class Scripted:
    """Has a seat told what a test says, and keeps what is answered."""

    trouble = ""

    def __init__(self) -> None:
        self.seat = Seat(Wish(game="block_dominoes", level="easy"))
        self.answers: list[tuple[int, Answer]] = []
        self._changed = asyncio.Condition()

    async def take(self, *frames: pb.PlayResponseFrame) -> None:
        """Takes what a referee would say."""
        for one in frames:
            self.seat.take(one, asyncio.get_running_loop().time())
        async with self._changed:
            self._changed.notify_all()

    async def change(self, version: int) -> None:
        """Returns when the seat is newer than a version of it."""
        async with self._changed:
            await self._changed.wait_for(lambda: self.seat.version > version)

    async def answer(self, turn_id: int, answer: Answer) -> bool:
        """Keeps an answer."""
        assert self.seat.answer(turn_id, answer)
        self.answers.append((turn_id, answer))
        return True

    def left(self) -> float:
        """Returns the seconds that are left."""
        return 1.0


@pytest.mark.parametrize("lines", [1, 2])
@pytest.mark.parametrize(
    ("terminal", "leaves"), [(True, 0), (True, 1), (False, 0)], ids=["terminal", "leaves", "pipe"]
)
def test_a_late_line_answers_no_turn_that_was_not_read(
    monkeypatch: pytest.MonkeyPatch, lines: int, leaves: int, *, terminal: bool
) -> None:
    """It is forgotten unless it was to leave; a program may be ahead of what it is asked."""
    ours, theirs = os.openpty() if terminal else os.pipe()[::-1]
    if terminal:
        tty.setraw(theirs)

    async def play() -> None:
        player, typed = Scripted(), Lines()
        asked = Terminal(cast("Player", player), typed)
        shown: list[int] = []
        monkeypatch.setattr(
            asked, "_show_turn", lambda: shown.append(player.seat.turn.turn_id if player.seat.turn else 0)
        )
        await player.take(started(0), turn(1))
        playing = asyncio.ensure_future(asked.play())
        await until(lambda: shown == [1] and asked._line)
        late = pb.Rejected(match_id="m", answered_turn_id=1, fault=fault_pb2.FAULT_KIND_LATE)
        late.played_action.block_dominoes.tile = 0x25
        await player.take(frame(rejected=late))
        os.write(ours, b"1\n" * (lines - leaves) + b"q\n" * leaves)
        await until(lambda: asked._line and asked._line.done() and typed._lines.qsize() == lines - 1)

        await player.take(turn(2))
        if leaves:
            assert await playing is False
            assert player.answers == []
            return
        await until(lambda: shown == [1, 2])
        if terminal:
            await until(lambda: asked._line and not asked._line.done())
            assert player.answers == []
            os.write(ours, b"1\n")
        await until(lambda: player.answers == [(2, 0)])
        playing.cancel()
        await asyncio.wait({playing})

    with os.fdopen(theirs) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        try:
            run(play())
        finally:
            os.close(ours)

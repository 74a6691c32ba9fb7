"""The stream of a person's seat where nobody is there, and where somebody is there and says nothing."""

import asyncio
import socket
from pathlib import Path

import pytest

from referee.bot.endpoint import Endpoint
from referee.person import player as players
from referee.person.player import Player
from referee.person.seat import Phase, Wish
from referee.server.house.config import PeopleRules
from tests.patience import PATIENCE
from tests.server.client import room, run, until
from tests.server.proxy import Proxy

WISH = Wish(game="ding_niu", level="easy")


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(players, "FIRST_PATIENCE", 2.0)
    monkeypatch.setattr(players, "ANSWER", 0.3)


@pytest.mark.parametrize("silent", [False, True], ids=["nobody", "silent"])
def test_a_server_that_does_not_answer_is_told_and_given_up(*, silent: bool) -> None:
    """At the first failure, with for how long it is tried; then it ends by itself."""

    async def play() -> None:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            if silent:
                listener.listen()
            address = f"127.0.0.1:{listener.getsockname()[1]}"
            one = Player(Endpoint(address, "token"), WISH)
            async with asyncio.timeout(PATIENCE):
                await one.change(0)
                assert one.trouble == f"{address} does not answer; trying again for 2 s"
                assert one.seat.phase is Phase.ASKING
                await until(lambda: one.seat.phase is Phase.LOST)
            assert one.seat.note == f"{address} does not answer"
            await one.close()

    run(play())


def test_an_answer_while_the_line_is_down_is_asked_for_again(tmp_path: Path) -> None:
    """It waits for no stream that is given up; the next one tells the turn anew, and takes the answer."""

    async def play() -> None:
        async with room(tmp_path, people=PeopleRules(levels=("easy",))) as hall, Proxy(hall.address) as line:
            assert hall.arena.people
            ticket = hall.arena.people.admit("Ann")
            one = Player(Endpoint(line.address, ticket.token), Wish(game="guan_pai", level="easy"))
            await until(lambda: one.seat.phase is Phase.TO_ACT)
            assert one.seat.turn
            asked = one.seat.turn.turn_id
            opened = line.connected
            line.cut()
            await until(lambda: line.connected > opened)
            async with asyncio.timeout(PATIENCE):
                assert await one.answer(asked, 0)
            assert one.seat.phase is Phase.WAITING

            line.resume()
            await until(lambda: one.seat.phase is Phase.TO_ACT)
            assert one.seat.turn.turn_id == asked
            assert await one.answer(asked, 0)
            await until(lambda: one.seat.phase is not Phase.WAITING)
            assert one.seat.turn.turn_id > asked
            await one.close()

    run(play())

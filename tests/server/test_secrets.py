"""What nobody is told: secrets, seeds, hands; and how deals are drawn."""

import asyncio
import base64
import io
import subprocess
import sys
from pathlib import Path

import grpc
import pytest

from referee.games.block_dominoes import rules
from referee.games.encode import varint
from referee.match.shuffle import derived_secret
from referee.replay.reader import read
from referee.server import logs
from referee.server.request import new_secret
from referee.server.stream import Connection
from referee.v1 import play_service_pb2 as pb
from tests.e2e.commands import Command
from tests.patience import PATIENCE
from tests.server.client import act, finish, frame, opened, room, run, until

SEED = 8_765_432_101
NOSY = """
import os, sys
from referee.bot import main
told = [*map(os.fsencode, [sys.executable, *sys.orig_argv, *sys.argv])]
told += [name + b"=" + value for name, value in os.environb.items()]
for name in ("cmdline", "environ"):
    if os.path.exists(f"/proc/self/{name}"):
        told.append(open(f"/proc/self/{name}", "rb").read())
sys.stdout.buffer.write(b"\\n".join(told))
sys.stdout.buffer.flush()
main(lambda turn: turn.legal_actions[0], games=["block_dominoes"], version="1")
"""
"""A bot that prints all that it was started with."""


def seeds() -> tuple[bytes, ...]:
    """Returns the ways to write the seed."""
    wide = SEED.to_bytes(8, "big")
    written = (str(SEED), f"{SEED:_}", f"{SEED:,}", f"{SEED:x}", f"{SEED:X}", f"{SEED:o}", f"{SEED:b}")
    return (*(text.encode() for text in written), varint(SEED), wide, wide[::-1], wide.lstrip(b"\0"))


def test_l7_the_secret_is_in_no_byte_before_the_end(tmp_path: Path) -> None:
    """Neither the secret nor the seed's name is sent, in any form, before the match has ended."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, _turn, others, playing = await opened(hall, seed=SEED)
            outcome = await finish(playing, who, *others)
            assert outcome.end
            assert outcome.replay
            secret = bytes.fromhex(outcome.end.secret)
            for client in (who, *others):
                ended = (await client.expect("match_ended")).SerializeToString()
                before, end, _ = client.received.partition(ended)

                assert end
                for hint in (secret, secret.hex().encode(), *seeds()):
                    assert hint not in before
            assert str(SEED) not in outcome.replay.name

    run(play())


def test_l7_launched_bots_are_told_neither_seed_nor_secret(tmp_path: Path) -> None:
    """Arguments and environment of every seat's process hold them in no form."""
    referee = Command(tmp_path)
    nosy = referee.bot("nosy.py", NOSY)
    words = ("--game", "block_dominoes", "--seed", str(SEED), "--option", "target=10", "--data", "data")
    done = referee.run("match", *words, *[nosy] * 4, "--json")
    assert done.returncode == 0, done.stderr
    (path,) = (tmp_path / "data" / "replays").rglob("*.jsonl")
    end = read(path).end
    assert end
    secret = bytes.fromhex(end.secret)
    assert secret == derived_secret(SEED, read(path).setup.deal_group)
    output = tmp_path / "data" / "output"
    printed = [one.read_bytes() for one in output.rglob("*nosy*") if one.parent.name != "reports"]

    assert len(printed) == 4
    assert all(b"nosy.py" in one and b"REFEREE_TOKEN=" in one for one in printed)
    for one in (file.read_bytes() for file in output.rglob("*") if file.is_file()):
        for hint in (*seeds(), secret, secret[::-1], end.secret.encode(), end.secret.upper().encode()):
            assert hint not in one
        assert base64.b64encode(secret).rstrip(b"=") not in one
    assert str(SEED) not in str(path)


def test_l17_a_bug_in_the_rules_voids_its_match_and_tells_no_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bots get an incident id; the trace is in the referee's own log; other matches go on."""
    private = io.TextIOWrapper(io.BytesIO())
    logs.configure(stream=private)

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, turn, others, playing = await opened(hall)

            def broken(self: rules.State, action: int) -> None:
                del action
                raise AssertionError(f"hands {self.hands}")

            with monkeypatch.context() as patch:
                patch.setattr(rules.State, "apply", broken)
                await who.send(act(turn))
                ended = [await client.expect("match_ended") for client in (who, *others)]
            outcome = await playing

            assert outcome.termination == "void"
            assert "incident" in outcome.note
            for end in ended:
                assert end.note == outcome.note
                assert "hands" not in end.note
            again = await finish(hall.play(), who, *others)
            assert again.termination == "completed"
            private.flush()
            written = private.buffer.getvalue().decode()
            assert "AssertionError" in written
            assert outcome.note.rpartition(" ")[2] in written

    try:
        run(play())
    finally:
        logs.configure()


def test_l17_a_bug_on_a_stream_ends_that_stream_with_an_incident_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The status is INTERNAL with a fixed text; what was raised does not leave the process."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            bot = await hall.bot("a")
            other = await hall.bot("b")

            def broken(*_: object) -> None:
                raise AssertionError("the hand of seat 2")

            with monkeypatch.context() as patch:
                patch.setattr(Connection, "_heed", broken)
                await bot.send(frame(leave=pb.Leave()))
                code, details = await bot.status()

            assert code == grpc.StatusCode.INTERNAL
            assert details.startswith("the referee failed; incident ")
            assert "seat 2" not in str(bot.frames)
            assert other.goodbye is None

    run(play())


_FORKING = """
import os
from referee.server.request import new_secret
new_secret(None, "group")
for _ in range(4):
    if os.fork() == 0:
        print("\\n".join(new_secret(None, "group").hex() for _ in range(250)), flush=True)
        os._exit(0)
    os.wait()
"""


def test_l20_a_thousand_deals_without_a_seed_are_all_different() -> None:
    """Also in forked workers and after a restart; a seed gives the same secret again."""
    command = [sys.executable, "-c", _FORKING]
    drawn = [
        line
        for _ in range(2)
        for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    ]

    assert len(drawn) == len(set(drawn)) == 2000
    assert {len(secret) for secret in drawn} == {64}
    assert new_secret(7, "group") == new_secret(7, "group") != new_secret(8, "group")


def test_l20_a_seed_gives_the_same_match_again(tmp_path: Path) -> None:
    """Whatever entropy the bots send; the match says that it proves nothing."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            clients = await hall.bots()
            first = await asyncio.wait_for(hall.play(seed=5), PATIENCE)
            second = await asyncio.wait_for(hall.play(seed=5), PATIENCE)
            third = await asyncio.wait_for(hall.play(seed=None), PATIENCE)
            hands = [client.all("turn")[0].observation for client in clients]
            started = [client.all("match_started") for client in clients]

            assert first.end
            assert second.end
            assert third.end
            assert first.end.secret == second.end.secret != third.end.secret
            assert first.match_id != second.match_id
            assert [one.provable for one in started[0]] == [False, False, True]
            assert len(hands) == 4
            await until(lambda: all(len(client.all("match_ended")) == 3 for client in clients))

    run(play())

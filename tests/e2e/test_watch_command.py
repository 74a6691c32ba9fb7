"""`referee watch` as a process of its own, against a server with a match that runs."""

import asyncio
import json
import sys
from pathlib import Path

from google.protobuf.json_format import ParseDict

from referee.store.store import Store
from referee.v1 import arena_service_pb2 as pb
from tests.patience import PATIENCE
from tests.server.client import finish, opened, room, run
from tests.server.spectator import Spectator


async def watch(*words: str) -> asyncio.subprocess.Process:
    """Starts the command."""
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "referee", "watch", *words),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def first_line(process: asyncio.subprocess.Process) -> str:
    """Waits until it has printed something."""
    assert process.stdout
    return (await asyncio.wait_for(process.stdout.readline(), PATIENCE)).decode()


async def ended(process: asyncio.subprocess.Process) -> tuple[int, str, str]:
    """Waits for its end; returns status, output and errors."""
    out, err = await asyncio.wait_for(process.communicate(), PATIENCE)
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


def test_a_match_is_shown_to_its_end_in_text_and_as_json(tmp_path: Path) -> None:
    """Without an id it is the one that runs; each frame is a line of JSON, the very frame that was sent."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, _turn, others, playing = await opened(hall)
            match_id = hall.live.match.setup.match_id
            spectator = Spectator(hall.address, match_id)
            shown = [await watch("--address", hall.address, *more) for more in ((), ("--json",))]
            first = [await first_line(process) for process in shown]
            outcome = await finish(playing, who, *others)
            (status, text, _), (_, lines, _) = [await ended(process) for process in shown]
            await spectator.code
            text, lines = first[0] + text, first[1] + lines

            assert status == 0
            assert text.startswith(f"{match_id}  starting  block_dominoes  a, b, c, d\n")
            assert outcome.end
            for place in outcome.end.places:
                name = "abcd"[place.seat]
                assert f"  {place.rank}. {name}: {place.score} ({place.points:.3f} points)" in text
            assert text.count("ended: ") == len(spectator.all("deal_ended"))
            assert sum(": play " in line for line in text.splitlines()) == outcome.end.plies
            frames = [ParseDict(json.loads(line), pb.WatchMatchFrame()) for line in lines.splitlines()]
            assert frames == spectator.frames
            await spectator.close()

    run(play())


def test_matches_are_listed_and_an_ended_one_tells_its_end(tmp_path: Path) -> None:
    """One line for each; what cannot be had is one line with what to do."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            outcome = await finish(hall.play(), *await hall.bots())
            assert outcome.match_id
            at = ("--address", hall.address)
            status, text, _ = await ended(await watch("--list", *at))
            assert (status, text) == (0, f"{outcome.match_id}  ended  block_dominoes  a, b, c, d\n")
            status, text, _ = await ended(await watch(outcome.match_id, *at))
            assert status == 0
            assert "completed\n  1. " in text
            status, _, error = await ended(await watch(*at))
            assert (status, error.count("\n")) == (2, 1)
            assert "no match runs there now" in error
            status, _, error = await ended(await watch("nobody", *at))
            assert (status, error.count("\n")) == (2, 1)
            assert "no such match is known here" in error

    run(play())


def test_a_private_server_wants_a_token_and_a_revoked_one_is_not_gone_on_with(tmp_path: Path) -> None:
    """Without a token one line says how to give one; so it is when the token is revoked meanwhile."""

    async def play() -> None:
        with Store.under(tmp_path) as store:
            token = store.add_bot("friend")
        async with room(tmp_path, public=False) as hall:
            _, _, _, playing = await opened(hall)
            at = ("--address", hall.address)
            how = "give that of a registered bot with --token, or set REFEREE_TOKEN\n"
            status, _, error = await ended(await watch(*at))
            assert (status, error.count("\n")) == (2, 1)
            assert error.endswith(how)
            process = await watch(*at, "--token", token)
            assert await first_line(process)
            with Store.under(tmp_path) as store:
                store.revoke_bot("friend")
            status, _, error = await ended(process)
            assert (status, error) == (2, f"referee: {hall.address}: the token was revoked; {how}")
            playing.cancel()

    run(play())


def test_without_a_server_one_line_says_what_to_do() -> None:
    """No address, and an address where nothing listens."""

    async def play() -> None:
        status, _, error = await ended(await watch())
        assert status == 2
        assert error == "referee: no server is named; give --address HOST:PORT, or set REFEREE_ADDRESS\n"
        status, _, error = await ended(await watch("--address", "127.0.0.1:9"))
        assert status == 1
        assert error.startswith("referee: 127.0.0.1:9: no server answers there")
        assert error.count("\n") == 1

    run(play())

"""All logs of a bot or a tournament in one archive, and what downloads take from others."""

import asyncio
import contextlib
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.timestamp_pb2 import Timestamp

from referee.match.config import SECOND
from referee.replay.reader import header, scan
from referee.server.config import Limits
from referee.server.reads.archive import Archive
from referee.server.reads.desk import SHARE
from referee.v1 import replay_service_pb2 as pb
from tests.server.client import Room, room, run, until
from tests.server.replaying import calling, download, long_log, read_on, replay
from tests.server.test_arena_service import ids
from tests.server.test_replay_access import TIGHT
from tests.server.test_replay_service import played

OK, NOT_FOUND = grpc.StatusCode.OK, grpc.StatusCode.NOT_FOUND
INVALID, EXHAUSTED = grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.RESOURCE_EXHAUSTED
MEBIBYTE = 1024 * 1024


async def held(hall: Room, **fields: Any) -> list[str]:
    """Returns the matches whose logs an archive holds, in its order."""
    found = await download(hall.address, **fields)
    assert (found.code, found.missing) == (OK, [])
    return [Path(name).stem for name in found.files]


def time(microseconds: int) -> Timestamp:
    """Returns a time of the wall clock."""
    told = Timestamp()
    told.FromMicroseconds(microseconds)
    return told


def test_all_logs_of_a_bot_come_as_they_lie_on_disk(tmp_path: Path) -> None:
    """The newest first, under the same names: unpacked they are a data folder that verifies."""
    data, elsewhere = tmp_path / "data", tmp_path / "elsewhere"

    async def play() -> None:
        async with room(data) as hall:
            await hall.bots()
            made = [await played(hall) for _ in range(3)]
            await hall.bots("efgh")
            other = await played(hall, "efgh")
            found = await download(hall.address, bot_id="a/a")
            assert found.files == {
                path.relative_to(data).as_posix(): path.read_bytes()
                for path in sorted(scan(data), reverse=True)
                if path.stem != other
            }
            assert [Path(name).stem for name in found.files] == made[::-1]
            archive = tmp_path / "logs.tar.gz"
            archive.write_bytes(found.data)
            with tarfile.open(archive) as opened:
                opened.extractall(elsewhere, filter="data")

    run(play())
    command = [sys.executable, "-m", "referee", "replay", "verify", str(elsewhere)]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_an_archive_keeps_to_bot_game_tournament_and_time(tmp_path: Path) -> None:
    """All that is asked for has to hold; `ListMatches` takes the same."""

    async def play() -> None:
        now = 1_900_000_000_000_000

        async with room(tmp_path, wall=lambda: now) as hall:
            await hall.bots()
            made = []
            for at, about in enumerate(({}, {"tournament": "cup"}, {"tournament": "cup"}, {})):
                now = 1_900_000_000_000_000 + at * 1_000_000
                made.append(await played(hall, **about))
            first, second, third, fourth = made
            at = 1_900_000_000_000_000
            for fields, expected in (
                ({"bot_id": "a/a"}, [fourth, third, second, first]),
                ({"tournament": "cup"}, [third, second]),
                ({"bot_id": "a/a", "tournament": "cup", "game": "block_dominoes"}, [third, second]),
                ({"bot_id": "a/a", "earliest_create_time": time(at + 1_000_000)}, [fourth, third, second]),
                ({"bot_id": "a/a", "latest_create_time": time(at + 1_000_000)}, [first]),
                (
                    {
                        "bot_id": "b/b",
                        "earliest_create_time": time(at + 1),
                        "latest_create_time": time(at + 3_000_000),
                    },
                    [third, second],
                ),
            ):
                assert await held(hall, **fields) == expected, fields
                assert await ids(hall, **fields) == expected, fields
            for nothing in (
                {"bot_id": "nobody"},
                {"bot_id": "a/a", "game": "guan_pai"},
                {"tournament": "cup", "bot_id": "e/e"},
                {"bot_id": "a/a", "latest_create_time": time(at)},
                {"bot_id": "a/a", "latest_create_time": Timestamp(seconds=-(2**62))},
                {"bot_id": "a/a", "earliest_create_time": Timestamp(seconds=2**62, nanos=-(2**31))},
                {"bot_id": "x" * 100_000},
            ):
                found = await download(hall.address, **nothing)
                assert (found.code, found.messages) == (NOT_FOUND, [])
                assert await ids(hall, **nothing) == []
            for wrong in ({}, {"game": "block_dominoes"}, {"earliest_create_time": time(at)}):
                assert (await download(hall.address, **wrong)).code == INVALID

    run(play())


def test_more_logs_than_a_page_of_the_index_are_one_archive(tmp_path: Path) -> None:
    """Each is in it once, in order, whatever is packed in between."""
    paths = [long_log(tmp_path, 1_000, number) for number in range(1, 251)]
    bot = header(paths[0]).seats[0].bot

    async def play() -> None:
        async with room(tmp_path) as hall:
            assert await held(hall, bot_id=bot) == [path.stem for path in reversed(paths)]

    run(play())


def test_an_archive_is_written_in_messages_of_64_kib_and_holds_no_more() -> None:
    """However large the files are: what is made stays below two messages."""
    archive, size = Archive(), 40 * MEBIBYTE
    noise = bytes(range(256)) * 256
    largest = 0
    for piece in archive.add("replays/x.jsonl", 0, size, (noise for _ in range(size // len(noise)))):
        largest = max(largest, len(piece) + len(archive._packed))
    assert largest < 128 * 1024
    assert max(map(len, archive.end())) <= 64 * 1024


def test_a_caller_that_does_not_read_is_cut_off(tmp_path: Path) -> None:
    """Its place is free again then, and nothing of the log is held for it."""
    path = long_log(tmp_path, 4_000_000)

    async def play() -> None:
        async with room(tmp_path, limits=Limits(write=2 * SECOND)) as hall:
            request = pb.GetReplayRequest(match_id=path.stem)
            async with calling(hall.address, "GetReplay", request, None, *TIGHT) as call:
                await until(lambda: hall.arena.reads.desk.busy)
                await until(lambda: not hall.arena.reads.desk.busy)
                await read_on(call)
                assert await call.code() == EXHAUSTED
                assert await call.details() == "this caller does not read"
            assert (await replay(hall.address, path.stem)).code == OK

    run(play())


def test_who_leaves_in_the_middle_gives_its_place_back(tmp_path: Path) -> None:
    """Again and again; the server neither keeps a place nor an open file."""
    path = long_log(tmp_path, 4_000_000)
    before = len(list(Path("/proc/self/fd").iterdir()))

    async def play() -> None:
        async with room(tmp_path) as hall:
            request = pb.GetReplayRequest(match_id=path.stem)
            for _ in range(20):
                async with calling(hall.address, "GetReplay", request, None, *TIGHT) as call:
                    await call.read()
                    call.cancel()
            await until(lambda: not hall.arena.reads.desk.busy)
            opened = [one for one in Path("/proc/self/fd").iterdir() if _leads_to(one, path)]
            assert not opened

    run(play())
    assert len(list(Path("/proc/self/fd").iterdir())) <= before + 8


def _leads_to(link: Path, path: Path) -> bool:
    with contextlib.suppress(OSError):
        return link.readlink() == path
    return False


def test_no_more_download_at_once_than_may(tmp_path: Path) -> None:
    """From one address and from all of them; who is refused is told which, and may come again."""
    path = long_log(tmp_path, 4_000_000)
    for limits, words in (
        (Limits(downloads_per_address=2), "your address has"),
        (Limits(downloads=2), "this server has"),
    ):

        async def play(limits: Limits = limits, words: str = words) -> None:
            async with room(tmp_path, limits=limits) as hall:
                request = pb.GetReplayRequest(match_id=path.stem)
                async with contextlib.AsyncExitStack() as stack:
                    for _ in range(2):
                        call = calling(hall.address, "GetReplay", request, None, *TIGHT)
                        await (await stack.enter_async_context(call)).read()
                    found = await replay(hall.address, path.stem)
                    assert (found.code, found.messages) == (EXHAUSTED, [])
                    assert found.details.startswith(words)
                await until(lambda: not hall.arena.reads.desk.busy)
                assert (await replay(hall.address, path.stem)).code == OK

        run(play())


def test_downloads_take_a_tenth_of_the_time_at_the_most_while_matches_are_played(tmp_path: Path) -> None:
    """Counted in computing, whatever else the machine does; where no match runs nothing holds them up."""
    paths = [long_log(tmp_path, 2_000_000, number) for number in range(1, 6)]

    async def all_of_them(hall: Room) -> tuple[float, float]:
        loop, desk = asyncio.get_running_loop(), hall.arena.reads.desk
        began, spent = loop.time(), desk.spent
        found = await asyncio.gather(*(replay(hall.address, path.stem) for path in paths))
        assert [len(one.data) for one in found] == [path.stat().st_size for path in paths]
        return desk.spent - spent, loop.time() - began

    async def play() -> None:
        async with room(tmp_path) as hall:
            alone, _ = await all_of_them(hall)
            assert alone
            await hall.bots(auto=False)
            playing = hall.play()
            await until(lambda: hall.host.matches)
            beside, took = await all_of_them(hall)
            assert hall.host.matches
            assert SHARE * beside <= took + beside
            playing.cancel()

    run(play())

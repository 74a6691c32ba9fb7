"""The logs of finished matches, as `ReplayService` hands them out, and what it keeps to itself."""

import hashlib
import os
import signal
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import grpc
import pytest

from referee.match import events as ev
from referee.replay.packing import pack_days
from referee.replay.reader import parse, scan, unfinished
from referee.replay.verify import verify
from referee.server.reads import shelf
from referee.v1 import replay_service_pb2 as pb
from tests.replay import keys
from tests.server import replaying
from tests.server.client import Room, act, finish, opened, ready, room, run, until
from tests.server.replaying import download, long_log, read_on, replay, report
from tests.server.serving import CALM, registered, seated, serve
from tests.server.test_blocks import play as play_part

OK, NOT_FOUND = grpc.StatusCode.OK, grpc.StatusCode.NOT_FOUND
FAILED, LOST = grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.DATA_LOSS


async def played(hall: Room, names: str = "abcd", **about: Any) -> str:
    """Plays a match of bots that are here, and returns its id."""
    outcome = await hall.play(names, **about)
    assert outcome.match_id
    return outcome.match_id


async def refused_everywhere(hall: Room, match_id: str, *bots: str) -> list[tuple[grpc.StatusCode, str]]:
    """Returns how the log and the reports of a match are refused; nothing of it comes, nor in an archive."""
    endings = []
    tokens = [None, *(hall.tokens[name] for name in bots)]
    for token in tokens:
        found = await replay(hall.address, match_id, token)
        assert not found.messages
        endings.append((found.code, found.details))
    for token in tokens[1:]:
        found = await report(hall.address, match_id, token)
        assert not found.messages
        endings.append((found.code, found.details))
    for name in bots:
        found = await download(hall.address, bot_id=f"{name}/{name}")
        assert found.code == NOT_FOUND or match_id not in str(found.files)
    return endings


def test_a_finished_log_comes_byte_for_byte(tmp_path: Path) -> None:
    """In chunks of 64 KiB at the most; what comes verifies as it is."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            await hall.bots()
            match_id = await played(hall, options={"target": 2_000})
            (path,) = scan(tmp_path)
            found = await replay(hall.address, match_id)
            assert found.code == OK
            assert found.data == path.read_bytes()
            assert len(found.messages) > 1
            assert max(len(message.chunk) for message in found.messages) == 64 * 1024
            assert not found.signature
            assert verify(parse(found.data)).ok

    run(play())


def test_a_log_is_shown_with_the_answers_that_were_refused(tmp_path: Path) -> None:
    """A public log is whole: without them its chain could not be checked, nor the match be played again."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            who, turn, others, playing = await opened(hall)
            await who.send(act(turn, text="not a tile"))
            await who.expect("rejected")
            outcome = await finish(playing, who, *others, also=turn)
            assert outcome.match_id
            found = await replay(hall.address, outcome.match_id)
            (rejected,) = [one for one in parse(found.data).records if isinstance(one, ev.Rejected)]
            assert rejected.raw == "not a tile"

    run(play())


def test_l9_the_log_of_a_match_that_runs_is_shown_to_nobody(tmp_path: Path) -> None:
    """Neither before its start nor in its middle, nor to its own seats; its end opens it."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            clients = await hall.bots(auto=False)
            playing = hall.play()
            await until(lambda: hall.host.matches)
            match_id = hall.live.match.setup.match_id
            ended = {(FAILED, shelf.RUNS)}
            assert {*await refused_everywhere(hall, match_id, *"ab")} == ended
            for client in clients:
                await client.send(ready(await client.expect("match_started")))
            await hall.first_turn(clients)
            assert {*await refused_everywhere(hall, match_id, *"ab")} == ended
            await finish(playing, *clients)
            assert (await replay(hall.address, match_id)).code == OK

    run(play())


def test_l9_the_logs_of_a_block_are_shown_when_its_last_match_has_ended(tmp_path: Path) -> None:
    """Until then they are sealed for everybody; afterwards each is shown."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            await hall.bots()
            with hall.arena.block() as group:
                first = (await play_part(hall.arena, group, 0, "abcd")).match_id
                assert first
                assert {*await refused_everywhere(hall, first, *"ab")} == {(FAILED, shelf.SEALED)}
                found = await download(hall.address, tournament="cup")
                assert found.code == NOT_FOUND
                await play_part(hall.arena, group, 1, "bcda")
            found = await replay(hall.address, first)
            assert found.code == OK
            assert verify(parse(found.data)).ok
            assert hall.host.index
            await hall.host.index.settled()
            assert len((await download(hall.address, tournament="cup")).files) == 2

    run(play())


def test_l9_a_suspended_match_is_shown_when_it_has_ended_for_good(tmp_path: Path) -> None:
    """A server that was killed left it; the next one shows it to nobody, but where it is void in the end."""

    async def play() -> None:
        tokens = registered(tmp_path)
        async with serve(tmp_path, "--time", CALM) as served:
            clients, _, turn = await seated((await served.listening()).address, tokens)
            served.process.send_signal(signal.SIGKILL)
            await served.process.wait()
            for client in clients:
                await client.close()
        (path,) = unfinished(tmp_path)
        async with room(tmp_path) as hall:  # it leaves alone what others began
            for token in (None, *tokens.values()):
                found = await replay(hall.address, turn.match_id, token)
                assert (found.code, found.details, found.data) == (FAILED, shelf.RUNS, b"")
            found = await report(hall.address, turn.match_id, tokens["a"])
            assert (found.code, found.details) == (FAILED, shelf.RUNS)
        os.utime(path, (0, 0))  # too long ago to be resumed
        async with room(tmp_path, recover=True) as hall:
            await until(lambda: not hall.host.matches)
            found = await replay(hall.address, turn.match_id)
            assert found.code == OK
            end = parse(found.data).end
            assert end
            assert end.termination == "void"

    run(play())


def test_an_anonymous_match_that_came_to_nothing_is_never_shown(tmp_path: Path) -> None:
    """Its pairing is played again by the same bots; each of them may have its own report all the same."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            _who, _turn, _others, playing = await opened(hall, anonymous=True)
            match_id = hall.live.match.setup.match_id
            playing.cancel()
            await until(lambda: not hall.host.matches)
            for token in (None, hall.tokens["a"]):
                found = await replay(hall.address, match_id, token)
                assert (found.code, found.details, found.messages) == (FAILED, shelf.HIDDEN, [])
            assert (await download(hall.address, bot_id="a/a")).code == NOT_FOUND
            (own,) = (await report(hall.address, match_id, hall.tokens["a"])).messages
            assert [one.match_id for one in own.reports] == [match_id]
            for seat in range(4):
                if seat != own.reports[0].seat:
                    assert f"{'abcd'[seat]}/" not in str(own)
            assert (await report(hall.address, match_id, await token_of(hall, "x"))).code == (
                grpc.StatusCode.PERMISSION_DENIED
            )
            for client in hall.clients:
                client.auto = True
            counted = await played(hall, anonymous=True)
            assert (await replay(hall.address, counted)).code == OK

    run(play())


async def token_of(hall: Room, name: str) -> str:
    """Returns the token of a bot that need not be here."""
    await hall.bot(name)
    return hall.tokens[name]


def test_an_id_is_no_path(tmp_path: Path) -> None:
    """Whatever is no id in its one spelling names no match, and no file."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            await hall.bots()
            match_id = await played(hall)
            (path,) = scan(tmp_path)
            day = path.parent.relative_to(tmp_path / "replays")
            version4 = f"{match_id[:14]}4{match_id[15:]}"
            path.with_name(f"{version4}.jsonl").write_bytes(path.read_bytes())
            for odd in (
                *(match_id.upper(), f"{{{match_id}}}", f"urn:uuid:{match_id}", match_id.replace("-", "")),
                *(f" {match_id}", f"{match_id}\n", f"{match_id}.jsonl", f"{match_id}\0", version4),
                *(
                    f"../{day.name}/{match_id}",
                    f"./{match_id}",
                    f"{day}/{match_id}",
                    "../../../../referee.db",
                ),
                *("..", "/etc/passwd", "x" * 200_000, "٠" * 36, "01890000-0000-7000-8000-000000000000"),
            ):
                for found in (
                    await replay(hall.address, odd),
                    await report(hall.address, odd, hall.tokens["a"]),
                ):
                    assert (found.code, found.details) == (NOT_FOUND, shelf.UNKNOWN), odd[:80]

    run(play())


def test_what_lies_in_the_folder_under_the_name_of_a_log_is_looked_at_first(tmp_path: Path) -> None:
    """Links, pipes, folders, a running log under a finished name: none comes out, and the server goes on."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            await hall.bots()
            match_id = await played(hall)
            (path,) = scan(tmp_path)
            ids = (f"{match_id[:-4]}{number:04x}" for number in range(7))
            names = [path.with_name(f"{other}.jsonl") for other in ids if other != match_id][:6]
            link, fifo, folder, renamed, dangling, head = names
            link.symlink_to(path)
            os.mkfifo(fifo)
            folder.mkdir()
            renamed.write_bytes(path.read_bytes())
            dangling.symlink_to(tmp_path / "nothing")
            head.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:9]))
            for name in names:
                for found in (
                    await replay(hall.address, name.stem),
                    await report(hall.address, name.stem, hall.tokens["a"]),
                ):
                    assert found.code == (NOT_FOUND if name == dangling else LOST), (name, found)
                    assert not found.messages
                    assert str(tmp_path) not in found.details
            assert (await replay(hall.address, match_id)).code == OK

    run(play())


def _other_hand(lines: list[bytes]) -> list[bytes]:
    """Changes a line and works out the chain anew: a sound log that says something else."""
    changed = [line.replace(b'"name":"a"', b'"name":"z"') for line in lines]
    for at in range(1, len(changed)):
        old = b'"prev":"%b"' % hashlib.sha256(lines[at - 1]).hexdigest().encode()
        new = b'"prev":"%b"' % hashlib.sha256(changed[at - 1]).hexdigest().encode()
        changed[at] = changed[at].replace(old, new)
    return changed


DAMAGES: dict[str, Callable[[list[bytes]], list[bytes]]] = {
    "empty": lambda _: [],
    "no log": lambda _: [b"\xff" * 100],
    "a line changed": lambda lines: [*lines[:5], lines[5].replace(b'"t":', b'"t": '), *lines[6:]],
    "the first line changed": lambda lines: [lines[0].replace(b'"rated":', b'"Rated":'), *lines[1:]],
    "the last line changed": lambda lines: [*lines[:-1], lines[-1].replace(b'"note":"', b'"note":"x')],
    "a line left out": lambda lines: [*lines[:7], *lines[8:]],
    "two lines swapped": lambda lines: [*lines[:3], lines[4], lines[3], *lines[5:]],
    "cut off": lambda lines: lines[:-1],
    "more behind the end": lambda lines: [*lines, b"{}"],
    "all written anew": _other_hand,
    "a line without end": lambda lines: [*lines[:4], b"x" * 9_000_000],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_p9_a_damaged_log_is_a_loss_and_nothing_of_it_comes(tmp_path: Path, damage: str) -> None:
    """One that was written anew as a whole is known by the hash that the index has kept."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            await hall.bots()
            bad, good = await played(hall), await played(hall)
            path = next(path for path in scan(tmp_path) if path.stem == bad)
            lines = DAMAGES[damage](path.read_bytes().splitlines())
            path.write_bytes(b"".join(line + b"\n" for line in lines))
            found = await replay(hall.address, bad)
            assert (found.code, found.details, found.messages) == (LOST, shelf.DAMAGED, [])
            found = await report(hall.address, bad, hall.tokens["a"])
            assert (found.code, found.details, found.messages) == (LOST, shelf.DAMAGED, [])
            found = await download(hall.address, bot_id="a/a")
            assert found.code == OK
            assert found.missing == [bad]
            assert [Path(name).stem for name in found.files] == [good]

    run(play())


def test_p9_a_log_that_is_gone_is_a_loss(tmp_path: Path) -> None:
    """The index knows the match; without a result nobody knows that there ever was one."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            await hall.bots()
            match_id = await played(hall)
            (path,) = scan(tmp_path)
            path.unlink()
            found = await replay(hall.address, match_id)
            assert (found.code, found.details) == (LOST, shelf.GONE)
            found = await download(hall.address, bot_id="a/a")
            assert (found.code, found.missing, found.files) == (OK, [match_id], {})

    run(play())


def test_a_log_that_changes_while_it_is_sent_breaks_the_call(tmp_path: Path) -> None:
    """What was found whole is sent as it was found, or the status says that it is not all."""

    async def play() -> None:
        path = long_log(tmp_path, 1_000_000)
        async with room(tmp_path) as hall:
            request = pb.GetReplayRequest(match_id=path.stem)
            tight = (("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 4096))
            async with replaying.calling(hall.address, "GetReplay", request, None, *tight) as call:
                await call.read()
                os.truncate(path, 100)
                await read_on(call)
                assert await call.code() == LOST

    run(play())


def test_packed_logs_come_as_plain_ones(tmp_path: Path) -> None:
    """However they are kept: byte for byte, alone and in an archive."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            await hall.bots()
            match_id = await played(hall)
            (path,) = scan(tmp_path)
            before = path.read_bytes()
            assert not [moved.problem for moved in pack_days(tmp_path, date.max) if moved.problem]
            assert not path.exists()
            assert (await replay(hall.address, match_id)).data == before
            name = path.relative_to(tmp_path).as_posix()
            assert (await download(hall.address, bot_id="a/a")).files == {name: before}
            assert (await report(hall.address, match_id, hall.tokens["a"])).code == OK

    run(play())


def test_a_signature_comes_with_its_log(tmp_path: Path) -> None:
    """In the last message, word for word; and beside the log in an archive."""
    key, _ = keys.make(tmp_path)

    async def play() -> None:
        async with room(tmp_path / "data", sign_key=key) as hall:
            await hall.bots()
            match_id = await played(hall)
            (path,) = scan(tmp_path / "data")
            signed = path.with_name(f"{path.name}.sig").read_bytes()
            found = await replay(hall.address, match_id)
            assert found.signature == signed
            assert found.messages[-1].signature == signed
            assert found.data == path.read_bytes()
            name = path.relative_to(tmp_path / "data").as_posix()
            files = (await download(hall.address, bot_id="a/a")).files
            assert files == {name: path.read_bytes(), f"{name}.sig": signed}

    run(play())

"""`referee replay fetch` and `referee replay report` as processes of their own, against a server."""

import asyncio
import json
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

from referee.replay.reader import scan
from referee.store.store import Store
from tests.patience import PATIENCE
from tests.replay import keys
from tests.server.client import Room, act, finish, opened, room, run, until
from tests.server.replaying import long_log


async def replay(*words: str, **environment: str) -> tuple[int, str, str]:
    """Runs a command of `referee replay`; returns status, output and errors."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "referee", "replay", *words),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=os.environ | environment,
    )
    out, err = await asyncio.wait_for(process.communicate(), PATIENCE)
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


async def played(hall: Room, count: int = 1, names: str = "abcd") -> list[str]:
    """Plays matches of bots that are here, and returns their ids."""
    outcomes = [await hall.play(names) for _ in range(count)]
    assert hall.host.index
    await hall.host.index.settled()
    return [outcome.match_id or "" for outcome in outcomes]


def held(folder: Path) -> dict[str, bytes]:
    """Returns the files under a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_one_log_comes_with_its_signature_and_only_once(tmp_path: Path) -> None:
    """It is checked by playing it again, and lies as it does on the server."""
    private, public = keys.make(tmp_path)
    data, out = tmp_path / "data", tmp_path / "out"

    async def play() -> None:
        async with room(data, sign_key=private) as hall:
            await hall.bots()
            (match_id,) = await played(hall)
            words = ("fetch", match_id, "--address", hall.address, "--out", str(out))
            status, text, errors = await replay(*words)
            assert (status, errors) == (0, "")
            (path,) = scan(out)
            assert text.startswith(f"{path}: good: ")
            assert held(out / "replays") == held(data / "replays")
            assert await replay(*words) == (0, f"{path}: is here already\n", "")
            assert (await replay("verify", str(out), "--key", str(public)))[0] == 0

    run(play())


def test_only_what_a_key_has_signed_is_kept(tmp_path: Path) -> None:
    """Another key, or no signature, and nothing is kept; one by one and in an archive."""
    private, public = keys.make(tmp_path)
    (tmp_path / "other").mkdir()
    _, other = keys.make(tmp_path / "other")
    data = tmp_path / "data"

    async def fetched(address: str, key: Path, folder: str) -> tuple[int, str, int]:
        out = tmp_path / folder
        words = ("fetch", "--bot", "a/a", "--address", address, "--out", str(out), "--key", str(key))
        status, text, _ = await replay(*words)
        return status, text, len(list(scan(out)))

    async def play() -> None:
        async with room(data, sign_key=private) as hall:
            await hall.bots()
            await played(hall, 1)
            status, text, count = await fetched(hall.address, other, "foreign")
            assert (status, "signed with another key" in text, count) == (1, True, 0)
            await played(hall, 20)
            status, _, count = await fetched(hall.address, public, "own")
            assert (status, count) == (0, 21)
        async with room(tmp_path / "bare") as hall:
            await hall.bots()
            await played(hall, 21)
            status, text, count = await fetched(hall.address, public, "unsigned")
            assert (status, text.count("not signed"), count) == (1, 21, 0)

    run(play())


def test_all_logs_of_a_bot_come_and_later_only_what_is_new(tmp_path: Path) -> None:
    """A few are asked for one by one, more come in an archive; with both it is the same folder."""
    data, out = tmp_path / "data", tmp_path / "out"

    async def play() -> None:
        async with room(data) as hall:
            await hall.bots()
            await played(hall, 25)
            words = ("fetch", "--bot", "a/a", "--server", hall.address, "--out", str(out))
            status, text, errors = await replay(*words)
            assert (status, errors) == (0, "")
            assert text.splitlines()[-1] == "25 logs came"
            assert held(out / "replays") == held(data / "replays")
            await played(hall, 2)
            removed = next(iter(scan(out)))
            removed.unlink()
            status, text, _ = await replay(*words)
            assert (status, text.splitlines()[-1]) == (0, "3 logs came, 24 were here already")
            assert held(out / "replays") == held(data / "replays")

    run(play())


def test_a_damaged_log_is_named_and_not_kept(tmp_path: Path) -> None:
    """All others come; the status is 1, one by one and in an archive, by the server's word and by its own."""
    data = tmp_path / "data"

    async def play() -> None:
        async with room(data) as hall:
            await hall.bots()
            few = await played(hall, 2)
            lost = next(path for path in scan(data) if path.stem == few[0])
            lost.unlink()
            words = ("fetch", "--bot", "a/a", "--address", hall.address, "--out")
            status, text, _ = await replay(*words, str(tmp_path / "few"))
            assert (status, text.splitlines()[-1]) == (1, "1 log came, 1 are damaged or lost")
            assert f"{few[0]}: {hall.address}: the log of this match is gone" in text
            await played(hall, 23)
            status, text, _ = await replay(*words, str(tmp_path / "many"))
            assert (status, text.splitlines()[-1]) == (1, "24 logs came, 1 are damaged or lost")
            assert "the server has no whole log of it any more" in text

    run(play())
    forged = long_log(tmp_path / "other", 1_000)
    text = forged.read_bytes()
    assert b'"plies":0' in text
    forged.write_bytes(text.replace(b'"plies":0', b'"plies":9'))  # chained, and no match was like that

    async def again() -> None:
        async with room(tmp_path / "other") as hall:
            words = ("fetch", forged.stem, "--address", hall.address, "--out", str(tmp_path / "forged"))
            status, text, _ = await replay(*words)
            assert (status, text.startswith(f"{forged.stem}: ")) == (1, True)
            assert not held(tmp_path / "forged")

    run(again())


async def cut_off(address: str, out: Path) -> tuple[str, ...]:
    """Fetches logs, and kills that once some have come; returns the words of the command."""
    words = ("fetch", "--bot", "a/a", "--address", address, "--out", str(out))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "referee", "replay", *words), stdout=asyncio.subprocess.DEVNULL
    )
    await until(lambda: len(list(scan(out))) >= 3)
    with suppress(ProcessLookupError):
        process.send_signal(signal.SIGKILL)
    await process.wait()
    return words


def test_what_is_cut_off_is_gone_on_with(tmp_path: Path) -> None:
    """Killed in the middle it leaves whole logs and nothing like one; run again it gets the rest."""
    data = tmp_path / "data"

    async def play() -> None:
        async with room(data) as hall:
            await hall.bots()
            await played(hall, 40)
            whole = held(data / "replays")
            for attempt in range(20):  # it may have come to its end before it is killed
                words = await cut_off(hall.address, out := tmp_path / str(attempt))
                logs = held(out / "replays").items()
                came = {name: data for name, data in logs if name.endswith(".jsonl")}
                if len(came) < len(whole):
                    break
            assert 3 <= len(came) < len(whole)
            assert came.items() <= whole.items()
            status, text, _ = await replay(*words)
            assert status == 0
            assert f"{len(came)} were here already" in text
            assert held(out / "replays") == whole

    run(play())


def test_what_is_not_shown_is_counted_and_not_a_fault(tmp_path: Path) -> None:
    """Anonymous matches that came to nothing are on the list of a tournament, and their logs are not."""

    async def play() -> None:
        async with room(tmp_path / "data") as hall:
            await hall.bots(auto=False)
            playing = hall.play(anonymous=True, tournament="cup")
            await until(lambda: hall.host.matches)
            (hidden,) = hall.host.matches
            playing.cancel()
            await until(lambda: not hall.host.matches)
            for client in hall.clients:
                client.auto = True
            outcome = await hall.play(tournament="cup")
            words = ("--address", hall.address, "--out", str(tmp_path / "out"))
            status, text, _ = await replay("fetch", "--tournament", "cup", *words)
            assert status == 0
            assert text.splitlines()[-1] == "1 log came, 1 are not shown"
            assert [path.stem for path in scan(tmp_path / "out")] == [outcome.match_id]
            status, _, errors = await replay("fetch", hidden, *words)
            assert status == 1
            assert errors == (
                f"referee: {hall.address}: an anonymous match that came to nothing is not shown:"
                " its pairing is played again\n"
            )

    run(play())


def test_what_cannot_be_had_is_said_in_one_line(tmp_path: Path) -> None:
    """Wrong usage is status 2, what fails is 1; nothing is written."""

    async def play() -> None:
        async with room(tmp_path / "data", public=False) as hall:
            token = hall.arena.add_guest("a")
            out = ("--out", str(tmp_path / "out"))
            unknown = "01890000-0000-7000-8000-000000000000"
            here = ("--address", hall.address)
            for words, status, text in (
                ((), 2, "name one match, or a bot with --bot, or a tournament with --tournament"),
                ((unknown,), 2, "no server is named; give --address HOST:PORT, or set REFEREE_ADDRESS"),
                (("../../x", *here), 2, "'../../x' is no id of a match; `referee watch --list` names them"),
                ((unknown, *here), 2, "give that of a registered bot with --token, or set REFEREE_TOKEN"),
                ((unknown, *here, "--token", token), 2, "no such match is known here"),
                (("--bot", "nobody", *here, "--token", token), 2, "no finished match is like that"),
                ((unknown, "--address", "127.0.0.1:1"), 1, "no server answers there; look at --address"),
            ):
                found = await replay("fetch", *words, *out)
                assert found[:2] == (status, ""), found
                assert text in found[2]
                assert found[2].count("\n") == 1
            assert not (tmp_path / "out").exists()
            for words, status, text in (
                ((unknown, *here), 2, "a report is told to the bot only: give its token with --token"),
                ((unknown, *here, "--token", "wrong"), 2, "a valid token is needed"),
            ):
                found = await replay("report", *words)
                assert found[:2] == (status, ""), found
                assert text in found[2]

    run(play())


def test_a_bot_is_told_how_its_match_went(tmp_path: Path) -> None:
    """In the words of `explain`, from afar; another bot of the table is not told."""

    async def play() -> None:
        with Store.under(tmp_path) as store:
            outsider = store.add_bot("outsider")
        async with room(tmp_path) as hall:
            who, turn, others, playing = await opened(hall)
            await who.send(act(turn, text="no tile"))
            await who.expect("rejected")
            outcome = await finish(playing, who, *others, also=turn)
            match_id = outcome.match_id or ""
            seat = who.all("match_started")[0].seat
            token = next(
                hall.tokens[name] for name, one in zip("abcd", hall.clients, strict=True) if one is who
            )
            words = ("report", match_id, "--address", hall.address)
            status, text, errors = await replay(*words, REFEREE_TOKEN=token)
            assert (status, errors) == (0, "")
            (path,) = scan(tmp_path)
            _, explained, _ = await replay("explain", str(path), "--seat", str(seat))
            assert text.splitlines()[:-1] == explained.splitlines()[:-1]  # the last one names the file
            assert "no tile" in text
            status, text, _ = await replay(*words, "--json", REFEREE_TOKEN=token)
            (own,) = json.loads(text)["reports"]
            assert own["faults"][0]["raw_answer"] == "no tile"
            found = await replay(*words, REFEREE_TOKEN=outsider)
            assert found == (1, "", f"referee: {hall.address}: this bot had no seat in the match\n")

    run(play())


def test_of_an_anonymous_match_that_came_to_nothing_a_bot_is_told_its_own(tmp_path: Path) -> None:
    """Without the log, which nobody is shown."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            await hall.bots(auto=False)
            playing = hall.play(anonymous=True)
            await until(lambda: hall.host.matches)
            (match_id,) = hall.host.matches
            playing.cancel()
            await until(lambda: not hall.host.matches)
            words = ("report", match_id, "--address", hall.address)
            status, text, errors = await replay(*words, REFEREE_TOKEN=hall.tokens["a"])
            assert (status, errors) == (0, "")
            assert text.startswith(f"match {match_id}, block_dominoes, seat 0\nvoid: called off\n")
            assert not any(f"{name}/" in text for name in "bcd")

    run(play())

"""Cases of logs and of consoles, for every command that shows, checks or exports a log."""

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path

import msgspec
import pytest

from referee.cli.app import run
from referee.cli.replay_check import check_all
from referee.games import find, names
from referee.match import events as ev
from referee.match.attempt import Chosen
from referee.match.config import Penalties
from referee.replay import reader
from referee.replay.exporting import exported
from referee.replay.positions import frames
from referee.replay.steps import play
from referee.replay.verify import verify
from tests.match.harness import setup
from tests.patience import PATIENCE
from tests.replay import scripts, tampering
from tests.replay.golden import FOLDER

every_game = pytest.mark.parametrize("game", names())
SHOWS = {
    "show": ("show",),
    "show --json": ("show", "--json"),
    "show --seat": ("show", "--seat", "0"),
    "show --seat --json": ("show", "--seat", "0", "--json"),
    "show --spectator": ("show", "--spectator"),
    "show --spectator --json": ("show", "--spectator", "--json"),
}
OTHERS = {"verify": ("verify",), "export": ("export",), "export csv": ("export", "--format", "csv")}
every_command = pytest.mark.parametrize("words", (SHOWS | OTHERS).values(), ids=(SHOWS | OTHERS).keys())
ODD = {
    "block_dominoes": ("play 0-0", "play 6-6", "play 1-5 left"),
    "guan_pai": ("play 3D 3C 3H 3S", "play 2S 2H", "play AC AD AH AS"),
    "mexican_train": ("play 12-12 on 0", "play 0-0 on public", "play 11-12 on 1"),
    "ding_niu": ("play 1-1 left", "play 6-6 right", "discard 1-1"),
}
"""By game actions not all of which are legal at once."""


def digest(path: Path) -> str:
    """Returns a hash of all positions of a log: tables, hands, events, clocks."""
    found = hashlib.sha256()
    for frame in frames(reader.read(path)):
        found.update(repr(frame).encode())
    return found.hexdigest()


# P5


@every_game
def test_p5_a_match_that_was_ended_by_illegal_answers_is_in_the_log(game: str) -> None:
    """Each attempt is an event of its own with its text and reason, and all that was accepted is legal."""
    header = setup(game=game, options=scripts.SHORT[game], penalties=Penalties(retries=0, strikes=1))
    script = scripts.Script(header, seed=5)
    script.start()
    script.play(6)
    rules = find(game)
    while script.match.phase == "running":
        legal = set(script.match.state.legal_actions())
        other = rules.text.parse_action(
            next(text for text in ODD[game] if rules.text.parse_action(text) not in legal)
        )
        script.send(Chosen(other))
    log = reader.parse(scripts.log(script))
    assert log.end
    assert log.end.termination == "forfeited"
    assert verify(log).ok
    match = exported(log, "x")
    tried = [one for one in match.incidents if one.kind == "rejected"]
    assert len(tried) == len(header.seats) - 1
    for one in tried:
        assert one.raw in ODD[game]
        assert one.reason
        assert one.fault == "illegal"
    assert not {one.n for one in tried} & {play.n for deal in match.deals for play in deal.plays}
    state = rules.new(len(header.seats), header.options)
    for record in log.records:
        if isinstance(record, ev.Act | ev.Default):
            assert rules.text.parse_action(record.action) in state.legal_actions()
        play(rules, state, record)


# P8


BURN = "while True: pass"


@contextmanager
def load(processes: int) -> Iterator[None]:
    """Keeps processors busy."""
    burning = [subprocess.Popen([sys.executable, "-c", BURN]) for _ in range(processes)]
    try:
        yield
    finally:
        for one in burning:
            one.kill()
            one.wait()


@every_game
def test_p8_a_log_is_the_same_match_twenty_times_under_load(game: str) -> None:
    """Twenty replays on busy processors, some at once, give the same positions and the same verdict."""
    path = FOLDER / game / "faults.jsonl"
    with load(2):
        assert len({digest(path) for _ in range(20)}) == 1
        assert set(check_all([path] * 20, jobs=3)) == set(check_all([path]))


def test_p8_a_replay_hangs_on_nothing_of_its_process(tmp_path: Path) -> None:
    """Another time zone, language, hash seed and folder give the same bytes."""
    path = FOLDER / "mexican_train" / "faults.jsonl"
    told = set()
    for seed, zone, language in (
        ("0", "UTC", "C"),
        ("1", "Pacific/Chatham", "tr_TR.UTF-8"),
        ("7", "EST", "de_DE"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "referee", "replay", "export", str(path)],
            cwd=tmp_path,
            env={**os.environ, "PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": language},
            capture_output=True,
            timeout=PATIENCE,
            check=True,
        )
        told.add((done.stdout, done.stderr))
    assert len(told) == 1


# P9


def _corrupted(lines: list[bytes]) -> tuple[list[bytes], int]:
    at = next(at for at, line in enumerate(lines) if b'"kind":"act"' in line and at > len(lines) // 2)
    lines[at] = lines[at].replace(b'"action":"', b'"action":"x', 1)
    return lines, at + 1


def _deleted(lines: list[bytes]) -> tuple[list[bytes], int]:
    at = len(lines) // 2
    return [*lines[:at], *lines[at + 1 :]], at + 1


def _swapped(lines: list[bytes]) -> tuple[list[bytes], int]:
    at = len(lines) // 2
    lines[at], lines[at + 1] = lines[at + 1], lines[at]
    return lines, at + 1


@pytest.mark.parametrize("damage", [_corrupted, _deleted, _swapped])
@every_command
def test_p9_a_damaged_log_is_named_by_line_and_never_shown_as_complete(
    damage: Callable[[list[bytes]], tuple[list[bytes], int]],
    words: tuple[str, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The line is named, the status is 1, and no result stands in what was printed before it."""
    lines, bad = damage((FOLDER / "guan_pai" / "plain.jsonl").read_bytes().splitlines(keepends=True))
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"".join(lines))
    command, *options = words
    assert run(["replay", command, *options, str(path)]) == 1
    out, err = capsys.readouterr()
    assert f"line {bad}" in out + err
    assert "completed" not in out
    if command == "export":
        assert out == ""
    elif command == "verify":
        assert re.fullmatch(rf"{path}: line {bad}: .* \(deal \d+, after \d+ actions\)\n", out)
    elif "--json" in options:
        told = json.loads(out)
        assert told["ended"] is False
        assert told["fault"].startswith(f"line {bad}: ")
        assert not any("match_ended" in one.get("frame", {}) for one in told.get("frames", ()))
    elif out:
        assert out.splitlines()[-1].startswith(f"the log is not to be trusted from here on: line {bad}: ")
        assert "\nplace" not in out
        assert "points)" not in out


@pytest.mark.parametrize("form", ["json", "csv"])
def test_p9_an_export_with_a_damaged_log_is_not_written(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither a new file nor a change of the old one; without the bad log only if that is asked for."""
    lines, bad = _corrupted((FOLDER / "guan_pai" / "plain.jsonl").read_bytes().splitlines(keepends=True))
    path, good = tmp_path / "x.jsonl", FOLDER / "ding_niu" / "plain.jsonl"
    path.write_bytes(b"".join(lines))
    out = tmp_path / "out"
    out.write_text("as it was")
    words = ["replay", "export", "--format", form, "--out", str(out), str(good), str(path)]
    assert run(words) == 1
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith(f"referee: {path}: line {bad}: ")
    assert second.startswith("referee: nothing was written: 1 of 2 logs is not good; --keep-going ")
    assert out.read_text() == "as it was"
    assert sorted(tmp_path.iterdir()) == [out, path]

    assert run([*words, "--keep-going"]) == 1
    assert capsys.readouterr().err.splitlines() == [first]
    text = out.read_text()
    if form == "json":
        told = json.loads(text)
        assert [match["file"] for match in told["matches"]] == [str(good)]
        assert [one["file"] for one in told["left_out"]] == [str(path)]
    else:
        assert len(text.splitlines()) == 5
    assert sorted(tmp_path.iterdir()) == [out, path]


# P11


@every_game
def test_p11_a_log_can_be_stepped_through_twice_and_in_any_order(game: str) -> None:
    """Two walks through one log, one inside the other, and a hundred jumps give the same positions."""
    log = reader.read(FOLDER / game / "plain.jsonl")
    whole = list(frames(log))
    for at in range(100):
        place = at * 37 % len(whole)
        inner = frames(log)
        for expected in whole[: place + 1]:
            assert next(inner) == expected
    assert list(zip(frames(log), frames(log), strict=True)) == list(zip(whole, whole, strict=True))


@every_command
def test_p11_no_command_touches_a_log(
    words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Twice the same is printed, and file and folder are as they were."""
    path = tmp_path / "x.jsonl"
    path.write_bytes((FOLDER / "block_dominoes" / "faults.jsonl").read_bytes())
    path.chmod(0o444)
    before = (path.read_bytes(), path.stat(), tmp_path.stat().st_mtime_ns)
    told = []
    for _ in range(2):
        command, *options = words
        assert run(["replay", command, *options, str(path)]) == 0
        told.append(capsys.readouterr())
    assert told[0] == told[1]
    after = path.stat()
    assert (path.read_bytes(), tmp_path.stat().st_mtime_ns) == (before[0], before[2])
    assert (after.st_mtime_ns, after.st_ino, after.st_mode) == (
        before[1].st_mtime_ns,
        before[1].st_ino,
        before[1].st_mode,
    )


# U6


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a log whose bots have names that few consoles can show."""
    script = scripts.plain("ding_niu")
    given = ("🦊 Fuchs", "Žofie", "日本", "x\x1b[2J")
    seats = tuple(
        msgspec.structs.replace(one, name=name) for one, name in zip(script.header.seats, given, strict=True)
    )
    path = tmp_path_factory.mktemp("odd") / "x.jsonl"
    header = msgspec.structs.replace(script.header, seats=seats)
    path.write_bytes(b"".join(line + b"\n" for line in tampering.rechained(header, script.records)))
    return path


@pytest.mark.parametrize("encoding", ["cp1252", "cp437", "ascii", "utf-8"])
@every_command
def test_u6_names_that_a_console_lacks_are_escaped(words: tuple[str, ...], encoding: str, odd: Path) -> None:
    """With any encoding nothing is raised; what cannot be written is an escape, and JSON stays JSON."""
    command, *options = words
    out, err = (TextIOWrapper(BytesIO(), encoding) for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        status = run(["replay", command, *options, str(odd)])
    for stream in (out, err):
        stream.seek(0)
    text = out.read()
    assert (status, err.read()) == (0, "")
    assert "\x1b" not in text
    if "--json" in options or words == ("export",):
        assert "🦊 Fuchs" in json.dumps(json.loads(text), ensure_ascii=False)
    elif command != "verify":
        assert ("🦊" if encoding == "utf-8" else "\\U0001f98a") in text
        assert r"x\x1b[2J" in text


@pytest.mark.parametrize("form", ["csv", "json"])
def test_u6_an_export_in_a_file_is_the_same_on_every_console(form: str, odd: Path, tmp_path: Path) -> None:
    """The encoding of the console is not that of the file: CSV is UTF-8, JSON is ASCII."""
    out = tmp_path / "out"
    subprocess.run(
        [sys.executable, "-m", "referee", "replay", "export", "--format", form, "--out", str(out), str(odd)],
        env={**os.environ, "PYTHONIOENCODING": "cp437", "PYTHONUTF8": "0"},
        timeout=PATIENCE,
        check=True,
    )
    data = out.read_bytes()
    assert ("🦊".encode() in data) == (form == "csv")
    assert data.isascii() == (form == "json")
    assert "Žofie" in (data.decode() if form == "csv" else json.loads(data)["matches"][0]["seats"][1]["name"])

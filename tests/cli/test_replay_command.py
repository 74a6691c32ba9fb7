"""`referee replay` called in this process: what it prints, and its status."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from referee.cli.app import run
from referee.replay.ids import uuid7
from referee.replay.record import hash_of
from referee.replay.signature import Signer
from referee.replay.writer import LogWriter
from tests.match.harness import SECRET
from tests.replay import keys, scripts, tampering

GOLDEN = Path(__file__).parents[2] / "replays" / "golden" / "block_dominoes"


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")


def _changed(path: Path, *, line: int, old: bytes, new: bytes) -> Path:
    lines = (GOLDEN / "faults.jsonl").read_bytes().splitlines(keepends=True)
    assert old in lines[line - 1]
    lines[line - 1] = lines[line - 1].replace(old, new, 1)
    path.write_bytes(b"".join(lines))
    return path


def test_verify_has_one_line_for_each_good_log(capsys: pytest.CaptureFixture[str]) -> None:
    """Good logs are listed with their records, their termination and the hash that covers them."""
    paths = sorted(map(str, GOLDEN.glob("*.jsonl")))
    status = run(["replay", "verify", *paths])
    out, err = capsys.readouterr()

    assert (status, err) == (0, "")
    assert [line.split(": good: ")[0] for line in out.splitlines()] == paths
    assert all(len(line.rpartition(" hash ")[2]) == 64 for line in out.splitlines())


def test_p9_verify_names_the_first_bad_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One bad log makes the status 1, is named by its line, and does not stop the check of the others."""
    bad = _changed(tmp_path / "bad.jsonl", line=61, old=b'"n":60', new=b'"n":59')
    good = GOLDEN / "void.jsonl"
    status = run(["replay", "verify", str(bad), str(good)])
    first, second = capsys.readouterr().out.splitlines()

    assert status == 1
    assert first == f"{bad}: line 61: record 59 where 60 must stand (deal 1, after 13 actions)"
    assert second.startswith(f"{good}: good: 25 records")


def test_p9_verify_with_a_key_demands_its_signature(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a public key a log is good only if that key signed it; the others are named (P9)."""
    private, public = keys.make(tmp_path)
    script = scripts.void("block_dominoes")
    match_id = uuid7(script.header.created // 1000, bytes(10))
    header = msgspec.structs.replace(script.header, match_id=match_id)
    writer = LogWriter.create(tmp_path, header, SECRET, Signer.load(private))
    for record in script.records:
        writer.append(record)
    signed = str(writer.finish())
    unsigned = str(GOLDEN / "void.jsonl")
    assert run(["replay", "verify", "--key", str(public), signed]) == 0
    assert ", signed, hash " in capsys.readouterr().out
    assert run(["replay", "verify", "--key", str(public), signed, unsigned]) == 1
    assert capsys.readouterr().out.splitlines()[1] == f"{unsigned}: not signed: there is no void.jsonl.sig"
    _, other = keys.make(tmp_path, "other")
    assert run(["replay", "verify", "--key", str(other), signed]) == 1
    assert f"{signed}: signed with another key" in capsys.readouterr().out
    assert run(["replay", "verify", "--key", str(private), signed]) == 2
    assert "no Ed25519 public key in PEM" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (
            lambda data: data[: data.rindex(b'{"prev"')],
            "unfinished, and not to be checked without its secret",
        ),
        (lambda data: data[:-30], "unfinished, and not to be checked without its secret"),
        (lambda _data: b"", "line 1: no whole header"),
        (lambda _data: b"\x1b[31mred\n", "line 1: no line of a replay log"),
        (lambda data: data + b"\x00" * 9, "line 27: bytes follow the end record"),
    ],
)
def test_p9_what_is_no_whole_log_is_explained_in_one_line(
    made: object, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A log that is cut off, empty, strange or longer than its match is one line and status 1."""
    path = tmp_path / "x.jsonl"
    assert callable(made)
    path.write_bytes(made((GOLDEN / "void.jsonl").read_bytes()))
    status = run(["replay", "verify", str(path)])
    out, err = capsys.readouterr()

    assert (status, err, out) == (1, "", f"{path}: {told}\n")


def test_a_running_log_is_shown_and_not_called_good(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A running log is checked with the secret beside it as far as it goes, and is called unfinished."""
    script = scripts.void("block_dominoes")
    writer = LogWriter.create(tmp_path, script.header, SECRET)
    for record in script.records[:-1]:
        writer.append(record)
    writer.flush()
    status = run(["replay", "verify", str(writer.path)])
    shown = run(["replay", "show", str(writer.path)])
    first, *lines = capsys.readouterr().out.splitlines()
    writer.abandon()

    assert (status, shown) == (1, 0)
    assert first == f"{writer.path}: unfinished: no end record after 24 good records"
    assert lines[-1] == "unfinished: the match is running or was cut off after 24 records"


def test_a_missing_file_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both commands name a file that is not there, without a traceback."""
    path = tmp_path / "nothing.jsonl"

    assert run(["replay", "verify", str(path)]) == 1
    assert capsys.readouterr() == (f"{path}: No such file or directory\n", "")
    assert run(["replay", "show", str(path)]) == 1
    assert capsys.readouterr() == ("", f"referee: {path}: No such file or directory\n")


def test_show_tells_the_match(capsys: pytest.CaptureFixture[str]) -> None:
    """Header, seats, hands, plays with think times, passes, faults, strikes and the result are shown."""
    assert run(["replay", "show", str(GOLDEN / "faults.jsonl")]) == 0
    out = " ".join(capsys.readouterr().out.split())

    for told in (
        "match 01890000-0000-7000-8000-000000000002",
        "block_dominoes, rules 1, 2023-11-14 22:13:20 UTC",
        "target=60",
        "3 retries a turn, 5 strikes a match",
        "16 bytes of entropy",
        "seat 2 total 0 hand 0-4 0-6 1-2 2-3 3-4 4-6 6-6",
        "2 b2 refused: illegal - action 'play 0-0': deal 1 has to be opened with 6-6",
        "2 b2 play 6-6 75.6 ms",
        "strike 1 - illegal",
        "default action: late",
        "default action: forfeited before",
        "lag credit 150.0 ms",
        "passed",
        "forfeits",
        "stream ended",
        "stream taken over",
        "referee stood still - 4.000 s, REFEREE_STALL",
        "match resumed - after 29.000 s",
        "scores",
        "(forfeited)",
        "completed after 41 actions",
    ):
        assert told in out, told


def test_show_as_json_holds_the_whole_log(capsys: pytest.CaptureFixture[str]) -> None:
    """Scripts get the header, every record and the hash of the last line as one JSON object."""
    assert run(["replay", "show", "--json", str(GOLDEN / "faults.jsonl")]) == 0
    whole = json.loads(capsys.readouterr().out)
    lines = [json.loads(line) for line in (GOLDEN / "faults.jsonl").read_text().splitlines()]
    for line in lines:
        del line["prev"]

    assert [{"kind": "header", **whole["header"]}, *whole["records"]] == lines
    assert (whole["ended"], whole["torn"], whole["fault"]) == (True, False, None)


def test_show_does_not_pass_a_bad_log_off_as_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A log is shown up to its bad line, which is named last; the status is 1."""
    bad = _changed(tmp_path / "bad.jsonl", line=61, old=b'"n":60', new=b'"n":59')

    assert run(["replay", "show", str(bad)]) == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "the log is not to be trusted from here on: line 61: record 59 where 60 must stand"


def test_show_refuses_a_play_that_does_not_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A well chained log with an impossible play is one line that names it."""
    script = scripts.void("block_dominoes")
    lines = scripts.lines(script.header, script.records[:6])
    path = tmp_path / "x.jsonl"
    act = b'{"prev":"%b","kind":"act","seat":0,"turn":1,"ply":1,"action":"play 0-0","start":1,"think":1,'
    tail = b'"credit":0,"bank":1,"events":[],"n":7,"t":9999999}\n'
    prev = hash_of(lines[-1]).encode()
    path.write_bytes(b"\n".join(lines) + b"\n" + act.replace(b"%b", prev) + tail)

    assert run(["replay", "show", str(path)]) == 1
    assert capsys.readouterr().err == f"referee: {path}: line 8: 'play 0-0' is not legal for seat 0\n"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"created": 10**5000}, "Integer value out of range"),
        ({"seats": []}, "4 seats"),
        ({"game": "chess"}, "no game is called 'chess'"),
        ({"options": {"target": "9" * 5000}}, "option target"),
    ],
    ids=["created", "seats", "game", "options"],
)
def test_p9_show_and_verify_name_a_forged_file_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: dict[str, Any], told: str
) -> None:
    """Whatever a header holds, there is no traceback, and the line begins with the name of the file."""
    header, *records = [json.loads(line) for line in (GOLDEN / "void.jsonl").read_bytes().splitlines()]
    path = tmp_path / "x.jsonl"
    path.write_bytes(tampering.chained([header | change, *records]))

    assert run(["replay", "show", str(path)]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"referee: {path}: line 1: ")
    assert told in line
    assert run(["replay", "verify", str(path)]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"{path}: line 1: ")
    assert told in line


def test_names_of_bots_cannot_command_a_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Escape sequences and markup in names are shown as text."""
    data = (GOLDEN / "void.jsonl").read_bytes().splitlines(keepends=True)[0]
    path = tmp_path / "x.jsonl"
    path.write_bytes(data.replace(b'"name":"b0"', b'"name":"\\u001b[2J[red]b0"'))

    assert run(["replay", "show", str(path)]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert r"\x1b[2J[red]b0" in out


def test_u6_there_is_no_colour_in_a_pipe(tmp_path: Path) -> None:
    """Written to a pipe, with any locale, both commands print plain text and end well."""
    for command in ("show", "verify"):
        done = subprocess.run(
            [sys.executable, "-m", "referee", "replay", command, str(GOLDEN / "faults.jsonl")],
            capture_output=True,
            cwd=tmp_path,
            env={**os.environ, "PYTHONIOENCODING": "ascii"},
            check=False,
        )

        assert (done.returncode, done.stderr) == (0, b"")
        assert b"\x1b" not in done.stdout
        assert b"completed" in done.stdout


def test_verify_takes_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All finished logs under a folder are checked, of a data folder those of its matches only."""
    day = tmp_path / "replays" / "2026" / "01" / "31"
    day.mkdir(parents=True)
    for name in ("plain", "void"):
        (day / f"{name}.jsonl").write_bytes((GOLDEN / f"{name}.jsonl").read_bytes())
    (tmp_path / "referee.jsonl").write_text("the server's own log\n")

    assert run(["replay", "verify", str(tmp_path)]) == 0
    good = [line.split(": good: ")[0] for line in capsys.readouterr().out.splitlines()]
    assert good == [str(day / "plain.jsonl"), str(day / "void.jsonl")]
    (tmp_path / "empty").mkdir()
    assert run(["replay", "verify", str(tmp_path / "empty")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_show_of_a_void_match_has_no_places(capsys: pytest.CaptureFixture[str]) -> None:
    """Where no result counts there are dashes for place and points, and every column has a heading."""
    assert run(["replay", "show", str(GOLDEN / "void.jsonl")]) == 0
    lines = capsys.readouterr().out.splitlines()
    places = lines[[line.split()[:1] == ["place"] for line in lines].index(True) + 2 :]

    assert [line.split()[:5] for line in places[:4]] == [
        ["-", str(at), f"b{at}", "0", "-"] for at in range(4)
    ]
    assert ["seconds", "seat", "what", "think", "notes"] in [line.split() for line in lines]
    assert [line.strip() for line in lines].count("deal 1") == 1


def test_show_of_a_match_that_was_called_off(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The host is named where it ended the match, so that nobody blames a bot."""
    script = scripts.void("block_dominoes")
    lines = [*scripts.lines(script.header, script.records)]
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"\n".join(lines).replace(b"the operator stopped it", b"called off") + b"\n")

    assert run(["replay", "show", str(path)]) == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith("called off by the host")


def test_show_lists_the_best_place_first(capsys: pytest.CaptureFixture[str]) -> None:
    """The result is in the order of places."""
    assert run(["replay", "show", str(GOLDEN / "faults.jsonl")]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    start = [line[:1] == ["place"] for line in lines].index(True) + 2
    ranks = [int(line[0]) for line in lines[start : start + 4]]

    assert ranks == sorted(ranks)


@pytest.mark.parametrize("ending", ["jsonl.part", "jsonl.sealed"])
def test_a_log_of_a_block_is_shown_to_nobody_while_its_deals_are_played(
    tmp_path: Path, ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """`show` and `verify` refuse it in one line; under its final name it is a log like any other."""
    early, final = tmp_path / f"x.{ending}", tmp_path / "x.jsonl"
    for path in (early, final):
        path.write_bytes(scripts.log(scripts.block("block_dominoes")))

    for command in ("show", "verify"):
        assert run(["replay", command, str(early)]) == 1
        told = "".join(capsys.readouterr())
        assert told.count("\n") == 1
        assert "its deals are met in other matches of its block" in told
        assert run(["replay", command, str(final)]) == 0
        capsys.readouterr()

"""`referee replay show` as one viewer saw the match: seats and spectators, for people and as JSON."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from google.protobuf.json_format import ParseDict

from referee.cli.app import run
from referee.games import find, names
from referee.games.base import State
from referee.match import events as ev
from referee.replay import reader
from referee.replay.steps import play
from referee.replay.writer import LogWriter
from referee.server.retell import retell
from referee.v1 import play_service_pb2 as pb
from tests.match.harness import SECRET
from tests.replay import scripts, tampering
from tests.replay.golden import FOLDER

every_game = pytest.mark.parametrize("game", names())


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")


def shown(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> str:
    """Returns what a command prints; a line that was folded is one line again."""
    assert run(["replay", "show", *words]) == status
    out, err = capsys.readouterr()
    assert err == ""
    return out.replace("\n        ", " ")


def truth(path: Path) -> Iterator[tuple[State, ev.Record]]:
    """Yields the whole truth after each record of a log."""
    log = reader.read(path)
    game = find(log.setup.game)
    state = game.new(len(log.setup.seats), log.setup.options)
    for record in log.records:
        play(game, state, record)
        yield state, record


@every_game
def test_a_seat_is_shown_its_turns_and_its_own_faults(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each of its turns has its hand, what is legal and its clock; refusals and strikes are its own only."""
    path = FOLDER / game / "faults.jsonl"
    lines = shown(capsys, "--seat", "1", str(path)).splitlines()
    records = reader.read(path).records
    turns = [line for line in lines if "  turn " in line]
    asked = [record for record in records if isinstance(record, ev.Turn) and record.seat == 1]
    hands = [
        " ".join(find(game).text.hand(state, 1))
        for state, record in truth(path)
        if isinstance(record, ev.Turn) and record.seat == 1
    ]
    held = [line for line in lines if line.startswith("    own: ")]
    assert 0 < len(turns) <= len(asked)
    assert len(held) == len(turns)
    assert {line.split(": ")[1].split("; ")[0].split(" ", 2)[2] for line in held} <= set(hands)
    refused = [line for line in lines if "  refused, " in line]
    own = [record for record in records if isinstance(record, ev.Rejected) and record.seat == 1]
    others = {record.reason for record in records if isinstance(record, ev.Rejected) and record.seat != 1}
    assert refused
    assert all(any(record.reason in line for line in refused) for record in own)
    for reason in others - {record.reason for record in own}:
        assert not any(reason in line for line in lines)


@every_game
def test_json_for_a_seat_has_the_frames_that_it_heard(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Every frame is there, as the messages of the protocol have it, and nothing else but the state."""
    path = FOLDER / game / "faults.jsonl"
    told = json.loads(shown(capsys, "--seat", "0", "--json", str(path)))
    heard = [
        frame
        for one in retell(reader.read(path))
        if one.seat == 0
        for frame in pb.PlayResponse.FromString(one.data).frames
    ]
    assert [ParseDict(one["frame"], pb.PlayResponseFrame()) for one in told["frames"]] == heard
    assert {key: told[key] for key in ("view", "seat", "ended", "torn", "fault")} == {
        "view": "seat",
        "seat": 0,
        "ended": True,
        "torn": False,
        "fault": None,
    }
    assert set(told) == {"match_id", "view", "seat", "frames", "ended", "torn", "fault", "last_hash"}


@every_game
def test_the_lines_for_a_viewer_tell_the_facts_of_its_json(
    game: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever text or decision is in the frames stands in the lines too."""
    path = str(FOLDER / game / "faults.jsonl")
    lines = shown(capsys, "--seat", "2", path)
    for one in json.loads(shown(capsys, "--seat", "2", "--json", path))["frames"]:
        ((arm, frame),) = one["frame"].items()
        for text in facts(arm, frame):
            assert text in lines
    public = shown(capsys, "--spectator", path)
    for one in json.loads(shown(capsys, "--spectator", "--json", path))["frames"]:
        ((arm, frame),) = one["frame"].items()
        for text in facts(arm, frame):
            assert text in public


def facts(arm: str, frame: Any) -> Iterable[str]:
    """Returns texts that have to stand in the lines for a frame."""
    if arm == "match_started":
        return [
            frame["match_id"],
            frame["commitment"] and "commitment",
            *(s["display_name"] for s in frame["seats"]),
        ]
    if arm == "turn":
        return [f"turn {frame['turn_id']}: "]
    if arm == "rejected":
        return [frame["reason"], f"strikes {frame['strike_count']}"]
    if arm == "deal_ended":
        return [
            f"scores {' '.join(map(str, frame['scores']))}",
            f"totals {' '.join(map(str, frame['totals']))}",
        ]
    if arm in {"match_ended", "ended"}:
        return [f"{one['rank']}. " for one in frame["placements"]]
    return []


def test_a_spectator_is_shown_no_hand_before_a_deal_is_over(capsys: pytest.CaptureFixture[str]) -> None:
    """The view of spectators has counts; a tile that was drawn or laid face down is not in it."""
    out = shown(capsys, "--spectator", str(FOLDER / "ding_niu" / "plain.jsonl"))
    table = [line for line in out.splitlines() if not line.startswith("deal ")]
    assert not [line for line in table if "hand tiles" in line or "discard tiles" in line]
    assert [line for line in table if "discarded" in line]
    assert not [line for line in table if "discarded tile" in line]


def test_nobody_is_named_to_a_seat_of_an_anonymous_match(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Names come with the result, as they did for the seat; the full view has them."""
    script = scripts.plain("ding_niu")
    seats = tuple(msgspec.structs.replace(one, name=f"Name {one.name}") for one in script.header.seats)
    header = msgspec.structs.replace(script.header, anonymous=True, seats=seats)
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in tampering.rechained(header, script.records)))
    for words in (("--seat", "3"), ("--spectator",)):
        before, ended, after = shown(capsys, *words, str(path)).rpartition("completed")
        assert ended
        assert "Name b" not in before
        assert after.count("Name b") == 4
    assert "Name b0" in shown(capsys, str(path)).partition("deal 1")[0]


def test_a_running_match_is_shown_to_a_seat_as_far_as_it_goes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its last line says that it is not over; what a seat heard takes the secret, which lies beside it."""
    script = scripts.plain("guan_pai")
    writer = LogWriter.create(tmp_path, script.header, SECRET)
    for record in script.records[:50]:
        writer.append(record)
    writer.flush()
    path = str(writer.path)
    for words in (("--seat", "0"), ("--spectator",)):
        last = shown(capsys, *words, path).splitlines()[-1]
        assert last == "unfinished: the match is running or was cut off after 50 records"
        assert json.loads(shown(capsys, *words, "--json", path))["ended"] is False
    reader.secret_path(writer.path).unlink()
    assert run(["replay", "show", "--seat", "0", path]) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"referee: {path}: what its seats were told takes the secret")
    writer.abandon()


def test_a_log_of_a_block_that_is_not_over_is_shown_to_nobody(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its deals are met in other matches, so no viewer is an exception."""
    path = tmp_path / "x.jsonl.sealed"
    path.write_bytes((FOLDER / "guan_pai" / "block.jsonl").read_bytes())
    for words in ((), ("--seat", "0"), ("--spectator",), ("--seat", "1", "--json")):
        assert run(["replay", "show", *words, str(path)]) == 1
        assert capsys.readouterr().out == ""
    assert run(["replay", "export", str(path)]) == 1
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--seat", "4"], "--seat 4: the match has the seats 0 to 3"),
        (["--seat", "-1"], "--seat"),
        (["--seat", "1", "--spectator"], "give --seat or --spectator, not both"),
    ],
)
def test_a_viewer_that_there_is_not_is_refused(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line says which seats there are, or what does not go together."""
    assert run(["replay", "show", *words, str(FOLDER / "ding_niu" / "plain.jsonl")]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert told in err

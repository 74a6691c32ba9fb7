"""`referee replay pack` and `unpack`: what they say, and what they refuse."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Self

import pytest

from referee.cli import replay_pack
from referee.cli.app import run
from referee.replay.packs import PACK
from referee.replay.reader import SEALED
from tests.replay import packed
from tests.replay.packed import DAY, NEXT, write

FOLDER = Path("replays/2026/07/28")
Told = Callable[..., tuple[int, str, str]]


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Told:
    """Runs a command in a folder of its own; returns status, output and errors."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("REFEREE_DATA", raising=False)

    def call(*words: str) -> tuple[int, str, str]:
        status = run(["replay", *words])
        return status, *capsys.readouterr()

    return call


def test_pack_says_what_became_of_each_day_and_unpack_undoes_it(told: Told, tmp_path: Path) -> None:
    """A line for each day; packed again there is nothing to do."""
    for number in range(3):
        write(tmp_path, number)
    write(tmp_path, 1, NEXT)
    before = packed.held(tmp_path)

    status, out, _ = told("pack", "--before", "2026-07-29")
    assert status == 0
    assert re.fullmatch(
        r"replays/2026/07/28: 3 logs packed; \d+\.\d KiB in files, \d+\.\d KiB in the pack\n", out
    )
    assert told("pack", "--before", "2026-07-29") == (0, ".: there is nothing to be packed\n", "")
    assert told("pack")[1].startswith("replays/2026/07/29: 1 log packed; ")
    assert told("unpack", "2026-07-28")[1].startswith("replays/2026/07/28: 3 logs unpacked; ")
    assert (tmp_path / "replays/2026/07/29" / PACK).exists()
    assert told("unpack")[1].startswith("replays/2026/07/29: 1 log unpacked; ")
    assert told("unpack")[1] == ".: there is nothing to be unpacked\n"
    assert packed.held(tmp_path) == before


class LateInTheDay(datetime):
    """A clock that stands still: no day ends while a test looks at it."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        """Returns the moment before a midnight."""
        return cls(2026, 7, 31, 23, 59, 59, 999_999, tzinfo=tz)


def test_days_young_enough_are_left_alone(
    told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--older-than` counts days before today; today itself is never packed."""
    monkeypatch.setattr(replay_pack, "datetime", LateInTheDay)
    today = LateInTheDay.now(UTC).date()
    days = [today - timedelta(days=ago) for ago in (0, 1, 2, 3)]
    for day in days:
        write(tmp_path, 1, day)

    assert told("pack", "--older-than", "2")[1].count("packed;") == 1
    assert told("pack", "--older-than", "1")[1].count("packed;") == 1
    assert told("pack")[1].count("packed;") == 1
    assert len(list((tmp_path / f"replays/{today:%Y/%m/%d}").glob("*.jsonl"))) == 1


def test_a_day_that_waits_is_told_and_is_no_failure(told: Told, tmp_path: Path) -> None:
    """A match that is not over keeps its day as it is; the other days are packed."""
    write(tmp_path, 1)
    path = write(tmp_path, 2)
    path.rename(path.with_name(packed.match_id(2) + SEALED))
    write(tmp_path, 1, NEXT)

    status, out, _ = told("pack")

    assert status == 0
    first, second = out.splitlines()
    assert first == "replays/2026/07/28: left as it is: 1 match of it is not over"
    assert "1 log packed" in second


def test_a_damaged_pack_fails_alone(told: Told, tmp_path: Path) -> None:
    """The status is 1, the pack is named, and the other days are packed."""
    write(tmp_path, 1)
    write(tmp_path, 1, NEXT)
    (tmp_path / FOLDER / PACK).write_bytes(b"no pack")

    status, out, _ = told("pack")

    assert status == 1
    first, second = out.splitlines()
    assert first.startswith(
        "replays/2026/07/28: left as it is: replays/2026/07/28/pack.zip: no whole zip file: "
    )
    assert "1 log packed" in second
    assert told("unpack", "2026-07-28")[0] == 1


def test_a_file_that_is_no_log_stays_and_is_told(told: Told, tmp_path: Path) -> None:
    """A line for each link, pipe or text that is called a log, and the logs are packed; status 1."""
    write(tmp_path, 1)
    odd = FOLDER / "passwd.jsonl"
    (tmp_path / odd).symlink_to("/etc/passwd")

    status, out, _ = told("pack")

    assert status == 1
    first, second = out.splitlines()
    assert first == f"{odd}: stays: it is no finished log of the match that it is named by"
    assert second.startswith(f"{FOLDER}: 1 log packed; ")
    assert told("pack") == (1, f"{first}\n", "")
    assert (tmp_path / odd).is_symlink()


def test_packed_logs_are_shown_and_verified_by_their_names(told: Told, tmp_path: Path) -> None:
    """By the name of the log, the folder, the data folder, the pack, and a copy of the pack elsewhere."""
    for number in (1, 2):
        write(tmp_path, number)
    told("pack")
    name = f"{packed.match_id(1)}.jsonl"

    for place, count in (
        (FOLDER / name, 1),
        (FOLDER, 2),
        (Path(), 2),
        (FOLDER / PACK, 2),
        (FOLDER / PACK / name, 1),
    ):
        status, out, _ = told("verify", str(place))
        assert (status, out.count(": good: ")) == (0, count), place
    (tmp_path / FOLDER / PACK).rename(tmp_path / "day.zip")
    assert told("verify", "day.zip")[1].count(": good: ") == 2
    assert packed.match_id(1) in told("show", f"day.zip/{name}")[1]
    status, _, err = told("show", f"day.zip/{packed.match_id(3)}.jsonl")
    assert (status, err.count("\n")) == (1, 1)


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("pack", "--before", "soon"), "'soon' is no day; write it like 2026-07-28"),
        (("pack", "--before", "9999-01-01"), "is not over"),
        (("pack", "--before", f"{DAY}", "--older-than", "1"), "not both"),
        (("unpack", "28.7."), "'28.7.' is no day"),
        (("pack", "--data", "none"), "none/replays: no such folder"),
    ],
)
def test_what_cannot_be_packed_is_refused_in_a_line(
    told: Told, tmp_path: Path, words: tuple[str, ...], what: str
) -> None:
    """Wrong usage has status 2 and one line that says how to write it."""
    write(tmp_path, 1)

    status, out, err = told(*words)

    assert (status, out, err.count("\n")) == (2, "", 1)
    assert what in err

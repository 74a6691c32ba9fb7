"""The page on the format of replay logs, against the code."""

import re
import subprocess
import sys
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from msgspec import UnsetType

from referee import games
from referee.match.config import Block, Branch, DuplicateKind, Penalties, SeatInfo, Setup, TimeControl
from referee.match.events import AttemptForm, Default, FaultName, Place, Record, TerminationName
from referee.replay import reader, signature
from referee.replay.signature import Signature
from tests.replay.golden import FOLDER

PAGE = (FOLDER.parent / "README.md").read_text("utf-8")
LINES, DEALS, SIGNATURES = (
    PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0] for title in ("Lines", "Deals", "Signatures")
)
RECORDS = LINES.split("\n### ")[0]
WORDS, COUNTS = (LINES.split(f"\n### {title}\n")[1].split("\n### ")[0] for title in ("Words", "Counts"))
SNIPPET = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[0]


def test_the_page_tells_every_member_of_every_kind() -> None:
    """The table of the format has the kinds and members of the code, in the order of the lines."""
    told = {}
    for kinds, members in re.findall(r"^\| ((?:`\w+`(?:, )?)+) \| ([^|]*) \|", RECORDS, re.MULTILINE):
        for kind in re.findall(r"`(\w+)`", kinds):
            told[kind] = tuple(re.findall(r"`(\w+)`", members))
    known = {
        record.__struct_config__.tag: tuple(f for f in record.__struct_fields__ if f not in {"n", "t"})
        for record in get_args(Record)
    }

    assert told == {"header": Setup.__struct_fields__, **known}


def test_the_page_tells_every_member_of_what_is_in_a_member() -> None:
    """The values in the header and in the end record have the members of the code, in their order."""
    told = {
        name: tuple(re.findall(r"`(\w+)`", members))
        for name, members in re.findall(r"^\| `(\w+)`(?:, a list)? \| ([^|]*) \|", LINES, re.MULTILINE)
    }

    assert told["time_control"] == TimeControl.__struct_fields__
    assert told["penalties"] == Penalties.__struct_fields__
    assert told["seats"] == SeatInfo.__struct_fields__
    assert told["block"] == Block.__struct_fields__
    assert told["branch"] == Branch.__struct_fields__
    places = re.findall(r"^\| `places` \| by seat: ([^;]*);", COUNTS, re.MULTILINE)
    assert tuple(re.findall(r"`(\w+)`", places[0])) == Place.__struct_fields__


def test_the_page_tells_every_member_that_may_be_left_out() -> None:
    """The list of optional members of the header is that of the code."""
    optional = {name for name, hint in get_type_hints(Setup).items() if UnsetType in get_args(hint)}

    assert set(re.findall(r"^- `(\w+)`:", LINES, re.MULTILINE)) == optional


def test_the_page_tells_every_word() -> None:
    """Faults, forms, causes, terminations and kinds of blocks are those of the code."""
    rows = re.findall(r"^\| `(\w+)` \| ([^|]*) \| ([^|]*) \|$", WORDS, re.MULTILINE)
    told = {name: tuple(re.findall(r"`(\w+)`", words)) for name, _, words in rows}

    assert told == {
        "fault": get_args(FaultName),
        "form": get_args(AttemptForm),
        "cause": get_args(get_type_hints(Default)["cause"]),
        "termination": get_args(TerminationName),
        "kind": get_args(DuplicateKind),
    }


def test_the_page_tells_the_pieces_of_every_game() -> None:
    """For each game the size of its set, as it is dealt."""
    told = dict(re.findall(r"^\| ([A-Za-z ]+) \| [^|]* \| (\d+) \|", DEALS, re.MULTILINE))

    assert {name.lower().replace(" ", "_"): int(size) for name, size in told.items()} == {
        name: games.find(name)
        .new(games.find(name).info.min_seats, games.find(name).info.resolve({}))
        .chance()
        .size
        for name in games.names()
    }


def test_the_page_tells_every_member_of_a_signature() -> None:
    """The table of the signature has the members of the code in their order, and the text that is signed."""
    told = re.findall(r"^\| `(\w+)` \|", SIGNATURES, re.MULTILINE)

    assert tuple(told) == Signature.__struct_fields__
    assert f"the text `{signature.LABEL}` followed by `last_hash`" in SIGNATURES


def _check(path: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", SNIPPET, str(path)], capture_output=True, text=True, check=False
    )


def test_the_ten_lines_of_the_page_check_a_chain(tmp_path: Path) -> None:
    """The program of the page accepts a good log, prints its hash, and names a line that does not follow."""
    good = FOLDER / "block_dominoes" / "faults.jsonl"
    lines = good.read_bytes().splitlines(keepends=True)
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(b"".join([*lines[:9], *lines[10:]]))

    assert _check(good).stdout == f"whole {reader.read(good).last_hash}\n"
    assert _check(bad).stderr == "line 10 does not follow\n"


@pytest.mark.parametrize("name", ["plain", "void"])
def test_the_ten_lines_tell_an_unfinished_log(tmp_path: Path, name: str) -> None:
    """A log without its end record is called unfinished."""
    lines = (FOLDER / "block_dominoes" / f"{name}.jsonl").read_bytes().splitlines(keepends=True)
    part = tmp_path / "x.jsonl.part"
    part.write_bytes(b"".join(lines[:-1]))

    assert _check(part).stdout.startswith("unfinished ")

"""The page on the format of replay logs, against the code."""

import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from referee.match.config import Setup
from referee.match.events import Record
from referee.replay import reader, signature
from referee.replay.signature import Signature
from tests.replay.golden import FOLDER

PAGE = (FOLDER.parent / "README.md").read_text("utf-8")
LINES, SIGNATURES = (PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0] for title in ("Lines", "Signatures"))
SNIPPET = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[0]


def test_the_page_tells_every_member_of_every_kind() -> None:
    """The table of the format has the kinds and members of the code, in the order of the lines."""
    told = {}
    for kinds, members in re.findall(r"^\| ((?:`\w+`(?:, )?)+) \| ([^|]*) \|", LINES, re.MULTILINE):
        for kind in re.findall(r"`(\w+)`", kinds):
            told[kind] = tuple(re.findall(r"`(\w+)`", members))
    known = {
        record.__struct_config__.tag: tuple(f for f in record.__struct_fields__ if f not in {"n", "t"})
        for record in get_args(Record)
    }

    assert told == {"header": Setup.__struct_fields__, **known}


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

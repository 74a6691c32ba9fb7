"""What a runner that was killed left behind, and how the next one ends it."""

import asyncio
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.organiser.leftovers import settle_leftovers
from referee.replay.reader import read, scan, unfinished
from referee.replay.signature import Signer, Verifier
from tests.replay import keys
from tests.server.client import running_log
from tests.server.outage import cut_off

REMOTE = frozenset("abcd")


def _left_behind(data: Path) -> Path:
    asyncio.run(cut_off(data, pairing_id="cup/3"))
    return running_log(data)


def _long_ago(log: Path) -> None:
    os.utime(log, (0, 0))


def _just_now(log: Path) -> None:
    os.utime(log)


@pytest.mark.parametrize(
    ("remote", "cut", "note"),
    [
        (frozenset[str](), _just_now, r"the referee was gone, and the bots that it had launched with it"),
        (REMOTE, _long_ago, r"the referee was gone for \d{8,} s"),
    ],
    ids=["launched", "long ago"],
)
def test_s9_a_match_that_cannot_go_on_is_void_and_signed(
    tmp_path: Path, remote: frozenset[str], cut: Callable[[Path], None], note: str
) -> None:
    """Its log ends as any other does, says why, and has the signature of whoever keeps the record."""
    private, public = keys.make(tmp_path)
    told: list[str] = []
    cut(_left_behind(tmp_path))
    going_on = settle_leftovers(tmp_path, "cup", remote, told.append, Signer.load(private))
    (path,) = scan(tmp_path)
    log = read(path)

    assert (going_on, told, list(unfinished(tmp_path))) == ([], [], [])
    assert log.end
    assert (log.end.termination, log.setup.pairing_id) == ("void", "cup/3")
    assert re.fullmatch(note, log.end.note)
    Verifier.load(public).check(path, log.last_hash)


def test_p1_a_match_of_registered_bots_is_left_to_go_on(tmp_path: Path) -> None:
    """Nothing is written to it, and its time still tells how long the runner was gone."""
    told: list[str] = []
    path = _left_behind(tmp_path)
    before = path.read_bytes(), path.stat().st_mtime_ns
    (setup,) = settle_leftovers(tmp_path, "cup", REMOTE, told.append)

    assert (setup.pairing_id, told) == ("cup/3", [])
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


def test_the_matches_of_another_tournament_are_left_alone(tmp_path: Path) -> None:
    """Several may share a data folder: each ends what is its own."""
    path = _left_behind(tmp_path)
    _long_ago(path)

    assert settle_leftovers(tmp_path, "cu", frozenset(), lambda _: None) == []
    assert running_log(tmp_path) == path

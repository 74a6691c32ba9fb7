"""Readers of logs while their days are packed and unpacked: they find all of them."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee.replay import packs, reader
from referee.replay.files import logs_under
from referee.replay.opening import open_regular
from referee.server.logbook import find_log
from tests.replay import packed
from tests.replay.packed import FOLDER, held, moved, write


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A data root with three logs of one day."""
    for number in range(3):
        write(tmp_path, number)
    return tmp_path


def test_readers_miss_no_log_while_it_is_moved(root: Path) -> None:
    """Whoever lists and reads the logs while another process packs and unpacks them finds all of them."""
    before = held(root)
    work = f"""
import select, sys
from itertools import count
from pathlib import Path
from tests.replay.packed import moved
root = Path({str(root)!r})
for times in count(1):
    assert moved(root, "pack") == moved(root, "unpack") == []
    if times >= 40 and select.select([sys.stdin], [], [], 0)[0]:
        break
"""
    with subprocess.Popen([sys.executable, "-c", work], stdin=subprocess.PIPE) as mover:
        assert mover.stdin
        looks = 0
        while mover.poll() is None:
            assert held(root) == before
            assert [path.name for path in logs_under(root)] == list(before)
            assert all(find_log(root, packed.match_id(number)) for number in range(3))
            looks += 1
            if looks == 40:
                mover.stdin.close()  # it may end, once it has moved them often enough itself
    assert mover.returncode == 0
    assert looks >= 40


class Restless:
    """Packs or unpacks all days, in turn, before each of the next looks of a reader at the disk."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._left = 0
        self._moving = False

    def moves(self, count: int) -> None:
        """So many times from now on."""
        self._left = count

    def look(self) -> None:
        """A reader is about to look."""
        if self._moving or not self._left:
            return
        self._left -= 1
        self._moving = True
        work = "unpack" if (self._root / FOLDER / packs.PACK).exists() else "pack"
        assert moved(self._root, work) == []
        self._moving = False

    def before(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Returns a function that looks."""

        def looking(*words: Any, **named: Any) -> Any:
            self.look()
            return function(*words, **named)

        return looking


@pytest.mark.parametrize("first", ["plain", "packed"])
@pytest.mark.parametrize("moves", range(8))
def test_a_log_is_found_however_often_it_is_moved_between_two_looks(
    root: Path, first: str, moves: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where it comes back to the place that was looked at before; one that is nowhere is not found."""
    before = held(root)
    if first == "packed":
        moved(root, "pack")
    restless = Restless(root)
    for name in ("glob", "exists", "stat"):
        monkeypatch.setattr(Path, name, restless.before(getattr(Path, name)))
    monkeypatch.setattr(packs, "open_regular", restless.before(open_regular))

    restless.moves(moves)
    assert [path.name for path in reader.logs_in(root / FOLDER)] == list(before)
    restless.moves(moves)
    assert [path.name for path in logs_under(root)] == list(before)
    for name, data in before.items():
        path = root / FOLDER / name
        restless.moves(moves)
        assert packs.open_log(path).read() == data
        restless.moves(moves)
        assert packs.exists(path)
        restless.moves(moves)
        assert packs.status(path).st_size
    absent = root / FOLDER / f"{packed.match_id(7)}.jsonl"
    restless.moves(moves)
    assert not packs.exists(absent)
    restless.moves(moves)
    with pytest.raises(FileNotFoundError):
        packs.open_log(absent)

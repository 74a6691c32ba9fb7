"""The folder of a check: it goes with the check, and with the next one where a check was killed."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from referee.check.room import PREFIX, room

HOLDS = """
import sys
from referee.check.room import room
with room() as folder:
    print(folder, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Returns an empty folder for temporary files, here and in processes that are started."""
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def test_a_room_goes_with_its_check(places: Path) -> None:
    """It is new and empty, and is removed with all that is in it."""
    with room() as folder:
        assert list(places.iterdir()) == [folder]
        (folder / "replays").mkdir()
        (folder / "replays" / "log").touch()

    assert list(places.iterdir()) == []


def test_the_room_of_a_killed_check_goes_with_the_next_one(places: Path) -> None:
    """While its process lives a room stays; after a SIGKILL the next check removes it, and nothing else."""
    (places / f"{PREFIX}file").touch()
    (places / "others").mkdir()
    with subprocess.Popen([sys.executable, "-c", HOLDS], stdin=-1, stdout=-1, text=True) as process:
        assert process.stdout
        folder = Path(process.stdout.readline().strip())
        (folder / "log").touch()
        with room():
            assert (folder / "log").exists()
        process.kill()
        process.wait()
    assert folder.exists()
    with room():
        assert not folder.exists()

    assert {path.name for path in places.iterdir()} == {f"{PREFIX}file", "others"}

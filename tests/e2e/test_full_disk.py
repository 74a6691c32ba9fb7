"""A tournament whose disk is full: it says so in one line, and goes on when there is room again."""

import subprocess
from pathlib import Path

from tests.disks import small_disk
from tests.e2e.cups import Cup, everything

MATCHES = 60
ROOM = 400 * 1024
"""Less than so many matches take, in bytes."""


def test_s8_a_tournament_whose_disk_was_full_goes_on(tmp_path: Path) -> None:
    """What was played stays, what was cut off is played once more, and every pairing counts once."""
    with small_disk(tmp_path / "disk", ROOM) as folder:
        cup = Cup(folder)
        cup.write(matches=MATCHES)
        status, _, told = cup.played()

        assert status == 1
        (line,) = [line for line in told.splitlines() if line.startswith("referee: ")]
        assert line.endswith("cannot be written: No space left on device; free some space")
        assert "Traceback" not in told
        played = len(cup.accepted())
        assert 0 < played < MATCHES
        subprocess.run(["mount", "-o", "remount,size=64m", str(folder)], check=True)
        done = cup.run("tournament", "resume", "cup", "--json", "--quiet")

        assert done.returncode == 0, done.stderr
        assert cup.counting() == everything(MATCHES)
        assert cup.logs("*.part") == cup.logs("*.secret") == []

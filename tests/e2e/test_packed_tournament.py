"""A tournament whose logs were packed meanwhile."""

from datetime import date

from referee.replay.packing import pack_days
from tests.e2e.cups import FIVE, SEEDED, Cup


def test_s8_a_tournament_goes_on_from_packed_logs(cup: Cup) -> None:
    """Run again without its index it plays nothing twice; its table, voids and bots are as before."""
    cup.write(FIVE, matches=6, head=SEEDED)
    status, told, stderr = cup.played()
    assert status == 0, stderr
    ids = [path.stem for path in cup.logs()]
    assert sum(moved.logs for moved in pack_days(cup.folder, date.max)) == 6
    assert cup.logs() == []
    for file in cup.folder.glob("referee.db*"):
        file.unlink()

    status, again, stderr = cup.played()

    assert (status, again["played"]) == (0, 0), stderr
    assert again["standings"] == told["standings"]
    done = cup.here("tournament", "void", "cup", ids[0], "--why", "the power failed")
    assert done.returncode == 0, done.stderr
    (table,) = cup.told("standings", "rebuild", "--tournament", "cup")["tables"]
    assert table["terminations"]["void"] == 1

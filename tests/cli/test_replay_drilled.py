"""What a drill says of the time of an answer, and what a fetch leaves of a log that it could not keep."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from referee.cli.fetched import Folder
from referee.cli.replay_drilled import show
from referee.engine.drill.values import Drill, Row
from referee.errors import RefereeError
from referee.match.config import SECOND
from referee.replay import reader

GOLDEN = Path(__file__).parents[2] / "replays" / "golden" / "block_dominoes"
LATE = {"verdict": "late", "think": 1_601_000, "budget": SECOND, "slow": True}


@pytest.mark.parametrize(
    ("about", "said"),
    [
        (LATE, "0.601 s past the deadline"),
        ({**LATE, "reason": "no such tile"}, "0.601 s past the deadline; no such tile"),
        ({**LATE, "verdict": "same", "budget": 5 * SECOND}, "longer than the base, from the bank"),
    ],
)
def test_p13_a_late_answer_is_told_as_late(about: dict[str, object], said: str) -> None:
    """From the bank is what was in time; what was not says by how much (P13)."""
    row = Row(turn=1, deal=1, ply=0, logged="pass", answer="pass", **about)  # type: ignore[arg-type]
    drill = Drill(
        match_id="",
        game="block_dominoes",
        seat=0,
        command="",
        turns=1,
        counts={row.verdict: 1},
        slow=1,
        rows=(row,),
        stray=0,
        ended="",
        stderr=(),
        output="o",
    )
    out = io.StringIO()
    show(drill, Console(file=out, width=200), whole=False)

    (line,) = [line for line in out.getvalue().splitlines() if "1.601 s" in line]
    assert line.endswith(said)


def test_a_log_that_cannot_be_kept_leaves_nothing(tmp_path: Path) -> None:
    """What came of it goes again, and the error names the file."""
    data = (GOLDEN / "faults.jsonl").read_bytes()
    match_id, folder = reader.parse(data).setup.match_id, Folder(tmp_path)
    folder.place(match_id).mkdir(parents=True)
    with pytest.raises(RefereeError, match=match_id):
        folder.keep(match_id, data, b"")

    assert list(folder.place(match_id).parent.iterdir()) == [folder.place(match_id)]

"""What an operator decides about a tournament is written once."""

import re
from pathlib import Path

import pytest

from referee.cli.app import run
from referee.organiser.folder import Folder
from referee.store.decision_log import DecisionLog, decisions_path
from referee.tournament.decision import Disqualified, Opened, Returned, Withdrawn

CUP = b"""
[tournament]
name = "cup"
game = "mexican_train"
seats = 2
[bots.easy]
[bots.normal]
"""
AT = 1_767_225_600_000_000
"""The first moment of the year 2026."""


@pytest.mark.parametrize(
    ("word", "holds", "kind"),
    [("withdraw", "withdrawn", Withdrawn), ("disqualify", "disqualified", Disqualified)],
)
def test_a_bot_is_ruled_out_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], word: str, holds: str, kind: type
) -> None:
    """The second time says since when and why; a return of a bot that plays is none either."""
    folder = Folder(tmp_path, "cup")
    with folder.locked():
        folder.begin(CUP, "cup.toml", AT)
    command = ["tournament", word, "cup", "easy", "--data", str(tmp_path), "--why"]

    assert run([*command, "late"]) == 0
    assert run([*command, "again"]) == 2
    told = capsys.readouterr()
    since = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ"
    assert re.fullmatch(rf"referee: bot easy/easy is already {holds} since {since}: late\n", told.err)
    back = ["tournament", "return", "cup", "easy", "--why", "x", "--data", str(tmp_path)]
    assert [run(back), run(back)] == [0, 2]
    assert "is neither paused, withdrawn nor disqualified" in capsys.readouterr().err
    decided = DecisionLog(decisions_path(tmp_path, "cup")).read()
    assert [type(one) for one in decided] == [Opened, kind, Returned]


def test_the_status_mentions_a_decision_that_was_not_written_to_its_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An operator who was cut off while deciding sees that it does not hold."""
    folder = Folder(tmp_path, "cup")
    with folder.locked():
        folder.begin(CUP, "cup.toml", AT)
    with decisions_path(tmp_path, "cup").open("ab") as file:
        file.write(b'{"prev":"x')
    command = ["tournament", "status", "cup", "--data", str(tmp_path)]

    assert run(command) == 0
    assert "the last line of the decisions was not written to its end (10 bytes)" in capsys.readouterr().out
    assert run(["tournament", "withdraw", "cup", "easy", "--why", "x", "--data", str(tmp_path)]) == 0
    assert run(command) == 0
    assert "not written to its end" not in capsys.readouterr().out


def test_a_bot_that_is_disqualified_cannot_be_withdrawn_as_well(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What it has played does not count, whatever is told; a withdrawn one can be disqualified."""
    folder = Folder(tmp_path, "cup")
    with folder.locked():
        folder.begin(CUP, "cup.toml", AT)
    rest = ["cup", "easy", "--data", str(tmp_path), "--why", "late"]

    words = ("withdraw", "disqualify", "withdraw", "disqualify")
    assert [run(["tournament", word, *rest]) for word in words] == [0, 0, 2, 2]
    told = capsys.readouterr()
    assert told.err.count("referee: bot easy/easy is already disqualified since") == 2
    assert told.out.count("what it has played counts") == 1
    decided = DecisionLog(decisions_path(tmp_path, "cup")).read()
    assert [type(one) for one in decided] == [Opened, Withdrawn, Disqualified]

"""Lists that matches, bots and faults make longer: people see the first, and how many more there are."""

import io
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from referee.cli.match_result import explain, remark
from referee.cli.standings_command import Wish, read
from referee.cli.standings_table import print_standings
from referee.cli.tables import MOST, first
from referee.cli.tournament_table import show_status
from referee.organiser.overview import Status
from referee.server.launch_report import Exit, LaunchReport
from referee.tournament.decision import Accepted, Decision, Unplayed, rulings
from referee.tournament.standings import fold
from tests.store.logs import write
from tests.tournament.samples import result

MANY = 3_000


def printed(decisions: list[Decision], faults: int) -> list[str]:
    """Returns the lines of the table of a tournament in which so many bots have a fault."""
    played = [
        result(
            number,
            {f"bot{number}": 2, "ann": 1},
            tournament="cup",
            faults={f"bot{number}": {"late": 1}} if number < faults else None,
        )
        for number in range(max(2, faults))
    ]
    (table,) = fold(played, {"cup": rulings(decisions)})
    out = io.StringIO()
    print_standings(table, Console(file=out, width=200))
    return out.getvalue().splitlines()


@pytest.mark.parametrize("count", [MOST, MANY])
def test_s9_pairings_that_were_given_up_are_told_one_by_one_up_to_ten(count: int) -> None:
    """A ladder of many weeks prints its table, and not thousands of pairings below it (S9)."""
    given_up = [Unplayed(at=1, pairing_id=f"cup/{n}", why="spoiled", at_fault=()) for n in range(count)]
    lines = [line for line in printed([*given_up], 0) if "not played" in line]

    assert lines[:MOST] == [f"not played: pairing cup/{n}: spoiled" for n in range(MOST)]
    assert lines[MOST:] == ([f"and {MANY - MOST} more pairings not played; all in --json"] * (count > MOST))


def test_k10_notes_about_bots_are_bounded_below_a_long_table() -> None:
    """Of a hundred bots with faults forty are told about; the numbers of all are in --json (K10)."""
    lines = printed([Accepted(at=1, pairing_id="cup/0", attempt=1, match_ids=())], 100)

    assert sum("faults: 1 late" in line for line in lines) == 40
    assert "and 60 more bots with something to tell; all in --json" in lines


def test_what_was_decided_about_a_tournament_is_bounded_by_kind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Voids, reasons and bots that are away each have their own end."""
    many = {f"x{number}": "why" for number in range(MANY)}
    status = Status(
        name="cup",
        game="block_dominoes",
        total=1,
        accepted=0,
        settled=1,
        unplayed=Counter(many.keys()),
        voided=many,
        disqualified=many,
        withdrawn={},
        paused=many,
        byes=0,
        no_shows=dict.fromkeys(many, 2),
        process=1,
    )
    show_status(status, tmp_path, None)
    out = capsys.readouterr().out.splitlines()

    for what in ("reasons", "void matches", "disqualified bots", "paused bots", "bots that did not show up"):
        assert f"and {MANY - MOST} more {what}; all in --json" in out
    assert len(out) < 6 * MOST


def report(number: int, **about: Any) -> LaunchReport:
    """Returns what is known of a launched bot that failed."""
    return LaunchReport(
        **{
            "bot": f"bot{number}",
            "command": "x",
            "folder": "/",
            "environment": {},
            "exit": Exit(code=1),
            "stopped": False,
            "output": "o",
            "stderr": (),
            **about,
        }
    )


def test_bots_that_failed_are_explained_up_to_ten(capsys: pytest.CaptureFixture[str]) -> None:
    """A run of thousands of processes ends with a page, not with a book."""
    reports = [report(number, killed=True) for number in range(MANY)]
    explain(reports)
    told = capsys.readouterr().err
    remark(reports)
    noted = capsys.readouterr().err.splitlines()

    assert told.count("exited by itself") == MOST
    assert f"and {MANY - MOST} more exited by themselves" in told
    assert len(noted) == MOST + 1


def test_a_bot_that_fell_over_again_and_again_is_explained_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its author reads how often, how it ended at last, and what the shell does not have anyway."""
    monkeypatch.setenv("PATH", "/bin")
    environment = {"PATH": "/bin", "REFEREE_GAME": "guan_pai"}
    explain([report(1, exit=Exit(code=number), environment=environment) for number in (1, 2, 3)])
    told = capsys.readouterr().err.splitlines()

    assert told[0] == "bot bot1 exited by itself 3 times, at last with status 3"
    assert "  environment: REFEREE_GAME=guan_pai" in told
    assert len([line for line in told if line.startswith("bot ")]) == 1


def test_logs_that_are_left_out_are_named_up_to_ten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder full of bad logs hides no table."""
    for number in range(MOST + 3):
        path = write(tmp_path, result(number, {"ann": 2, "bob": 1}))
        path.write_bytes(path.read_bytes().replace(b"ann", b"anx", 1))
    read(Wish(tmp_path, None), lambda _store, _decided: ())
    lines = capsys.readouterr().err.splitlines()

    assert len(lines) == MOST + 1
    assert lines[-1] == "referee: and 3 more like these; put these right first"


def test_a_list_that_is_short_enough_is_whole() -> None:
    """Nothing is counted where nothing is left out."""
    assert first(["a", "b"], "letters", most=2) == ["a", "b"]
    assert first(["a", "b", "c"], "letters", most=2) == ["a", "b", "and 1 more letters; all in --json"]

"""`referee standings` of tournaments: decisions, the crosstable, and what a narrow terminal shows."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from referee.store.decision_log import DecisionLog, decisions_path
from referee.tournament.decision import Bye, Decision, Disqualified, Opened, Unplayed, Voided, Withdrawn
from tests.e2e.test_standings_command import referee
from tests.store import logs
from tests.tournament.samples import match_id, result

BOTS = ("ann", "bob", "cyd", "dee")


def decide(data: Path, *decisions: Decision, tournament: str = "cup") -> None:
    """Appends decisions about a tournament, and opens it if it is new."""
    log = DecisionLog(decisions_path(data, tournament))
    opened = [] if log.read() else [Opened(at=1, tournament=tournament, file="0" * 64)]
    log.append(*opened, *decisions)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Makes a data root with the logs of a tournament, of an unrated run, and of a match of its own."""
    for number in range(24):
        scores = {bot: 50 + at * 10 + number * (at + 3) % 7 * 4 for at, bot in enumerate(BOTS)}
        logs.write(tmp_path, result(number, scores, pairing=f"cup/{number}", tournament="cup"))
    for number in range(30, 33):
        run = result(number, {"eve": 9, "fay": 5 + number % 2 * 9}, pairing=f"run-1/{number}", rated=False)
        logs.write(tmp_path, run)
    logs.write(tmp_path, result(40, {"gus": 1, "hal": 2}))
    return tmp_path


def tables(data: Path, *arguments: str) -> list[dict[str, object]]:
    """Returns the tables that the command prints as JSON."""
    shown = referee("standings", "--data", str(data), "--json", *arguments)
    assert (shown.returncode, shown.stderr) == (0, "")
    found: list[dict[str, object]] = json.loads(shown.stdout)["tables"]
    return found


def test_tables_of_a_tournament_are_shown_alone(data: Path) -> None:
    """A name shows the tournament alone; all tables are there without one."""
    assert [table["tournament"] for table in tables(data)] == ["", "cup"]
    assert [(table["tournament"], table["matches"]) for table in tables(data, "--tournament", "cup")] == [
        ("cup", 24)
    ]


@pytest.mark.parametrize("words", [(), ("--json",), ("challenge",), ("rebuild",)])
def test_an_unknown_tournament_is_refused_with_those_there_are(data: Path, words: tuple[str, ...]) -> None:
    """One line with the name that may have been meant, or some names, and status 2."""
    for name, hint in (("cap", "did you mean cup?"), ("nosuch", "there are cup, run-1")):
        nothing = referee("standings", "--data", str(data), "--tournament", name, *words)

        assert (nothing.returncode, nothing.stdout) == (2, "")
        assert f"no tournament, ladder or run '{name}' under {data}; {hint}" in nothing.stderr


def test_a_tournament_without_a_finished_match_is_no_unknown_one(data: Path) -> None:
    """It was begun, and that nothing has ended yet is no mistake."""
    decide(data, tournament="new")
    nothing = referee("standings", "--data", str(data), "--tournament", "new")

    assert (nothing.returncode, nothing.stdout.count("\n")) == (0, 1)
    assert "No finished match of new" in nothing.stdout


def test_an_empty_table_says_why_and_where_to_look(tmp_path: Path) -> None:
    """Where only unrated matches were played, or those of a comparison, no row has any number."""
    logs.write(tmp_path, result(1, {"eve": 9, "fay": 5}, pairing="run-1/0", rated=False))
    shown = referee("standings", "--data", str(tmp_path)).stdout
    assert f"referee standings --tournament NAME --data {tmp_path}" in shown.splitlines()[-1]

    twice = result(2, {"eve": 9, "fay": 5}, pairing="cmp-1/0", rated=False)
    logs.write(tmp_path, replace(twice, seats=tuple(replace(seat, bot="eve") for seat in twice.seats)))
    decide(tmp_path, tournament="cmp-1")
    (tmp_path / "tournaments/cmp-1/compare.json").write_text("{}")
    shown = referee("standings", "--data", str(tmp_path), "--tournament", "cmp-1").stdout
    assert f"referee compare --resume cmp-1 --data {tmp_path}" in shown.splitlines()[-1]


def test_an_unrated_run_counts_among_its_own(data: Path) -> None:
    """Its matches count nowhere else, and in its own table they do."""
    (all_time, _) = tables(data)
    (own,) = tables(data, "--tournament", "run-1")

    assert (all_time["matches"], all_time["not_counted"]) == (1, {"unrated": 3})
    assert (own["matches"], own["not_counted"]) == (3, {})


def test_k16_what_was_decided_is_in_the_table_and_in_a_rebuilt_one(data: Path) -> None:
    """Decisions change the table at once; a rebuild from logs and decisions gives the same bytes (K16)."""
    before = tables(data, "--tournament", "cup")
    decide(
        data,
        Voided(at=2, match_id=match_id(3), why="the lights went out"),
        Withdrawn(at=3, bot="dee", why="no time"),
        Bye(at=3, round=1, bot="ann"),
        Unplayed(at=4, pairing_id="cup/90", why="3 attempts were spoiled", at_fault=("cyd",)),
    )
    after = referee("standings", "--data", str(data), "--json", "--crosstable")
    rebuilt = referee("standings", "--data", str(data), "--json", "--crosstable", "rebuild")
    shown = referee("standings", "--data", str(data), "--tournament", "cup").stdout

    assert before[0]["matches"] == 24
    assert after.stdout == rebuilt.stdout
    assert json.loads(after.stdout)["tables"][1]["matches"] == 23
    for said in (
        "dee 1: withdrawn: no time; 1 made void",
        "ann 1: 1 bye; 1 made void",
        "cyd 1: 1 not played for want of it; 1 made void",
        "not played: pairing cup/90: 3 attempts were spoiled",
        "24 matches ended: 23 completed, 1 void; 23 count, of 23 deal groups; not counted: 1 made void.",
        "Withdrawn bots stand below",
    ):
        assert said in shown
    decide(data, Disqualified(at=5, bot="dee", why="two accounts"))
    (table,) = tables(data, "--tournament", "cup")
    assert (table["matches"], table["not_counted"]) == (0, {"disqualified": 23, "voided": 1})
    shown = referee("standings", "--data", str(data), "--tournament", "cup").stdout
    assert "0 count, of 0 deal groups; not counted: 23 lost to a disqualification, 1 made void." in shown


def test_decisions_that_cannot_be_trusted_hide_their_tournament_only(data: Path) -> None:
    """A decisions log that was changed is named, its tables are left out, and the others are shown."""
    decide(data, Withdrawn(at=2, bot="ann", why="no time"))
    path = decisions_path(data, "cup")
    path.write_bytes(path.read_bytes().replace(b"cup", b"cap", 1))
    shown = referee("standings", "--data", str(data), "--json")

    assert shown.returncode == 0
    assert len(shown.stderr.splitlines()) == 1
    assert "decisions.jsonl" in shown.stderr
    assert "the tables of cup are left out" in shown.stderr
    assert [table["tournament"] for table in json.loads(shown.stdout)["tables"]] == [""]


def test_a_tournament_whose_decisions_cannot_be_trusted_has_no_table(data: Path) -> None:
    """Whoever asks for its table hears why there is none, in one line; a rebuild is not good either."""
    decide(data, Withdrawn(at=2, bot="ann", why="no time"))
    path = decisions_path(data, "cup")
    path.write_bytes(path.read_bytes().replace(b"cup", b"cap", 1))
    for words in ([], ["--json"], ["rebuild"], ["challenge"]):
        shown = referee("standings", "--data", str(data), "--tournament", "cup", *words)
        assert (shown.returncode, shown.stdout) == (1, "")
        told = [line for line in shown.stderr.splitlines() if not line.startswith("index rebuilt")]
        assert len(told) == 1
        assert "the chain is broken" in told[0]
    rebuilt = referee("standings", "--data", str(data), "rebuild")

    assert rebuilt.returncode == 1
    assert "gus" in rebuilt.stdout, "the others are shown"


@pytest.mark.parametrize("columns", ["140", "80", "50", "30"])
def test_the_crosstable_fits_its_terminal(data: Path, columns: str) -> None:
    """Every pair is there once each way at any width; the parts are as wide as the terminal at most."""
    shown = referee(
        "standings", "--data", str(data), "--tournament", "cup", "--crosstable", COLUMNS=columns
    ).stdout
    crosstable = shown[shown.index("rating: OpenSkill") :].splitlines()
    lines = [line for line in crosstable if any(f" {bot} 1 " in line for bot in BOTS)]

    assert sum(line.count("/24") for line in lines) == 12
    assert "a shared place is half a win" in shown
    if int(columns) > 30:
        assert all(len(line) <= int(columns) for line in lines)


def test_u10_leads_and_think_times_are_told_with_their_units(data: Path) -> None:
    """How sure each lead is stands in the table, and the legend says what it means (U10)."""
    shown = referee("standings", "--data", str(data), "--tournament", "cup").stdout
    heading = next(line for line in shown.splitlines() if " bot " in line)

    assert heading.split() == ["bot", "n", "places", "points", "lead", "score", "rating", "think"]
    assert "sure" in shown
    assert "lead: matches until the lead over the next row is certain (95 %)" in shown
    assert "think: mean time per turn" in shown
    assert "cup: block_dominoes, rules 1 (target=100)" in shown

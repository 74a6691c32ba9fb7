"""Logs of other versions: refused by name, or stopped at the action that comes out otherwise."""

import importlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from referee import games
from referee.cli.app import run
from referee.games.base import Action, Event
from referee.match.events import Act
from referee.replay import reader
from referee.replay.verify import verify
from referee.store.store import Store
from tests.replay import scripts
from tests.replay.golden import FOLDER
from tests.replay.tampering import rechained

GAMES = ("block_dominoes", "guan_pai", "mexican_train", "ding_niu")


def _changed(name: str, after: int) -> Any:
    """Returns a game whose rules say one more thing of every action after so many of a match."""
    game = games.find(name)
    rules = importlib.import_module(f"referee.games.{name}.rules").State

    played = 0

    def apply(state: Any, action: Action) -> list[Event]:
        nonlocal played
        events: list[Event] = rules.apply(state, action)
        played += 1
        return [*events, events[0]] if played > after else events

    other = type("Other", (rules,), {"__slots__": (), "apply": apply})

    def new(seats: int, options: Any) -> Any:
        state = game.new(seats, options)
        state.__class__ = other
        return state

    parts = {part: getattr(game, part) for part in ("info", "view", "wire", "text")}
    return SimpleNamespace(**parts, new=new)


@pytest.mark.parametrize("name", GAMES)
def test_p6_rules_that_changed_without_a_new_version_stop_at_their_first_effect(name: str) -> None:
    """The check names line, deal and number of actions before the first that comes out otherwise."""
    log = reader.read(FOLDER / name / "plain.jsonl")
    for after in (0, 5, 30):
        verdict = verify(log, _changed(name, after))
        record = log.records[verdict.line - 2]

        assert isinstance(record, Act)
        assert (verdict.ok, verdict.ply, record.ply) == (False, after, after + 1)
        assert verdict.deal >= 1
        assert f"(deal {verdict.deal}, after {after} actions)" in str(verdict)
    assert verify(log, _changed(name, 1_000_000)).ok


def _of_version(root: Path, **header: Any) -> Path:
    """Writes a whole log with another header where the record of a data root has it."""
    script = scripts.void("block_dominoes")
    setup = msgspec.structs.replace(script.header, **header)
    path = root / "replays" / "2023" / "11" / "14" / f"{setup.match_id}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(line + b"\n" for line in rechained(setup, script.records)))
    return path


def test_p6_other_rules_are_refused_with_the_referee_that_has_them(tmp_path: Path) -> None:
    """A log of another rules version is not played by these; what to install for it is said."""
    path = _of_version(tmp_path, rules_version="2", engine_version="0.9.0")

    assert str(verify(reader.read(path))) == (
        "line 1: block_dominoes is known here by rules version 1, not '2'; referee '0.9.0', which wrote it,"
        " can check it"
    )


def test_p6_results_of_other_rules_have_tables_of_their_own(tmp_path: Path) -> None:
    """The index takes the log of another rules version, and nothing is summed across versions."""
    _of_version(tmp_path, rules_version="2")
    with Store.under(tmp_path) as store:
        assert store.sync(tmp_path).added == 1
        assert [result.rules_version for result in store.results()] == ["2"]


@pytest.mark.parametrize(
    "words", [["replay", "show"], ["replay", "verify"], ["replay", "export"]], ids=" ".join
)
def test_a_later_schema_is_refused_by_name(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every reader says which schema it does not know, in one line."""
    path = _of_version(tmp_path, schema=2)

    assert run([*words, str(path)]) == 1
    told = capsys.readouterr()
    first, *_ = (told.out + told.err).splitlines()
    assert path.name in first
    assert "schema 2 is not known here, only 1" in first


def test_a_later_schema_is_left_out_of_the_standings_by_name(tmp_path: Path) -> None:
    """The index names the log that it cannot read, and takes the others."""
    path = _of_version(tmp_path, schema=2)
    _of_version(tmp_path, match_id="01890000-0000-7000-8000-0000000000aa")
    with Store.under(tmp_path) as store:
        report = store.sync(tmp_path)

    assert report.added == 1
    (refused,) = report.refused
    assert path.name in refused
    assert "schema 2 is not known here, only 1" in refused

"""The golden replays, played again line by line."""

import json
from pathlib import Path

import pytest

from referee import games
from referee.replay import reader
from referee.replay.resimulate import Resimulation
from referee.replay.verify import verify
from tests.replay import scripts
from tests.replay.golden import FOLDER

GOLDENS = sorted(FOLDER.glob("*/*.jsonl"))


def test_every_game_has_every_golden() -> None:
    """No game of the registry is without its golden replays, and none is left of a game that is gone."""
    wanted = {(game, script.__name__) for game in games.names() for script in scripts.ALL}

    assert {(path.parent.name, path.stem) for path in GOLDENS} == wanted


@pytest.mark.parametrize("path", GOLDENS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_p8_a_golden_is_run_again_line_by_line(path: Path) -> None:
    """Every line of a golden follows from those before it, with the rules as they are now."""
    log = reader.read(path)
    assert log.secret is not None
    simulation = Resimulation(log.setup, log.secret, games.find(path.parent.name))
    for record in log.records:
        assert simulation.step(record) is None
    assert simulation.release() == ()
    assert verify(log).ok


@pytest.mark.parametrize("path", GOLDENS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_golden_is_what_its_script_gives(path: Path) -> None:
    """Played anew, a script writes the committed bytes; `make golden` renews them on purpose."""
    script = next(script for script in scripts.ALL if script.__name__ == path.stem)

    assert path.read_bytes() == scripts.log(script(path.parent.name))


def test_goldens_hold_every_kind_of_record_and_fault() -> None:
    """Between them the goldens of block dominoes show all that a log can say of a match."""
    records = [
        json.loads(line)
        for path in GOLDENS
        if path.parent.name == "block_dominoes"
        for line in path.read_text().splitlines()
    ]
    kinds = {record["kind"] for record in records}
    told = {record["fault"] for record in records if "fault" in record}

    assert kinds == {
        *("header", "ready", "deal", "turn", "act", "rejected", "default", "strike", "forfeit"),
        *("dropped", "rejoined", "gone", "stall", "resumed", "deal_result", "end"),
    }
    assert told == {
        *("late", "illegal", "malformed", "stale", "future", "not_your_turn", "conflicting", "rate_limited"),
    }
    assert {record["form"] for record in records if "form" in record} == {
        *("action", "index", "text", "malformed", "none"),
    }
    assert {record["termination"] for record in records if "termination" in record} == {
        *("completed", "forfeited", "adjudicated", "no_show", "void"),
    }

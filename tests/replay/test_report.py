"""What a report tells of one seat of a match."""

from pathlib import Path

import pytest

from referee.errors import UsageError
from referee.games import find
from referee.replay import reader
from referee.replay.report import report
from referee.v1.game_pb2 import Observation
from tests.replay.golden import FOLDER

GOLDENS = sorted(FOLDER.glob("*/*.jsonl"))
every_golden = pytest.mark.parametrize("path", GOLDENS, ids=lambda path: f"{path.parent.name}/{path.stem}")
every_game = pytest.mark.parametrize("game", sorted({path.parent.name for path in GOLDENS}))


@every_golden
def test_faults_and_strikes_are_those_of_the_end_record(path: Path) -> None:
    """For each seat of each golden the report lists as many faults of each kind as the referee counted."""
    log = reader.read(path)
    assert log.end is not None
    for place in log.end.places:
        told = report(log, place.seat)
        kinds = [fault.kind for fault in told.faults]

        assert {kind: kinds.count(kind) for kind in kinds} == {k: n for k, n in place.faults.items() if n}
        assert told.strikes == place.strikes
        assert (told.place is None) == (log.end.termination in {"void", "no_show"})
        assert (told.forfeited_at is not None) == place.forfeited


@every_game
def test_p5_a_fault_holds_the_turn_as_the_bot_saw_it(game: str) -> None:
    """The observation has the own hand, the raw answer is not in the legal list, and the default is told."""
    log = reader.read(FOLDER / game / "faults.jsonl")
    rules = find(game)
    refused = [
        fault
        for seat in range(len(log.setup.seats))
        for fault in report(log, seat).faults
        if fault.kind == "illegal" and fault.form == "action"
    ]

    assert refused
    for fault in refused:
        assert fault.shown is not None
        table = getattr(Observation.FromString(fault.shown.observation), game)
        assert table.HasField("public")
        assert table.HasField("private")
        assert fault.raw not in map(rules.text.action, fault.shown.legal)
        assert fault.played is None or fault.played in fault.shown.legal


@every_game
def test_turns_are_all_that_was_played_for_the_seat(game: str) -> None:
    """Each ply of a match is a turn in the report of one seat, or was played for one that had forfeited."""
    log = reader.read(FOLDER / game / "faults.jsonl")
    assert log.end is not None
    told = [report(log, seat) for seat in range(len(log.setup.seats))]

    assert sum(len(one.turns) + one.played_for for one in told) == log.end.plies
    assert min(turn.ply for one in told for turn in one.turns) == 1
    for one in told:
        assert [turn.turn for turn in one.turns] == list(range(1, len(one.turns) + 1))
        assert all(turn.budget > 0 and turn.choices > 0 for turn in one.turns)
        assert all(turn.think <= turn.budget + turn.credit for turn in one.turns if turn.cause != "late")


def test_a_late_answer_is_part_of_the_fault_of_its_turn() -> None:
    """A turn that ran out is one fault, with the answer that came too late and when it came."""
    logs = [reader.read(path) for path in GOLDENS]
    told = [report(log, seat) for log in logs for seat in range(len(log.setup.seats))]
    late = [fault for one in told for fault in one.faults if fault.kind == "late"]
    unplayed = [one for one in told for fault in one.faults if fault.kind == "late" and fault.played is None]

    assert any(fault.raw and fault.answered_at > fault.t for fault in late)
    assert any(fault.answered_at == 0 for fault in late)
    assert all(fault.turn and fault.strikes for fault in late)
    assert all(one.forfeited_at is not None for one in unplayed)


def test_the_command_that_reproduces_is_for_a_shell() -> None:
    """It names file and seat, and the bot where that is known."""
    log = reader.read(FOLDER / "ding_niu" / "plain.jsonl")

    assert report(log, 2, "python3 bot.py").reproduce == (
        f"referee replay drill {log.setup.match_id}.jsonl --seat 2 -- python3 bot.py"
    )
    assert report(log, 1).reproduce == (
        f"referee replay drill {log.setup.match_id}.jsonl --seat 1 -- COMMAND"
    )


def test_a_seat_that_there_is_not_is_refused() -> None:
    """The error names the seats that the match has."""
    with pytest.raises(UsageError, match="seats 0 to 3"):
        report(reader.read(FOLDER / "ding_niu" / "plain.jsonl"), 4)

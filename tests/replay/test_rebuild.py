"""Rebuilding a match from the part of its log that a crash left."""

from collections.abc import Callable

import msgspec
import pytest

from referee import games
from referee.errors import RecordError
from referee.match.attempt import Chosen
from referee.match.events import Record
from referee.match.journal import Sink
from referee.match.machine import Match
from referee.replay.reader import parse
from referee.replay.resimulate import Rebuilt, rebuild
from referee.replay.verify import verify
from tests.match.harness import MS, SECOND, SECRET
from tests.replay import scripts


def _rebuilt(script: scripts.Script, count: int, sink: Callable[[Record], None] | None = None) -> Rebuilt:
    def adopt(_match: Match) -> Sink:
        assert sink is not None
        return sink

    game = games.find(script.header.game)
    return rebuild(script.header, SECRET, script.records[:count], game, adopt if sink else None)


def _picture(match: Match) -> object:
    """Returns all that a match will go on from."""
    question = match.open_turn
    return (
        match.phase,
        match.state.snapshot(),
        match.plies,
        question and (question.seat, question.turn, question.budget, question.bank, question.retries),
        match.conduct.strikes,
        match.conduct.faults,
        match.conduct.forfeits,
        [clock.bank for clock in match._clocks],
        [(turns.asked, turns.late, turns.answered) for turns in match._turns],
    )


@pytest.mark.parametrize("made", scripts.ALL, ids=lambda made: made.__name__)
def test_p1_a_match_is_rebuilt_to_its_last_record(made: Callable[[str], scripts.Script]) -> None:
    """A machine that is fed a whole log stands where the machine that wrote it stood."""
    script = made("block_dominoes")
    rebuilt = _rebuilt(script, len(script.records))

    assert (rebuilt.elapsed, rebuilt.pending) == (script.records[-1].t, ())
    assert rebuilt.match.end == script.match.end
    assert rebuilt.match.phase == "ended"
    assert rebuilt.match.state.snapshot() == script.match.state.snapshot()


def test_p1_a_match_goes_on_from_every_record_to_a_good_log() -> None:
    """Cut anywhere, a match is rebuilt, resumed and played to an end, and its log checks."""
    script = scripts.faults("block_dominoes")
    game = games.find("block_dominoes")
    for count in range(len(script.records)):
        records: list[Record] = []
        match, elapsed, pending = _rebuilt(script, count, records.append)
        now = 900 * SECOND
        if match.phase != "ended":
            match.resumed(30 * SECOND, now)
        _play_on(match, now, ready=match.phase == "starting")

        assert tuple(script.records[:count]) == tuple(records[:count])
        assert tuple(records[count : count + len(pending)]) == pending
        assert elapsed == (records[count - 1].t if count else 0)
        log = parse(b"".join(line + b"\n" for line in scripts.lines(script.header, records)))
        assert verify(log, game).ok, f"cut after record {count}: {verify(log, game)}"
        assert log.ended


def _play_on(match: Match, now: int, *, ready: bool) -> None:
    if ready:
        for seat in range(len(match.setup.seats)):
            match.ready(seat, b"", now)
    while match.open_turn:
        question = match.open_turn
        match.asked(question.seat, question.turn, now)
        now += 10 * MS
        action = match.state.default_action()
        match.act(question.seat, question.turn, Chosen(action), now)


def test_p1_records_that_the_crash_cut_off_are_given_out_again() -> None:
    """Whatever follows from the last logged record is pending, word for word as it would have been."""
    script = scripts.faults("block_dominoes")
    for count in range(len(script.records)):
        pending = _rebuilt(script, count).pending

        assert tuple(script.records[count : count + len(pending)]) == pending


def test_p1_a_rebuilt_match_equals_the_one_that_never_stopped() -> None:
    """At every turn of a match the rebuilt machine and the running one are the same."""
    pictures: list[tuple[int, object]] = []

    class Watched(scripts.Script):
        def open(self) -> None:
            pictures.append((len(self.records), _picture(self.match)))
            super().open()

    script = Watched(scripts.plain("block_dominoes").header, seed=12)
    script.start()
    script.play()
    for count, picture in pictures:
        assert _picture(_rebuilt(script, count).match) == picture
    assert len(pictures) > 50


def test_p1_the_sink_sees_the_state_of_each_record() -> None:
    """While a match is rebuilt its sink is called as it was when the match was played."""
    script = scripts.void("block_dominoes")
    live: list[tuple[Record, object]] = []
    again: list[tuple[Record, object]] = []

    def watch(seen: list[tuple[Record, object]]) -> Callable[[Match], Sink]:
        return lambda match: lambda record: seen.append((record, match.state.snapshot()))

    game = games.find("block_dominoes")
    rebuild(script.header, SECRET, script.records, game, watch(live))
    rebuild(script.header, SECRET, script.records[:-1], game, watch(again))

    assert again == live[:-1]
    assert [record for record, _ in live] == script.records
    assert live[4][1] != live[6][1]


def test_a_false_record_is_not_rebuilt() -> None:
    """A log that does not follow from its own records is refused by its line."""
    script = scripts.void("block_dominoes")
    records = list(script.records)
    records[6] = msgspec.structs.replace(records[6], t=records[6].t + 1)

    with pytest.raises(RecordError, match="line 8: act: ") as caught:
        rebuild(script.header, SECRET, records, games.find("block_dominoes"))
    assert caught.value.line == 8

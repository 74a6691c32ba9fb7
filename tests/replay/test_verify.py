"""Playing a log again: every kind of forgery is found, by line."""

from collections.abc import Callable

import msgspec
import pytest

from referee import games
from referee.errors import IllegalActionError
from referee.games.base import Outcome
from referee.match import shuffle
from referee.match.attempt import Chosen
from referee.match.events import (
    Act,
    Deal,
    DealResult,
    Default,
    Dropped,
    End,
    Record,
    Rejected,
    Rejoined,
    Resumed,
    Stall,
    Turn,
)
from referee.replay.reader import Log, parse
from referee.replay.record import kind_of
from referee.replay.verify import Verdict, verify
from tests.match.harness import SECOND, SECRET
from tests.replay import scripts, tampering

GAME = "block_dominoes"

FREE = {
    "header": {
        *("match_id", "pairing_id", "attempt", "rated", "provable", "created", "engine_version"),
        *("tournament", "anonymous"),
        *("seats.owner", "seats.bot", "seats.name", "seats.version", "seats.instance", "time_control.join"),
    },
    "ready": {"t"},
    "rejected": {"t", "raw", "reason", "form", "credit"},
    "strike": {"start", "credit"},
    "dropped": {"t"},
    "gone": {"t"},
    "rejoined": {"t", "seat"},
    "stall": {"t"},
    "end": {"t", "note", "at_fault"},
}
"""Fields that tell what only the host saw, and from which nothing else in a log need follow."""

ALONE = {"header.block"}
IN_BLOCK = {"header.block.kind", "header.block.parts", "ready.entropy"}
"""What is free besides in a match of its own, and in a later one of a block, whose entropy makes no deal."""

LIMITS = {"options", "penalties", "time_control", "block.part"}
"""Parts of the header whose falsity shows only when a limit is reached."""

LATER = {
    "ready": {"seat", "entropy", "t"},
    "dropped": {"seat"},
    "gone": {"seat", "t"},
    "stall": {"duration"},
    "rejected": {"t", "start", "credit"},
    "strike": {"t", "start", "credit"},
}
"""Fields of inputs whose falsity shows in a line that follows from them."""


def _outside(record: Record) -> bool:
    """Says whether a record tells what only the host saw, and nothing else in a log need follow."""
    if isinstance(record, Rejected):
        return record.fault == "late"
    return isinstance(record, Dropped | Rejoined | Stall | Resumed)


def _join(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def _verdict(lines: list[bytes], secret: bytes | None = None) -> Verdict:
    return verify(parse(_join(lines), secret))


@pytest.fixture(
    scope="module", params=[scripts.faults, scripts.void, scripts.block], ids=lambda made: made.__name__
)
def script(request: pytest.FixtureRequest) -> scripts.Script:
    """A match with every fault, one that was cut short, and a later one of a block."""
    made: Callable[[str], scripts.Script] = request.param
    return made(GAME)


@pytest.fixture(scope="module")
def lines(script: scripts.Script) -> list[bytes]:
    """The lines of its log."""
    return scripts.lines(script.header, script.records)


@pytest.mark.parametrize("made", scripts.ALL, ids=lambda made: made.__name__)
def test_an_untouched_log_is_good(made: Callable[[str], scripts.Script]) -> None:
    """Whatever way a match ended, its log checks to the last record."""
    script = made(GAME)

    assert verify(parse(scripts.log(script))) == Verdict(ok=True, records=len(script.records))


def test_p9_a_changed_line_is_named(script: scripts.Script, lines: list[bytes]) -> None:
    """One value changed in any one line, with the chain left alone, is named by that line."""
    for at, record in enumerate(script.records, start=1):
        for _, other in tampering.fields(record):
            line = lines[at][:75] + msgspec.json.encode(other)[1:]
            verdict = _verdict([*lines[:at], line, *lines[at + 1 :]])
            if at + 1 < len(lines):
                assert (verdict.ok, verdict.line) == (False, at + 1), verdict


def test_p9_a_deleted_line_is_named(lines: list[bytes]) -> None:
    """A line that is gone is named by the place where it stood."""
    for at in range(1, len(lines) - 1):
        verdict = _verdict(lines[:at] + lines[at + 1 :])

        assert (verdict.ok, verdict.line) == (False, at + 1), verdict


def test_p9_swapped_lines_are_named(lines: list[bytes]) -> None:
    """Of two neighbours that changed places the first is named."""
    for at in range(1, len(lines) - 1):
        verdict = _verdict([*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]])

        assert (verdict.ok, verdict.line) == (False, at + 1), verdict


def test_p9_a_doubled_line_is_named(lines: list[bytes]) -> None:
    """A line that stands twice is named at its second place."""
    for at in range(1, len(lines)):
        verdict = _verdict([*lines[: at + 1], *lines[at:]])

        assert (verdict.ok, verdict.line) == (False, at + 2), verdict


def test_p9_no_field_can_be_altered_even_with_a_new_chain(script: scripts.Script) -> None:
    """Whoever alters one field of any record and chains the log anew is found at that line."""
    free = IN_BLOCK if script.header.block else ALONE
    for at, record in enumerate(script.records, start=1):
        kind = kind_of(record)
        for field, other in tampering.fields(record):
            records = [*script.records[: at - 1], other, *script.records[at:]]
            verdict = _verdict(tampering.rechained(script.header, records))
            told = f"{kind}.{field} of line {at + 1}: {verdict}"
            if field not in FREE.get(kind, ()) and f"{kind}.{field}" not in free:
                assert not verdict.ok, told
            if not verdict.ok:
                assert verdict.line == at + 1 or (field in LATER.get(kind, ()) and verdict.line > at), told


def test_p9_the_header_cannot_be_altered_even_with_a_new_chain(script: scripts.Script) -> None:
    """A header is false if its options, limits, group or commitment are not those of the match."""
    free = IN_BLOCK if script.header.block else ALONE
    for field, other in tampering.fields(msgspec.structs.replace(script.header, attempt=2)):
        if field == "schema":  # refused by the reader
            continue
        verdict = _verdict(tampering.rechained(other, script.records))
        if field in FREE["header"] or f"header.{field}" in free:
            assert verdict.ok, field
        elif not LIMITS & {field, field.split(".")[0]}:
            assert not verdict.ok, field


def test_p9_deletions_and_swaps_do_not_survive_a_new_chain_and_new_numbers(script: scripts.Script) -> None:
    """Whoever drops a record or swaps two, counts and chains anew, is found."""
    records = script.records
    for at in range(len(records) - 1):
        swapped = [*records[:at], records[at + 1], records[at], *records[at + 2 :]]
        for forged in (records[:at] + records[at + 1 :], swapped):
            counted = [msgspec.structs.replace(record, n=n) for n, record in enumerate(forged, start=1)]
            verdict = _verdict(tampering.rechained(script.header, counted))

            assert not verdict.ok or _outside(records[at]), f"record {at + 1}"


def test_the_scores_of_a_log_are_not_trusted() -> None:
    """A log that moves points from one seat to another in every record is refused at the deal."""
    script = scripts.plain(GAME)
    records = [
        msgspec.structs.replace(record, scores=record.scores[::-1], totals=record.totals[::-1])
        if isinstance(record, DealResult)
        else record
        for record in script.records
    ]
    first = next(at for at, record in enumerate(records, start=2) if isinstance(record, DealResult))
    verdict = _verdict(tampering.rechained(script.header, records))

    assert (verdict.ok, verdict.line) == (False, first)
    assert "deal_result: scores is" in verdict.problem


def test_a_late_answer_cannot_be_called_in_time() -> None:
    """An answer one microsecond over its time stands as an act only if nobody checks."""
    script = scripts.plain(GAME)
    at, act = next((at, record) for at, record in enumerate(script.records) if isinstance(record, Act))
    control = script.header.time_control
    late = msgspec.structs.replace(act, t=act.start + control.base + control.bank + 1)
    verdict = _verdict(tampering.rechained(script.header, [*script.records[:at], late]), SECRET)

    assert (verdict.line, verdict.problem) == (at + 2, "act stands where strike must follow")


def test_a_bot_in_time_cannot_be_called_late() -> None:
    """A strike for being late stands only where the time had run out."""
    script = scripts.alone(GAME)
    at, strike = next((n, r) for n, r in enumerate(script.records) if kind_of(r) == "strike")
    early = msgspec.structs.replace(strike, t=strike.t - 10_000)
    verdict = _verdict(tampering.rechained(script.header, [*script.records[:at], early]), SECRET)

    assert (verdict.line, verdict.problem) == (at + 2, "nothing leads to this strike record")


def test_a_clock_cannot_start_before_its_turn() -> None:
    """A start before the turn was asked is refused, also with a fitting think time."""
    script = scripts.plain(GAME)
    at, act = next((at, record) for at, record in enumerate(script.records) if isinstance(record, Act))
    turn = script.records[at - 1]
    assert isinstance(turn, Turn)
    early = msgspec.structs.replace(act, start=turn.t - 1, think=act.t - turn.t + 1)
    verdict = _verdict(tampering.rechained(script.header, [*script.records[:at], early]), SECRET)

    assert (verdict.ok, verdict.line) == (False, at + 2)
    assert "before the turn was asked" in verdict.problem


def test_a_chosen_deal_is_found() -> None:
    """A host that deals an order of its own is found at the deal."""
    script = scripts.plain(GAME)
    at, deal = next((at, record) for at, record in enumerate(script.records) if isinstance(record, Deal))
    chosen = msgspec.structs.replace(deal, order=deal.order[::-1])
    records = [*script.records[:at], chosen, *script.records[at + 1 :]]
    verdict = _verdict(tampering.rechained(script.header, records))

    assert (verdict.ok, verdict.line) == (False, at + 2)
    assert verdict.problem.startswith("deal: order is [")


def test_another_secret_than_the_committed_one_is_found() -> None:
    """Deals that follow from a secret other than the committed one are refused at the header."""
    script = scripts.plain(GAME)
    header = msgspec.structs.replace(
        script.header, commitment=shuffle.commit(script.header.deal_group, bytes(32))
    )
    verdict = _verdict(tampering.rechained(header, script.records))

    assert (verdict.line, verdict.problem) == (1, "the commitment is not that of the secret")


def test_p5_a_refused_attempt_is_a_record_of_its_own() -> None:
    """An illegal answer is logged with what it held and why it was refused; it is never an act."""
    script = scripts.faults(GAME)
    log = parse(scripts.log(script))
    illegal = [r for r in log.records if isinstance(r, Rejected) and r.fault == "illegal"]

    assert len(illegal) == 2
    for record in illegal:
        assert record.raw.startswith("play ")
        assert record.reason


@pytest.mark.parametrize("made", scripts.ALL, ids=lambda made: made.__name__)
def test_p5_the_accepted_moves_of_a_log_are_always_legal(made: Callable[[str], scripts.Script]) -> None:
    """A fresh state takes every accepted action of a log from its legal list, and comes to its scores."""
    script = made(GAME)
    log = parse(scripts.log(script))
    game = games.find(GAME)
    state = game.new(len(log.setup.seats), log.setup.options)
    for record in log.records:
        if isinstance(record, Deal):
            state.start_deal(Outcome(record.draws, record.order))
        elif isinstance(record, Act | Default):
            action = game.text.parse_action(record.action)
            if action not in state.legal_actions():
                raise IllegalActionError(record.action)
            assert state.to_act() == record.seat
            state.apply(action)
    assert log.end is not None
    assert [place.score for place in log.end.places] in (list(state.totals()), [0] * 4, [])


def _torn(lines: list[bytes]) -> bytes:
    return _join(lines[:-1]) + lines[-1][:40]


@pytest.mark.parametrize(
    ("data", "line", "told"),
    [
        (lambda lines: _join(lines[:-1]), 0, "unfinished"),
        (_torn, -1, "the last line is torn, the match unfinished"),
        (lambda lines: _join(lines) + b"{}", 1, "bytes follow the end record"),
        (lambda lines: _join([*lines, b"{}"]), 1, "no line of a replay log"),
    ],
)
def test_a_log_that_is_not_whole_is_not_good(
    script: scripts.Script, lines: list[bytes], data: Callable[[list[bytes]], bytes], line: int, told: str
) -> None:
    """A log without its end, torn, or with something after its end is never called good."""
    secret = bytes.fromhex(script.records[-1].secret) if isinstance(script.records[-1], End) else None
    verdict = verify(parse(data(lines), secret))

    assert not verdict.ok
    assert told in verdict.problem
    assert verdict.line == {0: 0, 1: len(lines) + 1, -1: len(lines)}[line]


def test_a_running_log_is_checked_with_its_secret_and_not_without(lines: list[bytes]) -> None:
    """Without the secret no deal can be checked, so nothing is called right."""
    verdict = verify(parse(_join(lines[:-1])))

    assert (verdict.ok, verdict.records, verdict.line) == (False, 0, 0)
    assert "unfinished, and not to be checked without its secret" in verdict.problem


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"game": "block_domino"}, "did you mean block_dominoes"),
        ({"rules_version": "0"}, "rules version 1, not '0'"),
        ({"seats": ()}, "has 4 seats, not 0"),
        ({"options": {}}, "not every option is written out"),
        ({"options": {"joker": 1}}, "no option 'joker'"),
    ],
)
def test_a_header_that_is_not_to_be_played_is_refused(change: dict[str, object], told: str) -> None:
    """An unknown game, another version of its rules, wrong seats or options stop the check at line 1."""
    script = scripts.no_show(GAME)
    header = msgspec.structs.replace(script.header, **change)
    verdict = _verdict(tampering.rechained(header, script.records))

    assert (verdict.ok, verdict.line) == (False, 1)
    assert told in verdict.problem


def test_no_bad_line_makes_the_check_raise(lines: list[bytes]) -> None:
    """A log of any nonsense gives a verdict."""
    for at in range(1, len(lines)):
        for nonsense in (b"", b"\xff\xfe", b"null", b'{"prev":"","n":1}', lines[0], lines[at][:-9]):
            log: Log = parse(_join([*lines[:at], nonsense, *lines[at + 1 :]]))

            assert not verify(log).ok


def test_a_log_of_stamps_out_of_order_is_good() -> None:
    """Stamps that lie before the last record, and a stall longer than the match, leave a log that checks."""
    script = scripts.Script(scripts.void(GAME).header, seed=1)
    script.start()
    match = script.match
    match.stalled(90 * SECOND, script.now)
    match.dropped(1, script.now + 500)
    answer = Chosen(match.state.legal_actions()[0])
    match.act(script.seat, script.turn, answer, script.now + 100)
    match.asked(script.seat, script.turn, script.now + 100)
    script.now += 600
    script.play()
    log = parse(scripts.log(script))
    late = next(record for record in log.records if isinstance(record, Act) and record.ply == 2)

    assert verify(log) == Verdict(ok=True, records=len(script.records))
    assert late.start == next(r.t for r in log.records if isinstance(r, Act))

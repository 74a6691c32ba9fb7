"""Logs that no referee could have written: each is refused in one line, and none breaks a reader."""

import contextlib
import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import msgspec
import pytest

from referee.errors import RecordError
from referee.match.config import MAX_COUNT, MAX_CREATED, MAX_DURATION
from referee.match.events import Ready, Record, Resumed, Stall, Turn
from referee.replay.reader import parse
from referee.replay.show import story
from referee.replay.verify import Verdict, verify
from tests.replay import scripts, tampering

GAME = "block_dominoes"
ODD: tuple[Any, ...] = (
    -(2**70),
    -(2**63),
    -5,
    -1,
    0,
    2**31,
    2**62,
    2**63 - 1,
    2**63,
    2**64,
    10**400,
    "\x00\n",
    "",
    None,
    [],
)


@pytest.fixture(scope="module", name="script")
def _script() -> scripts.Script:
    return scripts.faults(GAME)


def _verdict(header: Any, records: list[Record]) -> Verdict:
    counted = [msgspec.structs.replace(record, n=n) for n, record in enumerate(records, start=1)]
    return verify(parse(b"".join(line + b"\n" for line in tampering.rechained(header, counted))))


def _spoiled(value: Any) -> Iterator[Any]:
    """Yields a JSON value with each part of it replaced by something odd."""
    yield from ODD
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in list(parts)[:20]:
        for odd in _spoiled(part):
            copy = value.copy()
            copy[key] = odd
            yield copy


@pytest.mark.parametrize(
    ("part", "field", "values"),
    [
        ("penalties", "retries", (-1, MAX_COUNT + 1)),
        *(("penalties", name, (-1, 0, MAX_COUNT + 1)) for name in ("strikes", "strays", "max_plies")),
        *(("time_control", name, (-1, 0, MAX_DURATION + 1)) for name in ("base", "join", "start")),
        *(("time_control", name, (-1, MAX_DURATION + 1)) for name in ("bank", "increment")),
        ("", "attempt", (-1, 0, MAX_COUNT + 1)),
        ("", "created", (-1, MAX_CREATED + 1)),
    ],
)
def test_p9_a_limit_that_no_server_takes_is_refused_at_the_header(
    script: scripts.Script, part: str, field: str, values: tuple[int, ...]
) -> None:
    """No match is played by limits below or above what may be configured."""
    for value in values:
        change: dict[str, Any] = {field: value}
        if part:
            change = {part: msgspec.structs.replace(getattr(script.header, part), **change)}
        verdict = _verdict(msgspec.structs.replace(script.header, **change), script.records)

        assert (verdict.ok, verdict.line) == (False, 1)
        assert field in verdict.problem


def test_p9_a_bot_at_two_seats_of_a_rated_match_is_refused(script: scripts.Script) -> None:
    """Nobody plays against itself for a rating; an unrated match may have a bot twice."""
    seats = script.header.seats
    twice = msgspec.structs.replace(script.header, seats=(seats[1], *seats[1:]))

    assert "two seats of a rated match" in _verdict(twice, script.records).problem
    assert _verdict(msgspec.structs.replace(twice, rated=False), script.records).ok


def test_p9_a_stall_longer_than_there_was_time_is_refused(script: scripts.Script) -> None:
    """A stall reaches back to the start, or the stall or outage before it, and no further."""
    records = script.records
    turns = [at for at, record in enumerate(records) if isinstance(record, Turn)]
    for at in turns[::5]:
        t = records[at].t
        most = t - max((one.t for one in records[:at] if isinstance(one, Stall | Resumed)), default=0)
        for duration in (most + 1, 2**62):
            stall = Stall(n=0, t=t, duration=duration)
            verdict = _verdict(script.header, [*records[: at + 1], stall, *records[at + 1 :]])

            assert (verdict.ok, verdict.line) == (False, at + 3)
            assert verdict.problem == f"stall: duration is {duration}, must be {most}"


def test_p9_an_outage_lasts_from_the_record_before(script: scripts.Script) -> None:
    """A match goes on at the time of the last record and the outage."""
    at, resumed = next((n, one) for n, one in enumerate(script.records) if isinstance(one, Resumed))
    for change in ({"duration": resumed.duration + 1}, {"duration": resumed.duration - 1}):
        forged = msgspec.structs.replace(resumed, **change)
        verdict = _verdict(script.header, [*script.records[:at], forged, *script.records[at + 1 :]])

        assert (verdict.ok, verdict.line) == (False, at + 2)


def test_p9_a_seat_cannot_be_ready_past_the_limit(script: scripts.Script) -> None:
    """Where `Ready` came at the limit or later the match has to end as a no-show."""
    ready = [record.t for record in script.records if isinstance(record, Ready)]
    control = msgspec.structs.replace(script.header.time_control, start=ready[-1])
    verdict = _verdict(msgspec.structs.replace(script.header, time_control=control), script.records)

    assert (verdict.ok, verdict.line) == (False, len(ready) + 1)
    control = msgspec.structs.replace(control, start=ready[-1] + 1)
    assert _verdict(msgspec.structs.replace(script.header, time_control=control), script.records).ok


@pytest.mark.parametrize("made", [scripts.faults, scripts.gone], ids=lambda made: made.__name__)
def test_p9_whatever_a_line_holds_the_answer_is_one_line(made: Callable[[str], scripts.Script]) -> None:
    """Each part of each kind of line, replaced by something odd, gives a verdict or a refusal in one line.

    Only those errors may be raised that name a log.
    """
    good = [json.loads(line) for line in scripts.log(made(GAME)).splitlines()]
    at_first = {value["kind"]: at for at, value in reversed(list(enumerate(good)))}
    for at in at_first.values():
        for odd in _spoiled(good[at]):
            if isinstance(odd, dict):
                data = tampering.chained([*good[:at], odd, *good[at + 1 : at + 3]])
                with contextlib.suppress(RecordError):
                    log = parse(data, bytes(32))
                    assert "\n" not in str(verify(log))
                    story(log)


def test_p9_whatever_the_machine_trips_over_is_named_by_line(
    script: scripts.Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An exception that nobody thought of, in playing again, is a bad line and no traceback."""

    def trip(*_: object) -> None:
        raise ZeroDivisionError("two\nlines")

    monkeypatch.setattr("referee.match.conduct.Conduct.note", trip)
    verdict = _verdict(script.header, script.records)
    first = next(n for n, record in enumerate(script.records, start=2) if type(record).__name__ == "Rejected")

    assert (verdict.ok, verdict.line) == (False, first)
    assert verdict.problem == "cannot be played again: ZeroDivisionError: two lines"


def test_a_header_with_odd_values_is_shown_or_refused_by_line(script: scripts.Script) -> None:
    """A time out of the calendar is shown as a number; what cannot be played is a bad line 1."""
    for created in (-(2**63), 2**63 - 1):
        told = story(_log(script, created=created)).facts

        assert any(f"{created} microseconds" in fact for fact in told)
    seats = script.header.seats
    changes: list[dict[str, Any]] = [
        {"seats": ()},
        {"seats": seats * 2},
        {"game": "ch\nss"},
        {"options": {"target": "9" * 5000}},
    ]
    for change in changes:
        with contextlib.suppress(RecordError):
            story(_log(script, **change))
    with pytest.raises(RecordError, match=r"^line 1: ") as refused:
        story(_log(script, seats=()))
    assert refused.value.line == 1


def _log(script: scripts.Script, **change: Any) -> Any:
    header = msgspec.structs.replace(script.header, **change)
    return parse(b"".join(line + b"\n" for line in tampering.rechained(header, script.records)))


def test_goldens_have_no_stall_that_overlaps_another() -> None:
    """What the machine writes keeps the rule by which it is checked."""
    for made in scripts.ALL:
        still = [one for one in made(GAME).records if isinstance(one, Stall | Resumed)]
        for before, after in pairwise(still):
            assert after.t - after.duration >= before.t

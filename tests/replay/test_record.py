"""The lines of a replay log: one spelling, one chain."""

import hashlib
import json

import msgspec
import pytest

from referee.errors import RecordError
from referee.match.config import Setup
from referee.match.events import Dropped, End, Ready, Stall
from referee.replay.record import GENESIS, Chain, link_of
from referee.replay.schemas import NEWEST, SCHEMAS
from tests.match.harness import setup
from tests.replay import scripts, tampering


@pytest.fixture(scope="module")
def script() -> scripts.Script:
    """A match with every kind of record."""
    return scripts.faults("block_dominoes")


def _read(lines: list[bytes]) -> list[object]:
    chain = Chain()
    return [chain.read_header(lines[0]), *map(chain.read_record, lines[1:])]


def test_every_kind_of_record_comes_back_equal(script: scripts.Script) -> None:
    """Reading what was written gives the same values."""
    lines = scripts.lines(script.header, script.records)

    assert [script.header, *script.records] == _read(lines)


def test_prev_is_the_hash_of_the_line_before(script: scripts.Script) -> None:
    """A reader with nothing but JSON and SHA-256 can follow the chain."""
    before = GENESIS
    for line in scripts.lines(script.header, script.records):
        assert before == json.loads(line)["prev"]
        before = hashlib.sha256(line).hexdigest()


def test_header_is_named_and_numbered_records_follow(script: scripts.Script) -> None:
    """The first line has the kind `header`, the others count from 1."""
    first, *others = map(json.loads, scripts.lines(script.header, script.records))

    assert first["kind"] == "header"
    assert list(range(1, len(others) + 1)) == [record["n"] for record in others]


def test_the_end_of_a_chain_can_be_continued(script: scripts.Script) -> None:
    """A chain that starts from the state of another gives the same lines."""
    lines = scripts.lines(script.header, script.records)
    chain = Chain()
    chain.header(script.header)
    for record in script.records[:20]:
        chain.record(record)
    other = Chain(chain.prev, chain.lines, chain.t)

    assert lines[21:] == [other.record(record) for record in script.records[20:]]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"", "no line of a replay log"),
        (b"\x00" * 80, "no line of a replay log"),
        (b"[" * 100_000, "no line of a replay log"),
        (b'{"prev":"%b","kind":"joker","n":1,"t":0}', "joker"),
        (b'{"prev":"%b","kind":"dropped","n":1,"t":0}', "seat"),
        (b'{"prev":"%b","kind":"dropped","seat":"0","n":1,"t":0}', "str"),
        (b'{"prev":"%b","kind":"dropped","seat":0,"n":1,"t":0,"more":1}', "not in canonical form"),
        (b'{"prev":"%b","kind":"dropped","seat":0,"seat":0,"n":1,"t":0}', "not in canonical form"),
        (b'{"prev":"%b","kind":"dropped","seat":0, "n":1,"t":0}', "not in canonical form"),
        (b'{"prev":"%b","kind":"dropped","seat":-0,"n":1,"t":0}', "not in canonical form"),
        (b'{"prev":"%b","kind":"dropped","n":1,"t":0,"seat":0}', "not in canonical form"),
        (b'{"prev":"%b","kind":"dropped","seat":0,"n":2,"t":0}', "record 2 where 1 must stand"),
        (b'{"prev":"%b","kind":"dropped","seat":0,"n":1,"t":-1}', "time goes back"),
    ],
)
def test_anything_but_the_one_spelling_is_refused(line: bytes, told: str) -> None:
    """A line is taken only in the form in which it would be written, and the error names it."""
    chain = Chain()
    chain.header(setup())

    with pytest.raises(RecordError, match=told) as caught:
        chain.read_record(line.replace(b"%b", chain.prev.encode()))
    assert caught.value.line == 2


def test_another_schema_is_refused() -> None:
    """A log of a later format is not guessed at, whatever else its header holds, and none is written."""
    later = msgspec.structs.replace(setup(), schema=2)
    for line in (
        tampering.rechained(later, [])[0],
        b'{"prev":"%b","kind":"header","schema":2}' % (b"0" * 64),
    ):
        with pytest.raises(RecordError, match="schema 2 is not known here, only 1"):
            Chain().read_header(line)
    with pytest.raises(RecordError, match="schema 2 is not known here, only 1"):
        Chain().header(later)


def test_new_logs_are_written_in_the_newest_schema() -> None:
    """What a header says by itself is the newest version that is read here."""
    assert Setup.__struct_defaults__[0] == NEWEST == max(SCHEMAS)


def test_records_out_of_order_are_not_written() -> None:
    """A gap in the numbers, time that goes back and a record after the end are refused."""
    chain = Chain()
    chain.header(setup())
    chain.record(Ready(n=1, t=5, seat=0, entropy=""))
    for bad in (Dropped(n=3, t=6, seat=0), Dropped(n=2, t=4, seat=0)):
        with pytest.raises(RecordError):
            chain.record(bad)
    end = End(
        n=2, t=6, termination="void", note="", at_fault=(), places=(), plies=0, secret="", contributions=()
    )
    chain.record(end)

    with pytest.raises(RecordError, match="stall record after the end record"):
        chain.record(Stall(n=3, t=7, duration=1))


def test_links_are_read_from_any_line() -> None:
    """What ties a line to its log is read even where the line is no known record."""
    link = link_of(b'{"prev":"ab","kind":"joker","n":7}')

    assert link is not None
    assert (link.prev, link.n) == ("ab", 7)
    assert link_of(b"joker") is None

"""Lines of a replay log: values to bytes and back, and the chain that ties each line to the one before.

A line is one JSON object. Its first member `prev` is the SHA-256 of the exact bytes of the line
before, without the newline, in hexadecimal; 64 zeros in the first line. The first line is the header
(`kind` is `header`, then the members of `Setup`); the others are the records of `match.events`.

Reading is strict: a line is taken only if writing its value again gives the very same bytes. So an
unknown kind or member, a missing one, another order or another spelling of a number is refused.
"""

import hashlib
from contextlib import suppress

import msgspec

from referee.errors import RecordError
from referee.match.config import Setup
from referee.match.events import End, Record
from referee.replay.schemas import NEWEST, SCHEMAS, Schema, named, schema_of

GENESIS = "0" * 64
"""What the first line has as `prev`."""

LINE_LIMIT = 4 << 20
"""No line of a match comes near it; a longer one is not parsed."""


class Link(msgspec.Struct, frozen=True):
    """What ties a line to the log, whatever else it says; `n` is 0 in a header."""

    prev: str = ""
    n: int = 0


_sha256 = hashlib.sha256
_decode_link = msgspec.json.Decoder(Link).decode
_UNREADABLE = (msgspec.MsgspecError, ValueError, RecursionError)


class Chain:
    """The running end of a log.

    Attributes:
        prev: SHA-256 of the last line, in hexadecimal.
        lines: whole lines up to here, the header included; the number of the next record.
        t: time of the last record.
        ended: whether the last record was the end record.
    """

    __slots__ = ("_schema", "_write", "ended", "lines", "prev", "t")

    def __init__(
        self, prev: str = GENESIS, lines: int = 0, t: int = 0, *, ended: bool = False, schema: int = NEWEST
    ) -> None:
        self._use(named(schema))
        self.prev = prev
        self.lines = lines
        self.t = t
        self.ended = ended

    def header(self, setup: Setup) -> bytes:
        """Returns the first line, without newline."""
        if self.lines:
            raise RecordError("a second header", self.lines + 1)
        self._use(named(setup.schema))
        written = self._schema.write_header(setup)
        line = b'{"prev":"%b","kind":"header",%b' % (self.prev.encode(), written[1:])
        self._close(line)
        return line

    def record(self, record: Record) -> bytes:
        """Returns the line of the next record, without newline; raises `RecordError` out of order."""
        self._follow(record)
        line = b'{"prev":"%b",%b' % (self.prev.encode(), self._write(record)[1:])
        self._close(line)
        return line

    def read_header(self, line: bytes) -> Setup:
        """Takes a first line (without newline) and returns its setup, or raises `RecordError`."""
        self._linked(line)
        self._use(schema_of(line))
        try:
            setup = self._schema.read_header(line)
        except _UNREADABLE as error:
            raise RecordError(f"no header of a replay log: {error}", 1) from None
        if line != self.header(setup):
            raise RecordError("the header is not in canonical form", 1)
        return setup

    def read_record(self, line: bytes) -> Record:
        """Takes the next line (without newline) and returns its record, or raises `RecordError`."""
        self._linked(line)
        number = self.lines + 1
        try:
            record = self._schema.read_record(line)
        except _UNREADABLE as error:
            raise RecordError(f"no record of a match: {error}", number) from None
        if line != self.record(record):
            raise RecordError(f"the {kind_of(record)} record is not in canonical form", number)
        return record

    def too_long(self) -> RecordError:
        """Returns what is wrong with a next line that is longer than a line may be."""
        return RecordError(f"more than {LINE_LIMIT} bytes are no line of a replay log", self.lines + 1)

    def _linked(self, line: bytes) -> None:
        if len(line) > LINE_LIMIT:
            raise self.too_long()
        if line.startswith(b'{"prev":"%b",' % self.prev.encode()):
            return
        link = link_of(line)
        if link is None or not link.prev:
            raise RecordError("no line of a replay log", self.lines + 1)
        raise RecordError(
            f"the chain is broken: prev is {link.prev[:12]!r}, the line before hashes to {self.prev[:12]!r}",
            self.lines + 1,
        )

    def _follow(self, record: Record) -> None:
        if self.ended:
            raise RecordError(f"a {kind_of(record)} record after the end record", self.lines + 1)
        if record.n != self.lines:
            raise RecordError(f"record {record.n} where {self.lines} must stand", self.lines + 1)
        if record.t < self.t:
            raise RecordError(f"time goes back from {self.t} to {record.t}", self.lines + 1)
        self.t = record.t
        self.ended = type(record) is End

    def _use(self, schema: Schema) -> None:
        self._schema = schema
        self._write = schema.write_record

    def _close(self, line: bytes) -> None:
        self.prev = _sha256(line).hexdigest()
        self.lines += 1


def link_of(line: bytes) -> Link | None:
    """Returns what ties a line to its log, or None where the line holds no such thing."""
    try:
        return _decode_link(line)
    except _UNREADABLE:
        return None


def end_of(line: bytes) -> End | None:
    """Returns the end record that a line holds, or None for any other line."""
    for schema in SCHEMAS.values():
        with suppress(*_UNREADABLE):
            record = schema.read_record(line)
            return record if isinstance(record, End) else None
    return None


def secret_of(line: bytes) -> bytes | None:
    """Returns the secret that an end record reveals, or None for any other line."""
    end = end_of(line)
    try:
        return bytes.fromhex(end.secret) if end else None
    except ValueError:
        return None


def hash_of(line: bytes) -> str:
    """Returns the hash that the line after this one has to carry."""
    return _sha256(line).hexdigest()


def kind_of(record: Record) -> str:
    """Returns the kind of a record as it stands in the log."""
    return str(record.__struct_config__.tag)

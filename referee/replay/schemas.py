"""The versions of the line format that are read here, one entry each; `replays/README.md` tells them.

A log says its schema in its header and has it throughout, also where a newer referee goes on with it. A
new version gets an entry beside the old ones, which stay as long as there are logs of a release in them:
its own `Setup` and `Record` if their members change, and functions to and from those of today.
"""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import msgspec

from referee.errors import RecordError
from referee.match.config import Setup
from referee.match.events import Record


class Schema(NamedTuple):
    """How header and records are written as JSON in one version, without `prev`, and read back.

    Readers raise `msgspec.MsgspecError` or `ValueError`; what they return has to be written again to the
    very same bytes, or the line is refused.
    """

    read_header: Callable[[bytes], Setup]
    write_header: Callable[[Setup], bytes]
    read_record: Callable[[bytes], Record]
    write_record: Callable[[Record], bytes]


_encode: Final = msgspec.json.Encoder().encode

SCHEMAS: Final[Mapping[int, Schema]] = {
    1: Schema(msgspec.json.Decoder(Setup).decode, _encode, msgspec.json.Decoder(Record).decode, _encode),
}
"""All versions that are read here, by number."""
NEWEST: Final = max(SCHEMAS)
"""The version in which new logs are written."""


class _Version(msgspec.Struct, frozen=True):
    schema: int = NEWEST


_read_version: Final = msgspec.json.Decoder(_Version).decode


def schema_of(line: bytes) -> Schema:
    """Returns the schema that a header names, whatever else it holds; raises `RecordError` for an unknown.

    Bytes that name none are left to the newest to refuse.
    """
    try:
        number = _read_version(line).schema
    except (msgspec.MsgspecError, ValueError, RecursionError):
        number = NEWEST
    return named(number)


def named(number: int) -> Schema:
    """Returns a schema by its number; raises `RecordError` for an unknown one."""
    try:
        return SCHEMAS[number]
    except KeyError:
        known = " and ".join(map(str, SCHEMAS))
        raise RecordError(f"schema {number} is not known here, only {known}", 1) from None

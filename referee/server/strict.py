"""Finds numbers that protobuf would silently cut to the width of their field.

A parser keeps the low 32 bits of a longer number, so that an index of 2^63 would be read as 0: an
answer that the bot never gave. Needed only for messages whose canonical form has another length.
"""

from collections.abc import Iterator
from typing import Final

from google.protobuf.descriptor import Descriptor, FieldDescriptor

_VARINT: Final = 0
_FIXED64: Final = 1
_BYTES: Final = 2
_FIXED32: Final = 5
_NARROW: Final = frozenset({FieldDescriptor.TYPE_INT32, FieldDescriptor.TYPE_ENUM})
_SIGN_EXTENDED: Final = (1 << 64) - (1 << 31)
_GROUP: Final = -1
_LONGEST: Final = 32 * 1024
_WIDTH: Final = {_FIXED64: 8, _FIXED32: 4}


def problem(data: bytes, descriptor: Descriptor) -> str:
    """Returns what is wrong with a message in a form that is not the shortest, or an empty text.

    `data` has been parsed as a message of this kind, so it is well formed. A long one is refused as
    it is: looking through it would take too long.
    """
    if len(data) > _LONGEST:
        return f"a message of more than {_LONGEST} bytes has to be in the shortest form of its encoding"
    return _problem(data, descriptor, "")


def _problem(data: bytes, descriptor: Descriptor, path: str) -> str:
    for number, value in _fields(data):
        field = descriptor.fields_by_number.get(number)
        if number == _GROUP:
            return f"{path or 'the message'}: groups are no part of this protocol"
        if field is None:
            continue
        here = f"{path}.{field.name}".lstrip(".")
        if isinstance(value, bytes):
            found = _problem(value, field.message_type, here) if field.message_type else ""
            if found:
                return found
        elif field.type in _NARROW and _is_wide(value):
            return f"{here}: the number does not fit its type"
    return ""


def _is_wide(value: int) -> bool:
    return 1 << 31 <= value < _SIGN_EXTENDED or value >= 1 << 64


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        wire = key & 7
        if wire == _VARINT:
            value, at = _varint(data, at)
            yield key >> 3, value
        elif wire == _BYTES:
            size, at = _varint(data, at)
            yield key >> 3, data[at : at + size]
            at += size
        elif wire in _WIDTH:
            at += _WIDTH[wire]
        else:
            yield _GROUP, b""
            return


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7

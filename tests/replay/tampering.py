"""Ways to falsify a log: single lines, and single fields with the chain worked out anew."""

import hashlib
import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any, get_args, get_origin, get_type_hints

import msgspec

from referee.match.config import Block, Branch, Setup
from referee.match.events import Record

_GIVEN: dict[type, Any] = {
    str: "x",
    bool: True,
    Block: Block(kind="rotate", part=0, parts=2),
    Branch: Branch(match_id="x", last_hash="0" * 64, ply=1),
    tuple: ("0a",),
}
"""What stands in an optional member that was left out, by the type of what may stand there."""


def fields(value: msgspec.Struct) -> Iterator[tuple[str, Any]]:
    """Returns the value with one field altered, for every field but `n`, and the field's name.

    An optional member is left out where it stands, and stands where it was left out.
    """
    hints = get_type_hints(type(value))
    for field in value.__struct_fields__:
        if field != "n":
            for name, other in _altered_field(field, hints[field], getattr(value, field)):
                yield name, msgspec.structs.replace(value, **{field: other})


def rechained(header: Setup, records: list[Record]) -> list[bytes]:
    """Returns the lines of a log whose numbers may be wrong, with a right chain."""
    encode = msgspec.json.encode
    result = [b'{"prev":"%b","kind":"header",%b' % (b"0" * 64, encode(header)[1:])]
    for record in records:
        prev = hashlib.sha256(result[-1]).hexdigest().encode()
        result.append(b'{"prev":"%b",%b' % (prev, encode(record)[1:]))
    return result


def chained(lines: Iterable[dict[str, Any]]) -> bytes:
    """Returns a log of these lines, whatever they hold, with a right chain: what a forger would leave."""
    data, prev = b"", "0" * 64
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    for line in lines:
        written = json.dumps({**line, "prev": prev}, separators=(",", ":")).encode()
        data += written + b"\n"
        prev = hashlib.sha256(written).hexdigest()
    sys.set_int_max_str_digits(limit)
    return data


def _altered_field(name: str, hint: Any, value: Any) -> Iterator[tuple[str, Any]]:
    if msgspec.UnsetType not in get_args(hint):
        yield from _others(name, hint, value)
        return
    kind = next(kind for kind in get_args(hint) if kind is not msgspec.UnsetType)
    if value is msgspec.UNSET:
        yield name, _GIVEN[get_origin(kind) or kind]
    else:
        yield name, msgspec.UNSET
        yield from _others(name, kind, value)


def _others(name: str, hint: Any, value: Any) -> Iterator[tuple[str, Any]]:
    choices = [choice for choice in get_args(hint) if isinstance(choice, str) and choice != value]
    if choices:
        yield name, choices[0]
    elif isinstance(value, bool):
        yield name, not value
    elif isinstance(value, int | float):
        yield name, value + 1
        yield name, value - 1
    elif isinstance(value, str):
        yield name, _altered(value)
    elif isinstance(value, dict):
        yield name, {**value, "late": 99}
        for key in value:
            yield f"{name}.{key}", {**value, key: value[key] + 1 if isinstance(value[key], int) else "x"}
    elif isinstance(value, tuple):
        yield name, (*value, *value[:1]) if value else (_filler(hint),)
        for at, part in enumerate(value[:2]):
            for inner, other in _parts(name, part):
                yield inner, (*value[:at], other, *value[at + 1 :])
    else:
        for inner, other in _parts(name, value):
            yield inner, other


def _parts(name: str, part: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(part, msgspec.Struct):
        for inner, other in fields(part):
            yield f"{name}.{inner}", other
    else:
        yield from _others(name, type(part), part)


def _altered(text: str) -> str:
    """Returns another text of the same kind: hexadecimal stays hexadecimal."""
    if text and set(text) <= set("0123456789abcdef"):
        return f"{int(text[0], 16) ^ 1:x}{text[1:]}"
    return f"{text}0a" if not text else f"{text}x"


def _filler(hint: Any) -> Any:
    return 1 if int in get_args(hint) else "0a"

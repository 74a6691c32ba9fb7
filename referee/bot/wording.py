"""Messages of any game as words, made from the names of their fields."""

from collections.abc import Callable, Iterator
from typing import Any

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message

from referee.bot import cards, tiles

_PIECES = {"tile": tiles.text, "tiles": tiles.text, "card": cards.text, "cards": cards.text}
"""How a number is written whose field has a name that ends so."""
_PUBLIC_TRAIN = 8
_PLAY = "GuanPaiPlay"
"""A message that is a pass where it has no cards."""
_BITS = "absent_numbers"
"""A field that holds numbers as bits, for each seat."""
_BY_SEAT = frozenset({"hand_counts", "totals", "discard_counts", "bomb_counts", _BITS})
_GROUPS_BY_SEAT = frozenset({"trains", "played_piles", "hands"})
"""Lists that have an entry for each seat, in the order of the seats."""


def told(message: Message) -> str:
    """Returns a message in words: the name of its arm, and its fields.

    What holds is told, or where that is nothing, what does not.
    """
    return ", ".join(parts(message)) or ", ".join(_not(message))


def parts(message: Any) -> Iterator[str]:
    """Yields the fields of a message in words, those that say something."""
    if message.DESCRIPTOR.name == _PLAY and not message.cards:
        yield f"seat {message.seat} pass"
        return
    for field in message.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        if message.HasField(field.name) if field.has_presence else _says(field, value):
            yield _part(field, value)


def only(message: Message) -> Any:
    """Returns the message in the one arm of a `oneof` that is set; itself where there is none."""
    (arms,) = message.DESCRIPTOR.oneofs_by_name
    arm = message.WhichOneof(arms)
    return getattr(message, arm) if arm else message


def value_name(kind: EnumDescriptor, number: int) -> str:
    """Returns the name of a value of an enum; its number where it is newer than this kit."""
    value = kind.values_by_number.get(number)
    if value is None:
        return str(number)
    prefix = kind.values_by_number[0].name.removesuffix("UNSPECIFIED")
    return value.name.removeprefix(prefix).lower()


def train(number: int) -> str:
    """Returns how a train of Mexican Train is named: by its seat, or as the public one."""
    return "public" if number == _PUBLIC_TRAIN else str(number)


def _not(message: Message) -> Iterator[str]:
    for field in message.DESCRIPTOR.fields:
        if field.type == FieldDescriptor.TYPE_BOOL:
            yield f"not {_label(field)}"


def _says(field: Any, value: Any) -> bool:
    """Says whether the value of a field that is always there is worth telling."""
    if field.name == _BITS:
        return any(value)
    plain = field.type not in {FieldDescriptor.TYPE_BOOL, FieldDescriptor.TYPE_ENUM} and not field.is_repeated
    return plain or bool(value)


def _part(field: Any, value: Any) -> str:
    label = _label(field)
    values = value if field.is_repeated else [value]
    if field.type == FieldDescriptor.TYPE_MESSAGE:
        if field.name in _GROUPS_BY_SEAT:
            inner = "; ".join(f"{seat} ({told(one) or 'none'})" for seat, one in enumerate(values))
        else:
            inner = "; ".join(f"({told(one)})" if field.is_repeated else told(one) for one in values)
        return f"{label} {inner}".rstrip()
    if field.type == FieldDescriptor.TYPE_BOOL:
        return label
    if field.name == _BITS:
        return f"{label} {'; '.join(f'{seat} ({_bits(bits)})' for seat, bits in enumerate(values))}"
    return f"{label} {' '.join(map(_writer(field), values))}"


def _label(field: Any) -> str:
    words: str = field.name.replace("_", " ")
    return f"{words} by seat" if field.name in _BY_SEAT or field.name in _GROUPS_BY_SEAT else words


def _writer(field: Any) -> Callable[[Any], str]:
    """Returns what writes a value of this field."""
    if field.enum_type is not None:
        return lambda value: value_name(field.enum_type, value)
    if field.name == "rank" and "cards" in field.containing_type.fields_by_name:
        return lambda value: cards.RANKS[value]
    last = field.name.rpartition("_")[2]
    return train if last == "train" else _PIECES.get(last, str)


def _bits(bits: int) -> str:
    return " ".join(str(number) for number in range(bits.bit_length()) if bits >> number & 1) or "none"

"""What is fixed before a match: time control, penalties, seats. Times are whole microseconds."""

import re

import msgspec

from referee.errors import UsageError
from referee.games.base import OptionValue

SECOND = 1_000_000
"""Microseconds in a second."""

MAX_LAG_CREDIT = 200_000
"""The most lag that is ever credited to a turn, in microseconds."""


class TimeControl(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of time, in microseconds.

    `base` is the allowance per turn, `bank` the reserve per match, `increment` is added to the bank
    at each deal after the first; `join` is the limit for being connected and seated, `start` the
    limit for `Ready`. The text form is `5s+0,bank=60s` with optional `,join=60s,start=20s`.
    """

    base: int = 5 * SECOND
    bank: int = 60 * SECOND
    increment: int = 0
    join: int = 60 * SECOND
    start: int = 20 * SECOND

    @classmethod
    def parse(cls, text: str) -> "TimeControl":
        """Returns the time control of a text such as `500ms+2s,bank=10s`; raises `UsageError`."""
        head, *rest = text.replace(" ", "").split(",")
        base, plus, increment = head.partition("+")
        fields = {"base": base, **({"increment": increment} if plus else {})}
        for part in rest:
            name, equals, value = part.partition("=")
            if not equals or name not in {"bank", "join", "start"} or name in fields:
                raise UsageError(_bad_time(text, part))
            fields[name] = value
        control = cls(**{name: _duration(value, text) for name, value in fields.items()})
        if control.base <= 0 or control.join <= 0 or control.start <= 0:
            raise UsageError(_bad_time(text, "zero"))
        return control

    def __str__(self) -> str:
        return (
            f"{_text(self.base)}+{_text(self.increment)},bank={_text(self.bank)}"
            f",join={_text(self.join)},start={_text(self.start)}"
        )


class Penalties(msgspec.Struct, frozen=True, kw_only=True):
    """Rules of conduct.

    `retries` refused answers are allowed in a turn, `strikes` strikes are a forfeit, `strays` acts
    that answer no open question of theirs make one strike. A match is adjudicated by its totals
    after `max_plies` actions.
    """

    retries: int = 3
    strikes: int = 5
    strays: int = 10
    max_plies: int = 100_000


class SeatInfo(msgspec.Struct, frozen=True, kw_only=True):
    """Who sits at a seat. `version` is what the bot said in `Hello`, `instance` its process."""

    owner: str
    bot: str
    name: str
    version: str = ""
    instance: str = "default"


class Setup(msgspec.Struct, frozen=True, kw_only=True):
    """All that is fixed about one match before it starts; the header of its log."""

    schema: int = 1
    engine_version: str
    game: str
    rules_version: str
    match_id: str
    deal_group: str
    pairing_id: str = ""
    attempt: int = 1
    rated: bool = True
    options: dict[str, OptionValue]
    time_control: TimeControl = TimeControl()
    penalties: Penalties = Penalties()
    seats: tuple[SeatInfo, ...]
    commitment: str
    """Hexadecimal, see `shuffle.commit`."""
    provable: bool
    created: int
    """Microseconds since the Unix epoch; the only wall time in a log."""


_UNITS = {"us": 1, "ms": 1_000, "s": SECOND, "m": 60 * SECOND, "h": 3600 * SECOND}
_DURATION = re.compile(r"(\d+(?:\.\d{1,6})?)(us|ms|s|m|h)?")


def _duration(text: str, whole: str) -> int:
    match = _DURATION.fullmatch(text)
    if match is None or (match[2] is None and float(match[1]) != 0):
        raise UsageError(_bad_time(whole, text))
    return round(float(match[1]) * _UNITS[match[2] or "s"])


def _bad_time(text: str, part: str) -> str:
    return f"time control {text!r}: cannot read {part!r}; write it like 5s+0,bank=60s (units us ms s m h)"


def _text(duration: int) -> str:
    for unit in ("s", "ms"):
        if duration % _UNITS[unit] == 0:
            return f"{duration // _UNITS[unit]}{unit}" if duration else "0"
    return f"{duration}us"

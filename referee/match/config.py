"""What is fixed before a match: time control, penalties, seats. Times are whole microseconds."""

import re
from collections import Counter
from typing import Annotated, Literal, TypeAlias

import msgspec

from referee.errors import UsageError
from referee.games.info import GameInfo

SECOND = 1_000_000
"""Microseconds in a second."""

MAX_DURATION = 30 * 24 * 3600 * SECOND
"""The longest limit of time, in microseconds: 30 days."""

MAX_COUNT = 1_000_000_000
"""The largest limit that counts something, and the largest number of an attempt."""

MAX_CREATED = 253_402_300_799_999_999
"""The last microsecond of the year 9999, since the Unix epoch."""

Int64: TypeAlias = Annotated[int, msgspec.Meta(ge=-(1 << 63), le=(1 << 63) - 1)]
"""A whole number as it may stand in a log: every reader and every database can hold it."""

MAX_LAG_CREDIT = 200_000
"""The most lag that is ever credited to a turn, in microseconds."""


class TimeControl(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of time, in microseconds.

    `base` is the allowance per turn, `bank` the reserve per match, `increment` is added to the bank
    at each deal after the first; `join` is the limit for being connected and seated, `start` the
    limit for `Ready`. The text form is `5s+0,bank=60s` with optional `,join=60s,start=20s`.
    """

    base: Int64 = 5 * SECOND
    bank: Int64 = 60 * SECOND
    increment: Int64 = 0
    join: Int64 = 60 * SECOND
    start: Int64 = 20 * SECOND

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
        try:
            control.check()
        except UsageError as error:
            raise UsageError(f"{error}; {_HINT}") from None
        return control

    def check(self) -> None:
        """Raises `UsageError` for a limit that cannot be."""
        for name in ("base", "join", "start"):
            if getattr(self, name) <= 0:
                raise UsageError(f"time control {self}: {name} has to be longer than 0")
        for name in self.__struct_fields__:
            if not 0 <= getattr(self, name) <= MAX_DURATION:
                raise UsageError(f"time control {self}: {name} has to be between 0 and {_LONGEST}")

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

    retries: Int64 = 3
    strikes: Int64 = 5
    strays: Int64 = 10
    max_plies: Int64 = 100_000

    def check(self) -> None:
        """Raises `UsageError` for a rule that cannot be."""
        for name in self.__struct_fields__:
            least = 0 if name == "retries" else 1
            if not least <= getattr(self, name) <= MAX_COUNT:
                raise UsageError(f"penalties: {name} has to be between {least} and {MAX_COUNT}")


class SeatInfo(msgspec.Struct, frozen=True, kw_only=True):
    """Who sits at a seat. `version` is what the bot said in `Hello`, `instance` its process."""

    owner: str
    bot: str
    name: str
    version: str = ""
    instance: str = "default"


DuplicateKind: TypeAlias = Literal["same_seat", "rotate"]
"""The kinds of duplicate play: who meets the same deals, and from where."""


MAX_ENTROPY = 64
"""The most entropy that a seat may send, in bytes."""


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """Says that a match is part `part` (from 0) of a block of `parts` matches that share their deals.

    `contributions` is the entropy in hexadecimal, by seat of the first part, that entered the deals;
    left out in the first part itself, whose own `ready` records hold it.
    """

    kind: DuplicateKind
    part: Int64
    parts: Int64
    contributions: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET

    def check(self, seats: int) -> None:
        """Raises `UsageError` for a block that cannot be, with matches of so many seats."""
        if not 0 <= self.part < self.parts <= MAX_COUNT:
            raise UsageError(f"part {self.part} of a block of {self.parts} cannot be")
        if self.part == 0:
            if self.contributions is not msgspec.UNSET:
                raise UsageError("the first match of a block takes its entropy from its own seats")
            return
        given = self.contributions or ()
        if len(given) != seats:
            raise UsageError(
                f"part {self.part} of a block has the entropy of {len(given)} seats, not {seats}"
            )
        for text in given:
            if len(text) > 2 * MAX_ENTROPY or not _HEX.fullmatch(text):
                raise UsageError(f"part {self.part} of a block: {_short(text)} is no entropy in hexadecimal")


class Branch(msgspec.Struct, frozen=True, kw_only=True):
    """Says that a match goes on from another one, its parent, with other bots.

    `match_id` is the parent and `last_hash` the hash of the last line of its log; the first `ply`
    actions are the parent's. So are all deals: they are drawn from the parent's secret.
    """

    match_id: str
    last_hash: str
    ply: Int64

    def check(self) -> None:
        """Raises `UsageError` for a branch that cannot be."""
        if not 0 <= self.ply <= MAX_COUNT:
            raise UsageError(f"a match cannot go on from ply {self.ply} of another one")
        if len(self.last_hash) != _HASH_DIGITS or not _HEX.fullmatch(self.last_hash):
            raise UsageError(f"{_short(self.last_hash)} is no hash of the last line of a log")


class Setup(msgspec.Struct, frozen=True, kw_only=True):
    """All that is fixed about one match before it starts; the header of its log.

    What does not apply to a match is left out of its header: the tournament or ladder that it
    belongs to, that its seats are told no names before the end, the block that it is a part of, the
    match that it goes on from.
    """

    schema: Int64 = 1
    engine_version: str
    game: str
    rules_version: str
    match_id: str
    deal_group: str
    pairing_id: str = ""
    attempt: Int64 = 1
    tournament: str | msgspec.UnsetType = msgspec.UNSET
    anonymous: bool | msgspec.UnsetType = msgspec.UNSET
    block: Block | msgspec.UnsetType = msgspec.UNSET
    branch: Branch | msgspec.UnsetType = msgspec.UNSET
    rated: bool = True
    options: dict[str, Int64 | str]
    time_control: TimeControl = TimeControl()
    penalties: Penalties = Penalties()
    seats: tuple[SeatInfo, ...]
    commitment: str
    """Hexadecimal, see `shuffle.commit`."""
    provable: bool
    created: Int64
    """Microseconds since the Unix epoch; the only wall time in a log."""

    def check(self, info: GameInfo) -> None:
        """Raises `UsageError` or `OptionError` for a match that no server may start.

        `info` is that of the game. Options have to be written out, all of them, as they are in force.
        """
        if self.game != info.name:
            raise UsageError(f"a match of {self.game!r} is not one of {info.name}")
        if self.rules_version != info.rules_version:
            raise UsageError(
                f"{info.name} is known here by rules version {info.rules_version}, not {self.rules_version!r}"
            )
        if not info.min_seats <= len(self.seats) <= info.max_seats:
            raise UsageError(f"{info.name} has {info.seats()} seats, not {len(self.seats)}")
        if info.resolve(self.options) != self.options:
            raise UsageError("not every option is written out")
        self.time_control.check()
        self.penalties.check()
        if not 1 <= self.attempt <= MAX_COUNT:
            raise UsageError(f"attempt {self.attempt} at a pairing cannot be; they count from 1")
        if self.block:
            self.block.check(len(self.seats))
        if self.branch:
            self.branch.check()
            if self.rated or self.provable or self.block:
                raise UsageError(
                    "a match that goes on from another one is unrated, not provable and in no block"
                )
        if not 0 <= self.created <= MAX_CREATED:
            raise UsageError(f"created: {self.created} is no time between the years 1970 and 9999")
        twice = [bot for bot, seats in Counter(seat.bot for seat in self.seats).items() if seats > 1]
        if twice and self.rated:
            raise UsageError(f"bot {twice[0]!r} cannot hold two seats of a rated match")


def parse_span(text: str) -> int:
    """Returns a span of time such as `20s` in microseconds, 0 for none; raises `UsageError`."""
    span = _span(text.replace(" ", ""))
    if span is None:
        raise UsageError(f"{_short(text)} is no time; write it like 20s (units us ms s m h)")
    if span > MAX_DURATION:
        raise UsageError(f"{_short(text)} is longer than {_LONGEST}")
    return span


_HINT = "write it like 5s+0,bank=60s (units us ms s m h)"
_LONGEST = "30 days"
_SHOWN = 40
"""Characters of an unreadable time control that are shown."""
_UNITS = {"us": 1, "ms": 1_000, "s": SECOND, "m": 60 * SECOND, "h": 3600 * SECOND}
_HASH_DIGITS = 64
_HEX = re.compile(r"(?:[0-9a-f]{2})*")
_DURATION = re.compile(r"(\d+(?:\.\d{1,6})?)(us|ms|s|m|h)?")


def _duration(text: str, whole: str) -> int:
    duration = _span(text)
    if duration is None:
        raise UsageError(_bad_time(whole, text))
    if duration > MAX_DURATION:
        raise UsageError(f"time control {_short(whole)}: {_short(text)} is longer than {_LONGEST}")
    return duration


def _span(text: str) -> int | None:
    """Returns how many microseconds a text says; None for one that says no time."""
    match = _DURATION.fullmatch(text)
    if match is None or (match[2] is None and float(match[1]) != 0):
        return None
    return round(min(float(match[1]) * _UNITS[match[2] or "s"], MAX_DURATION + 1))


def _bad_time(text: str, part: str) -> str:
    return f"time control {_short(text)}: cannot read {_short(part)}; {_HINT}"


def _short(text: str) -> str:
    return repr(text) if len(text) <= _SHOWN else f"{text[:_SHOWN]!r}..."


def _text(duration: int) -> str:
    for unit in ("s", "ms"):
        if duration % _UNITS[unit] == 0:
            return f"{duration // _UNITS[unit]}{unit}" if duration else "0"
    return f"{duration}us"

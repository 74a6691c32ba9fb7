"""What a scenario is, and what becomes of it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec

from referee.match.config import SECOND, TimeControl

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from referee.check.bench import Bench

GUIDE: Final = "proto/README.md"
"""The document that says what a bot has to do."""

SHORT: Final = 0.4
"""The share of the base that a turn has where time is short."""
PATIENCE: Final = 60 * SECOND
"""How long a turn has at least where time is not what is looked at, in microseconds."""

Verdict: TypeAlias = Literal["ok", "failed", "not applicable", "skipped"]


class Failed(Exception):  # noqa: N818  it ends a scenario and is no error of this program
    """Says in one line what the bot did instead of what was expected.

    `anchor` is where the guide says so, if not where the scenario points; `rest` is why nothing further
    can be asked, where that is so.
    """

    def __init__(self, told: str, *, anchor: str = "", rest: str = "") -> None:
        super().__init__(told)
        self.anchor = anchor
        self.rest = rest


class NotApplicable(Exception):  # noqa: N818  as above
    """Says in one line why a scenario has nothing to ask of this bot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What the person who checks has chosen: games, time control, seconds of silence, a short check."""

    games: tuple[str, ...] = ()
    time: TimeControl
    idle: float
    quick: bool = False

    @property
    def short(self) -> TimeControl:
        """The time control where time is short: part of the base, and no bank."""
        return self._control(int(self.time.base * SHORT))

    @property
    def again(self) -> TimeControl:
        """The time control of turns that are answered more than once."""
        return self._control(2 * self.time.base)

    @property
    def patient(self) -> TimeControl:
        """The time control where time is not what is looked at."""
        return self._control(max(PATIENCE, self.time.base + self.time.bank))

    @property
    def silent(self) -> TimeControl:
        """The time control where nothing is told for `idle` in the middle of a turn."""
        return self._control(int(self.idle * SECOND) + self.patient.base)

    def _control(self, base: int) -> TimeControl:
        return TimeControl(base=max(1, base), bank=0, join=self.time.join, start=self.time.start)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A situation, what is expected of a bot in it, and where the guide says so.

    `play` returns what happened, or raises `Failed` or `NotApplicable`. What is told to the bot may be
    altered; `own` are kinds of offences that the scenario judges itself. One that is `calm` runs with
    no other beside it, one that is `launched` needs a process to send a signal to, `last` ends the bot,
    `waits` takes long, and `alone` takes its server away.
    """

    name: str
    expected: str
    anchor: str
    play: "Callable[[Bench, Terms], Awaitable[str]]"
    own: frozenset[str] = frozenset()
    calm: bool = False
    launched: bool = False
    last: bool = False
    waits: bool = False
    alone: bool = False

    @property
    def guide(self) -> str:
        """Where the guide explains what is expected."""
        return f"{GUIDE}#{self.anchor}"


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a scenario; `seconds` is how long it took."""

    name: str
    verdict: Verdict
    happened: str
    expected: str
    guide: str
    seconds: float = 0.0
    output: str = ""
    """The file with what the bot printed, where it was launched."""

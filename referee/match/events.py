"""The numbered records of a match: what happened, one frozen value each.

The machine hands every record to its sink at the moment when the state is as the record says. The
same values go to the log, to the bots (translated) and to the tests. `t` is in microseconds since
the start of the match; `n` counts the records of a match from 1; seats count from 0.
"""

from typing import Literal, TypeAlias, TypeVar

import msgspec

from referee.match.config import Int64

FaultName: TypeAlias = Literal[
    "late",
    "illegal",
    "malformed",
    "stale",
    "future",
    "not_your_turn",
    "conflicting",
    "rate_limited",
    "dropped",
    "no_show",
]
"""The faults of a match, in the words of `FaultKind` in lower case."""

TerminationName: TypeAlias = Literal["completed", "forfeited", "adjudicated", "no_show", "void"]
"""Why a match ended, in the words of `Termination` in lower case."""

AttemptForm: TypeAlias = Literal["action", "index", "text", "malformed", "none"]
"""How a bot named its action: by tiles, by index, in text, unreadably; `none` in a flood."""


class _Record(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    n: Int64
    t: Int64


class Ready(_Record, frozen=True, tag="ready"):
    """A seat is ready; `entropy` is hexadecimal, empty where the seat sent none."""

    seat: Int64
    entropy: str


class Deal(_Record, frozen=True, tag="deal"):
    """A deal was given out. Private to the referee until the match ends."""

    deal: Int64
    draws: tuple[Int64, ...]
    order: tuple[Int64, ...]
    events: tuple[str, ...]
    """What happened, in text."""


class Turn(_Record, frozen=True, tag="turn"):
    """A seat was asked. `bank` is its reserve before the turn, `budget` the time until it is late."""

    seat: Int64
    turn: Int64
    budget: Int64
    bank: Int64


class Act(_Record, frozen=True, tag="act"):
    """An answer was accepted.

    `start` is when the clock started, `think` the time charged before the lag credit, `credit` the
    lag that had to be credited (0 unless the answer would have been late), `bank` what is left.
    """

    seat: Int64
    turn: Int64
    ply: Int64
    action: str
    start: Int64
    think: Int64
    credit: Int64
    bank: Int64
    events: tuple[str, ...] = ()
    """What followed from it, in text."""


class Rejected(_Record, frozen=True, tag="rejected"):
    """An act was refused and nothing changed.

    `turn` is what the act named, `form` and `raw` what it held, `retries` what the turn still
    allows after it (-1: this was one too many).
    """

    seat: Int64
    turn: Int64
    fault: FaultName
    form: AttemptForm
    raw: str
    reason: str
    retries: Int64
    start: Int64 = 0
    """When the clock of the open turn started; 0 where the seat is not to act."""
    credit: Int64 = 0
    """The most lag that the open turn may be credited; 0 where the seat is not to act."""


class Default(_Record, frozen=True, tag="default"):
    """The default action was played for a seat: it was late, out of retries, or has forfeited.

    `cause` is the fault, or `forfeited`; `start`, `think` and `bank` are as in `Act`, `budget` is
    the time that the seat had.
    """

    seat: Int64
    turn: Int64
    ply: Int64
    action: str
    cause: Literal["late", "illegal", "malformed", "forfeited"]
    start: Int64 = 0
    think: Int64 = 0
    budget: Int64 = 0
    credit: Int64 = 0
    bank: Int64 = 0
    events: tuple[str, ...] = ()


class Strike(_Record, frozen=True, tag="strike"):
    """A fault counted; `strikes` is the number with this one.

    For `late` `start` is when the clock of the turn started and `credit` the most lag that it could
    be credited; both are 0 for any other fault.
    """

    seat: Int64
    fault: FaultName
    strikes: Int64
    start: Int64 = 0
    credit: Int64 = 0


class Forfeit(_Record, frozen=True, tag="forfeit"):
    """A seat lost by conduct. Public."""

    seat: Int64


class Dropped(_Record, frozen=True, tag="dropped"):
    """The stream of a seat ended."""

    seat: Int64


class Rejoined(_Record, frozen=True, tag="rejoined"):
    """A new stream took over a seat."""

    seat: Int64


class Gone(_Record, frozen=True, tag="gone"):
    """The process of a seat ended for good; known only of bots that the referee launched."""

    seat: Int64


class Stall(_Record, frozen=True, tag="stall"):
    """The referee stood still; every deadline moved by `duration`. `reason` is `REFEREE_STALL`."""

    duration: Int64
    reason: str = "REFEREE_STALL"


class Resumed(_Record, frozen=True, tag="resumed"):
    """The match went on in a new process after an outage of `duration`; an open turn is asked again."""

    duration: Int64


class DealResult(_Record, frozen=True, tag="deal_result"):
    """A deal ended. `state` is the hash of the whole state, see `machine.state_hash`."""

    deal: Int64
    scores: tuple[Int64, ...]
    totals: tuple[Int64, ...]
    state: str


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome for one seat. `points` are 0..1; `faults` counts them by kind."""

    seat: Int64
    rank: Int64
    score: Int64
    points: float
    forfeited: bool
    strikes: Int64
    faults: dict[str, Int64]


class End(_Record, frozen=True, tag="end"):
    """The one end record. `places` are by seat, also for matches that do not count."""

    termination: TerminationName
    note: str
    at_fault: tuple[Int64, ...]
    """Seats that caused a no-show or a void; empty otherwise."""
    places: tuple[Place, ...]
    plies: Int64
    secret: str
    """Hexadecimal; opens the commitment of the header."""
    contributions: tuple[str, ...]
    """The entropy in the deals, in hexadecimal: by seat, empty where none was sent; in the later parts of
    a block that of the first part."""


Record: TypeAlias = (
    Ready
    | Deal
    | Turn
    | Act
    | Rejected
    | Default
    | Strike
    | Forfeit
    | Dropped
    | Rejoined
    | Gone
    | Stall
    | Resumed
    | DealResult
    | End
)

R = TypeVar("R", bound=Record)

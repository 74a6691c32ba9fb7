"""The whole truth of a match as other tools want it: values that JSON can hold, by a schema with a version.

The classes are the schema: `docs/replay-export.schema.json` is made from them. Times are microseconds,
those of records since the start of the match. Within one version members may be added, and no member is
renamed, retyped or taken away.
"""

from typing import Any, Literal

import msgspec

from referee.match.config import DuplicateKind, Penalties, TimeControl
from referee.match.events import AttemptForm, FaultName, TerminationName

FORMAT = "referee.replays"
"""What `format` is in every export."""
VERSION = 1
"""The version of the format that is written here."""


class _Part(msgspec.Struct, frozen=True, kw_only=True):
    """A part of an export; all its members are always there."""


class Place(_Part, frozen=True):
    """The outcome for a seat; rank and points are null where the match does not count.

    `rank` counts from 1, ties share one; `points` are 0..1. `cause` is the fault of the last strike of a
    seat that forfeited, or `gone`; else it is empty. `at_fault` marks who caused a no-show or a void.
    """

    rank: int | None
    score: int
    points: float | None
    forfeited: bool
    cause: str
    at_fault: bool
    strikes: int
    faults: dict[str, int]


class Thought(_Part, frozen=True):
    """The turns that a seat answered or let run out, and the time over them in all and at the most."""

    turns: int
    total: int
    longest: int


class Seat(_Part, frozen=True):
    """Who sat at a seat, and what became of it; `place` is null while the match is not over."""

    seat: int
    owner: str
    bot: str
    name: str
    version: str
    instance: str
    place: Place | None
    think: Thought


class Play(_Part, frozen=True):
    """An action; `by` says whether the seat chose it or the referee played the default action for it.

    `turn` counts the questions to this seat, 0 for a seat that has forfeited; `cause` says why a default
    action was played. `think` is the time charged, `credit` the lag that had to be credited, `bank` what
    is left. `events` are in the text of the game, nothing hidden.
    """

    n: int
    ply: int
    t: int
    seat: int
    turn: int
    action: str
    by: Literal["seat", "default"]
    cause: Literal["", "late", "illegal", "malformed", "forfeited"]
    think: int
    credit: int
    bank: int
    events: tuple[str, ...]


class DealResult(_Part, frozen=True):
    """What a deal added to the totals, the totals after it, and the hash of the whole state."""

    n: int
    t: int
    scores: tuple[int, ...]
    totals: tuple[int, ...]
    state: str


class Deal(_Part, frozen=True):
    """A deal: what was drawn, the hands by seat, and what was played; the result is null if it broke off.

    `draws` and `order` are what the shuffle gave, `hands` the pieces as actions name them.
    """

    deal: int
    n: int
    t: int
    draws: tuple[int, ...]
    order: tuple[int, ...]
    hands: tuple[tuple[str, ...], ...]
    events: tuple[str, ...]
    plays: tuple[Play, ...]
    result: DealResult | None


class Incident(_Part, frozen=True):
    """Anything else that happened; what does not apply to its kind is null.

    `rejected`: an answer to `turn` was refused, `raw` is what it held in the form `form`, `reason` why,
    `retries` what the turn still allows (-1: one too many). `strike`: a fault counted, `strikes` with this
    one. `stall` and `resumed`: the referee stood still, or was away, for `duration`.
    """

    n: int
    t: int
    kind: Literal["rejected", "strike", "forfeit", "dropped", "rejoined", "gone", "stall", "resumed"]
    seat: int | None = None
    turn: int | None = None
    fault: FaultName | None = None
    form: AttemptForm | None = None
    raw: str | None = None
    reason: str | None = None
    retries: int | None = None
    strikes: int | None = None
    duration: int | None = None


class Part(_Part, frozen=True):
    """Which part of a block of matches with the same deals a match is, from 0."""

    kind: DuplicateKind
    part: int
    parts: int


class Branch(_Part, frozen=True):
    """Which match a match goes on from: its id, the last hash of its log, and how many plies are shared."""

    match_id: str
    last_hash: str
    ply: int


class Proof(_Part, frozen=True):
    """What proves the deals, in hexadecimal; the secret is null while the match is not over."""

    provable: bool
    commitment: str
    secret: str | None
    contributions: tuple[str, ...]


class Match(_Part, frozen=True):
    """One match.

    `file` is the log as it was named, `last_hash` the hash of its last line, which covers all of it.
    `created` is RFC 3339 in UTC. `state` is `ended`, or `unfinished` for a match that is running or was
    cut off: then `termination` is null, and nothing here is a result. `duration` is the time of the
    last record, `plies` how many actions were played.
    """

    match_id: str
    file: str
    last_hash: str
    engine_version: str
    tournament: str
    pairing_id: str
    attempt: int
    deal_group: str
    block: Part | None
    branch: Branch | None
    game: str
    rules_version: str
    options: dict[str, int | str]
    time_control: TimeControl
    penalties: Penalties
    rated: bool
    anonymous: bool
    created: str
    state: Literal["ended", "unfinished"]
    termination: TerminationName | None
    note: str
    duration: int
    plies: int
    proof: Proof
    seats: tuple[Seat, ...]
    deals: tuple[Deal, ...]
    incidents: tuple[Incident, ...]


class LeftOut(_Part, frozen=True):
    """A log that could not be exported, and why."""

    file: str
    problem: str


class Export(_Part, frozen=True):
    """Matches in the order in which their logs were named."""

    format: Literal["referee.replays"]
    version: Literal[1]
    matches: tuple[Match, ...]
    left_out: tuple[LeftOut, ...]


def schema() -> dict[str, Any]:
    """Returns the JSON Schema of an export."""
    made = msgspec.json.schema(Export)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"{FORMAT} version {VERSION}",
        **made,
    }

"""A match that is asked for, what is fixed about it, and what became of it."""

import hashlib
import os
import re
import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import UNSET, UnsetType

import referee
from referee import games
from referee.errors import UsageError
from referee.games.base import Action
from referee.games.info import OptionValue
from referee.match.config import Block, Branch, DuplicateKind, Penalties, SeatInfo, Setup, TimeControl
from referee.match.events import End
from referee.match.shuffle import commit, derived_secret
from referee.replay.ids import uuid7
from referee.replay.writer import LogWriter
from referee.server.config import ArenaConfig
from referee.server.member import Member

SECRET_BYTES = 32
"""The length of the secret of a deal group."""


@dataclass(slots=True, kw_only=True)
class DealGroup:
    """What the matches of a block share: the id, the secret, and the entropy of the first one's seats.

    `contributions` is None until the first match has ended. `logs` are those of its ended matches,
    sealed; `suspended` says that one of them waits to be resumed by a later process.
    """

    group_id: str
    secret: bytes
    contributions: tuple[bytes, ...] | None = None
    logs: list[LogWriter] = field(default_factory=list)
    suspended: bool = False


@dataclass(slots=True, kw_only=True)
class BlockPart:
    """Part `part` (from 0) of a block of `parts` matches; all parts share one `group`."""

    group: DealGroup
    kind: DuplicateKind
    part: int
    parts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The position of another match that a match goes on from.

    `group` and `contributions`, by seat, give all its deals; `actions` were played up to there.
    """

    branch: Branch
    group: DealGroup
    contributions: tuple[bytes, ...]
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRequest:
    """A match that is asked for; `bots` are names or ids by seat.

    With `seed` the deals are derived from that number alone, so that they can be had again.
    """

    game: str
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    bots: tuple[str, ...]
    seed: int | None = None
    pairing_id: str = ""
    attempt: int = 1
    time_control: TimeControl | None = None
    penalties: Penalties | None = None
    tournament: str = ""
    """The tournament or ladder that the match belongs to; empty for none."""
    anonymous: bool = False
    """Whether the seats are told each other's names only at the end."""
    block: BlockPart | None = None
    """The block of duplicate matches that it is a part of; None for a match of its own."""
    instances: tuple[str, ...] = ()
    """By seat the instance that has to sit there; empty means any that is free, as does an empty name."""
    origin: Origin | None = None
    """Where it goes on from; None for a match that begins anew. Such a match is never rated."""
    rated: bool = True
    """Whether the result counts in standings; never with a seed, since nobody can trust such deals."""

    def check(self) -> None:
        """Raises `UsageError` or `OptionError` for a match that cannot be."""
        info = games.find(self.game).info
        info.resolve(self.options)
        if not info.min_seats <= len(self.bots) <= info.max_seats:
            raise UsageError(f"{self.game} has {info.seats()} seats, and not {len(self.bots)}")
        for limits in (self.time_control, self.penalties):
            if limits is not None:
                limits.check()
        if len(self.instances) not in {0, len(self.bots)}:
            raise UsageError(f"instances: {len(self.instances)} are named for {len(self.bots)} seats")
        twice = [name for name, count in Counter(self.bots).items() if count > 1]
        if twice and self.rated:
            raise UsageError(f"bot {twice[0]!r} cannot hold two seats of a rated match")


def with_names(note: str, bots: Sequence[str]) -> str:
    """Returns a note about seats with the names of their bots: seats say little where they rotate."""

    def named(found: re.Match[str]) -> str:
        return ", ".join([bots[int(seat)] for seat in found[1].split(", ")])

    return re.sub(r"\bseat (\d+(?:, \d+)*)", named, note)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchOutcome:
    """What became of a request.

    `match_id` is None where no match was made, `replay` where no log was finished; `missing` are
    the bots that did not join or were not ready.
    """

    match_id: str | None
    replay: Path | None
    termination: str
    note: str
    end: End | None
    missing: tuple[str, ...]


def set_up(
    request: MatchRequest, config: ArenaConfig, members: Sequence[Member], created: int
) -> tuple[Setup, bytes]:
    """Returns all that is fixed about a match, and the secret of its deals.

    Raises `UsageError` or `OptionError` for a match that cannot be.
    """
    info = games.find(request.game).info
    match_id = uuid7(created // 1000, os.urandom(10))
    group, origin = _group(request, match_id), request.origin
    setup = Setup(
        engine_version=referee.__version__,
        game=info.name,
        rules_version=info.rules_version,
        match_id=match_id,
        deal_group=group.group_id,
        pairing_id=request.pairing_id,
        attempt=request.attempt,
        tournament=request.tournament or UNSET,
        anonymous=request.anonymous or UNSET,
        block=_block(request.block),
        branch=origin.branch if origin else UNSET,
        rated=request.rated and request.seed is None and origin is None,
        options=info.resolve(request.options),
        time_control=request.time_control or config.time_control,
        penalties=request.penalties or config.penalties,
        seats=tuple(map(_seat_info, members)),
        commitment=commit(group.group_id, group.secret),
        provable=request.seed is None and origin is None,
        created=created,
    )
    setup.check(info)
    return setup, group.secret


def _group(request: MatchRequest, match_id: str) -> DealGroup:
    """Returns the deal group of a match: that of its block or its parent, or one of its own."""
    given = request.block or request.origin
    return given.group if given else new_group(request.seed, match_id)


def _block(part: BlockPart | None) -> Block | UnsetType:
    """Returns what the header says of a block: the first match takes entropy, the others are given it."""
    if part is None:
        return UNSET
    fixed = tuple(entropy.hex() for entropy in part.group.contributions or ()) if part.part else UNSET
    return Block(kind=part.kind, part=part.part, parts=part.parts, contributions=fixed)


def new_group(seed: int | None, group_id: str) -> DealGroup:
    """Returns a deal group with a fresh secret; this is its id unless both follow from a seed."""
    group_id = group_id if seed is None else seeded_group(seed)
    return DealGroup(group_id=group_id, secret=new_secret(seed, group_id))


def new_secret(seed: int | None, group: str) -> bytes:
    """Returns the secret of a deal group: from the system's random source unless there is a seed."""
    return secrets.token_bytes(SECRET_BYTES) if seed is None else derived_secret(seed, group)


def seeded_group(seed: int) -> str:
    """Returns the id of the deal group of a seed: the same every time, and not the seed itself.

    Bots are told the id and the commitment; whoever can guess the seed can check the guess by them,
    which is why such a match is not provable.
    """
    return "seeded-" + hashlib.sha256(f"referee deal group of seed {seed}".encode()).hexdigest()[:32]


def _seat_info(member: Member) -> SeatInfo:
    who, said = member.identity, member.introduction
    return SeatInfo(
        owner=who.owner, bot=who.bot_id, name=who.name, version=said.version, instance=said.instance
    )

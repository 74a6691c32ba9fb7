"""A match that is asked for, what is fixed about it, and what became of it."""

import hashlib
import os
import re
import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import UNSET

import referee
from referee import games
from referee.errors import UsageError
from referee.games.info import OptionValue
from referee.match.config import DuplicateKind, Penalties, SeatInfo, Setup, TimeControl
from referee.match.events import End
from referee.match.shuffle import commit, derived_secret
from referee.replay.ids import uuid7
from referee.server.config import ArenaConfig
from referee.server.member import Member

SECRET_BYTES = 32
"""The length of the secret of a deal group."""


@dataclass(slots=True, kw_only=True)
class DealGroup:
    """What the matches of a block share: the id, the secret, and the entropy of the first one's seats.

    `contributions` is None until the seats of the first match are ready.
    """

    group_id: str
    secret: bytes
    contributions: tuple[bytes, ...] | None = None


@dataclass(slots=True, kw_only=True)
class BlockPart:
    """Part `part` (from 0) of a block of `parts` matches; all parts share one `group`."""

    group: DealGroup
    kind: DuplicateKind
    part: int
    parts: int


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
    rated: bool = True
    """Whether the result counts in standings; never with a seed, since nobody can trust such deals."""

    def check(self) -> None:
        """Raises `UsageError` or `OptionError` for a match that cannot be."""
        info = games.find(self.game).info
        info.resolve(self.options)
        if not info.min_seats <= len(self.bots) <= info.max_seats:
            raise UsageError(f"{self.game} has {info.seats()} seats; {len(self.bots)} bots are named")
        for limits in (self.time_control, self.penalties):
            if limits is not None:
                limits.check()
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
    group = match_id if request.seed is None else seeded_group(request.seed)
    secret = new_secret(request.seed, group)
    setup = Setup(
        engine_version=referee.__version__,
        game=info.name,
        rules_version=info.rules_version,
        match_id=match_id,
        deal_group=group,
        pairing_id=request.pairing_id,
        attempt=request.attempt,
        tournament=request.tournament or UNSET,
        anonymous=request.anonymous or UNSET,
        rated=request.rated and request.seed is None,
        options=info.resolve(request.options),
        time_control=request.time_control or config.time_control,
        penalties=request.penalties or config.penalties,
        seats=tuple(map(_seat_info, members)),
        commitment=commit(group, secret),
        provable=request.seed is None,
        created=created,
    )
    setup.check(info)
    return setup, secret


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

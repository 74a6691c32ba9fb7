"""Random matches in one process, for benchmarks that need logs or states."""

import random
from collections.abc import Callable

from referee import __version__, games
from referee.match.attempt import Chosen
from referee.match.config import SeatInfo, Setup
from referee.match.events import Record
from referee.match.machine import Match
from referee.match.shuffle import commit

CREATED = 1_785_240_000_000_000
"""2026-07-28 12:00 UTC, in microseconds."""
_THINK = 40_000
"""The longest that a seat thinks, in microseconds."""


def setup_of(name: str, number: int) -> Setup:
    """Returns the header of a match of a game."""
    info = games.find(name).info
    group, millis = f"{name} {number}", CREATED // 1000
    return Setup(
        engine_version=__version__,
        game=name,
        rules_version=info.rules_version,
        match_id=f"{millis >> 16:08x}-{millis & 0xFFFF:04x}-7000-8000-{_key(name, number):012x}",
        deal_group=group,
        options=info.resolve({}),
        seats=tuple(SeatInfo(owner=f"o{n}", bot=f"b{n}", name=f"b{n}") for n in range(info.min_seats)),
        commitment=commit(group, secret_of(number)),
        provable=False,
        created=CREATED,
    )


def secret_of(number: int) -> bytes:
    """Returns the secret of the deals of a match."""
    return random.Random(number).randbytes(32)


def random_match(name: str, number: int, rng: random.Random, sink: Callable[[Match, Record], None]) -> Match:
    """Plays a match by random actions; `sink` hears every record at the moment when it is made."""
    setup = setup_of(name, number)
    now = 0

    def take(record: Record) -> None:
        sink(match, record)

    match = Match(setup, games.find(name), secret_of(number), 0, take)
    for seat in range(len(setup.seats)):
        match.ready(seat, rng.randbytes(16), now)
    while turn := match.open_turn:
        now += rng.randrange(20, 400)
        match.asked(turn.seat, turn.turn, now)
        now += rng.randrange(_THINK)
        match.act(turn.seat, turn.turn, Chosen(rng.choice(match.state.legal_actions())), now)
    return match


def _key(name: str, number: int) -> int:
    return games.names().index(name) << 32 | number

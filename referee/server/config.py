"""What an operator decides about a server. Times are whole microseconds, sizes bytes."""

import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from referee.errors import UsageError
from referee.games import find
from referee.games.info import OptionValue
from referee.match.config import SECOND, Penalties, TimeControl
from referee.replay.opening import KEY, content
from referee.server.house.config import PeopleRules, PracticeRules, check_levels

if TYPE_CHECKING:
    from referee.server.ladder.config import LadderConfig

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
"""Hosts on which plain text is allowed without asking."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one stream may do before it is refused; sent in `Welcome`."""

    request_bytes: int = 256 * 1024
    """The largest message that is accepted."""
    response_bytes: int = 1024 * 1024
    """The largest message that is sent, unless a single frame is larger."""
    request_frames: int = 1024
    """The most frames that a message may hold."""
    acts_per_second: int = 50
    """Acts per second that answer no open turn. Those that answer one are paced by the referee."""
    acts_per_second_per_match: int = 20
    """Further such acts per second for each running match."""
    queue_bytes: int = 2 * 1024 * 1024
    """Bytes that may wait for a stream that does not read, besides one message."""
    queue_frames: int = 256
    """Frames that may wait for a stream that does not read, a further 8 for each running match."""
    write: int = 5 * SECOND
    """How long a single write may take."""
    hello: int = 20 * SECOND
    """How long a stream may take to say `Hello`."""
    stream_faults: int = 3
    """The stream fault that closes the stream."""
    takeovers: int = 3
    """How often a stream may take over from a live one of its instance within `takeover_window`."""
    returns: int = 30
    """How often an instance may come back within `takeover_window` after its stream was lost."""
    takeover_window: int = 60 * SECOND
    streams_per_bot: int = 64
    """Instances of one bot that may be connected at once."""
    spectators: int = 256
    """How many may watch matches of the server at once."""
    spectators_per_match: int = 64
    spectators_per_address: int = 16
    """How many may watch at once from one address, so that nobody takes the places of all others."""
    spectator_bytes: int = 1024 * 1024
    """Bytes of a match that are kept for spectators who are behind; one who is further behind is cut off."""
    downloads: int = 32
    """How many replays and reports may be read from the server at once."""
    downloads_per_address: int = 8
    bad_tokens: int = 20
    """Refused tokens per second and peer before tokens that are new here are not looked up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenTable:
    """A table at which connected bots are seated without being asked for.

    `seats` 0 stands for four, or as near to that as the game comes.
    """

    game: str
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    seats: int = 0

    def size(self) -> int:
        """Returns how many sit down; raises `UsageError` or `OptionError` for a table that cannot be."""
        info = find(self.game).info
        info.resolve(self.options)
        size = self.seats or max(info.min_seats, min(4, info.max_seats))
        if not info.min_seats <= size <= info.max_seats:
            raise UsageError(f"{self.game} is not played by {size}, only by {info.seats()}")
        return size


@dataclass(frozen=True, slots=True, kw_only=True)
class Tls:
    """A certificate chain and its private key, both PEM files."""

    certificate: Path
    key: Path

    def read(self) -> tuple[bytes, bytes]:
        """Returns key and chain; raises `UsageError` naming what cannot be read or does not fit."""
        try:
            pair = content(self.key, KEY), content(self.certificate, KEY)
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self.certificate, self.key)
        except OSError as error:  # ssl.SSLError is one
            reason = error.strerror or error
            raise UsageError(f"TLS: cannot use {self.certificate} with {self.key}: {reason}") from None
        return pair


@dataclass(frozen=True, slots=True, kw_only=True)
class ArenaConfig:
    """All settings of one server process."""

    data: Path = Path()
    """The data root: `replays/` and `referee.db` are under it."""
    store: str | None = field(default=None, repr=False)
    """The URL of the database of results and bots, which may hold a password; None for `referee.db`."""
    host: str = "127.0.0.1"
    port: int = 0
    """0 takes a free port."""
    auto_pair: bool = False
    tables: tuple[OpenTable, ...] = ()
    """The open tables of `auto_pair`; they take turns."""
    table_wait: int = 10 * SECOND
    """How long a bot waits at the most for a table of which it is the turn, while others play elsewhere."""
    time_control: TimeControl = field(default_factory=TimeControl)
    penalties: Penalties = field(default_factory=Penalties)
    limits: Limits = Limits()
    tls: Tls | None = None
    insecure: bool = False
    """Allows plain text on an address that is not loopback."""
    recover: bool = False
    """Resumes or voids the matches that an earlier process left under the data root."""
    recover_series: str = ""
    """Does so with the matches of this tournament alone; empty for all."""
    resume_window: int = 60 * SECOND
    """How long ago a match may have been cut off to be resumed."""
    bench: int = 60 * SECOND
    """How long an open table leaves out a bot that was not ready in time."""
    keepalive: int = 20 * SECOND
    """How long a connection may be silent before the referee asks whether it lives."""
    keepalive_timeout: int = 10 * SECOND
    """How long the answer to that may take."""
    sign_key: Path | None = None
    """An Ed25519 private key in PEM that signs each finished log."""
    public: bool = True
    """Answers reads without a token."""
    watch_delay: int = 8
    """How many actions of a match have to follow on what its spectators are told."""
    drain: int = 30 * SECOND
    """How long running matches may go on when the operator has the server drain."""
    admin: str | None = None
    """Where the operator's service listens: a loopback `host:port`, or the socket in the data root where
    it is empty; None for nowhere."""
    ladder: "LadderConfig | None" = None
    """The ladder that is played instead of open tables."""
    practice: PracticeRules | None = None
    """Practice of bots where there is no ladder, which has rules of its own; None for none."""
    people: PeopleRules | None = None
    """How people are seated against house bots; None for not at all."""

    def check(self) -> None:
        """Raises `UsageError` for plain text to the world, or `RefereeError` for what cannot be played."""
        self.time_control.check()
        self.penalties.check()
        if self.watch_delay < 0:
            raise UsageError(
                f"spectators cannot be told of a match {-self.watch_delay} plies before it happens"
            )
        for table in self.tables:
            table.size()
        if self.ladder is not None:
            self.ladder.check()
        if self.practice is not None:
            check_levels("practice", self.practice.levels)
        if self.people is not None:
            self.people.check()
        if self.host not in LOOPBACK and self.tls is None and not self.insecure:
            raise UsageError(
                f"{self.host} is not loopback: give --tls-cert and --tls-key, or say --insecure "
                "to send tokens in plain text"
            )

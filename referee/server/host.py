"""Runs the matches of one process: makes them, keeps them, takes what is left of them."""

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable, Sequence

import structlog

from referee import games
from referee.errors import LogBusyError, LogWriteError, RefereeError
from referee.match.config import SECOND
from referee.match.machine import Match
from referee.replay.signature import Signer
from referee.replay.writer import LogWriter
from referee.server import frames, logs
from referee.server.auth import Authenticator, Identity
from referee.server.blocks import Blocks
from referee.server.branched import live_match
from referee.server.codec import Codec
from referee.server.config import ArenaConfig
from referee.server.hello import Introduction
from referee.server.index import Index
from referee.server.live import LiveMatch
from referee.server.lobby import Absence, Lobby, Waiting
from referee.server.member import Member
from referee.server.outcomes import disown, has_ended, not_made, outcome
from referee.server.processes import Processes
from referee.server.request import MatchOutcome, MatchRequest, set_up
from referee.server.runner import Runner
from referee.server.session import Closing
from referee.server.stream import Connection
from referee.server.visits import Visits
from referee.v1 import play_service_pb2 as pb

__all__ = ["Host", "MatchOutcome", "MatchRequest"]

_PINGS_EVERY = 10
"""How many chores lie between two pings: one a second."""
_CATCH_UP_EVERY = 100
"""How many chores lie between two looks for results that could not be kept: ten seconds."""
_REGISTER_EVERY = 20
"""How many chores lie between two looks for revoked tokens: two seconds."""
_LACKING_FOR = 2.0
"""Seconds before the next try to start a match, where the process had no descriptor left."""

_log = structlog.get_logger("referee.host")


def _wall_clock() -> int:
    return time.time_ns() // 1000


class Host:
    """Members, matches and the clock of one process.

    Attributes:
        matches: running matches by id.
        processes: the launched bots among those who play.
        failed: why no more matches are started; empty while they are.
        on_failure: is called when that is so for the first time.
        on_over: are called with each match that is over here, also one that was suspended.
        practice: answers a member who asks for a match against house bots.
        wall: the wall clock in microseconds since the Unix epoch; names and dates matches only.
    """

    def __init__(
        self, config: ArenaConfig, index: Index | None, wall: Callable[[], int] = _wall_clock
    ) -> None:
        self.config = config
        self.index = index
        self.wall = wall
        self.signer = Signer.load(config.sign_key) if config.sign_key else None
        self.server_id = secrets.token_hex(8)
        self.runner = Runner(self._chores, self._stalled)
        self.lobby = Lobby(config, self.runner.now, self._open_table)
        self.auth = Authenticator(index, config.limits, self.runner.now)
        self.blocks = Blocks(config.data, index, wall, config.resume_window)
        self.streams: set[Connection] = set()
        self.visits = Visits()
        self.matches: dict[str, LiveMatch] = {}
        self.processes = Processes(self.matches)
        self.failed = ""
        self.on_failure: Callable[[], None] = lambda: None
        self.on_over: list[Callable[[LiveMatch], None]] = []
        self.practice: Callable[[Member, pb.Practice], None] = _no_practice
        self._lacking = False
        self._rounds = 0
        self._register: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._register.set_result(None)

    # Streams

    def join(self, stream: Connection, identity: Identity, introduction: Introduction) -> Closing | None:
        """Gives a stream its member and tells it where it stands, or returns why not."""
        introduction = introduction.of_instance(identity.instance)
        known = self.lobby.members.get((identity.bot_id, introduction.instance))
        old = known.stream if known else None
        member = self.lobby.join(stream, identity, introduction)
        if isinstance(member, Closing):
            return member
        stream.member = member
        stream.session.adopt(member.open_turns)
        if old:
            old.close(pb.GOODBYE_REASON_TAKEN_OVER, "another stream of this bot and instance took over")
        config, now = self.config, self.runner.stamp()
        stream.send(
            frames.welcome(self.server_id, identity, config.limits, config.time_control, config.penalties)
        )
        _log.info("bot joined", bot=identity.bot_id, instance=introduction.instance, games=introduction.games)
        stream.catching_up = True
        for live, seat in tuple(member.seats.values()):
            live.rejoined(seat, now)
        stream.catching_up = False
        stream.measure(self.runner.now())
        return None

    def left(self, member: Member, stream: Connection) -> None:
        """Takes note that a stream has ended."""
        if self.lobby.leave(member, stream):
            _log.info("bot left", bot=member.identity.bot_id, instance=member.introduction.instance)
            now = self.runner.stamp()
            for live, seat in tuple(member.seats.values()):
                live.dropped(seat, now)

    def absent(self, name: str, reason: str, instance: str = "") -> None:
        """Takes note that a launched bot has ended for good: its seats are lost, none waits for it.

        With an instance that is so of this one process of the bot, which was launched for one match.
        """
        self.lobby.absent(name, reason, instance)
        for live, seat in self.seated(name, instance):
            live.gone(seat, self.runner.stamp())

    def seated(self, name: str, instance: str) -> list[tuple[LiveMatch, int]]:
        """Returns the running matches of a launched bot, or of one process of it, with its seats."""
        return [
            (live, seat)
            for live in self.matches.values()
            for seat, member in enumerate(live.members)
            if (member.identity.name, member.identity.instance) == (name, instance)
        ]

    # Matches

    async def play(self, request: MatchRequest) -> MatchOutcome:
        """Waits for the bots, plays, and returns what became of it; cancelling voids the match."""
        request.check()
        self._refuse_if_failed()
        limit = (request.time_control or self.config.time_control).join / SECOND
        waiting = Waiting(
            request.game, request.bots, lambda members: self.open(request, members), request.instances
        )
        try:
            found = await self.lobby.seat(waiting, limit)
        except asyncio.CancelledError:
            with contextlib.suppress(Exception, asyncio.CancelledError):  # where none was started
                started = waiting.seated.result()
                if isinstance(started, LiveMatch):
                    started.void("called off", self.runner.now())
            raise
        return not_made(found) if isinstance(found, Absence) else await self.follow(found)

    async def follow(self, live: LiveMatch) -> MatchOutcome:
        """Returns what became of a match once it is over; cancelling voids one that has not ended."""
        try:
            await asyncio.shield(live.ended)
            if self.index:
                await self.index.settled()
        except asyncio.CancelledError:
            if not live.ended.done():  # what has ended counts, however soon after that it is called off
                live.void("called off", self.runner.now())
                raise
        return outcome(live)

    def open(self, request: MatchRequest, members: Sequence[Member]) -> LiveMatch:
        """Starts a match of members who are free; raises `RefereeError` where it cannot be logged."""
        self._refuse_if_failed()
        setup, secret = set_up(request, self.config, members, self.wall())
        try:
            writer = LogWriter.create(self.config.data, setup, secret, self.signer)
        except LogWriteError as error:
            self._cannot_write(error)
            raise
        game = games.find(request.game)
        codec = Codec(setup, game, [member.wish for member in members])
        if request.block:
            self.blocks.began(setup.match_id, request.block.group)
        live = self.matches[setup.match_id] = live_match(
            request, setup, writer, codec, members, self.runner, self
        )
        live.adopt(Match(setup, game, secret, self.runner.now(), live.sink))
        self.processes.note(live)
        live.begin()
        return live

    def match_over(self, live: LiveMatch) -> None:
        """Takes back a match that has ended, failed or was suspended."""
        self.matches.pop(live.match.setup.match_id, None)
        self.lobby.changed()
        for heed in (self._keep, self.blocks.over, self._dismiss, self.processes.over, *self.on_over):
            try:
                heed(live)
            except Exception:  # noqa: BLE001  the others have to hear of it all the same
                logs.incident("the end of a match was not heeded", _log)

    def _keep(self, live: LiveMatch) -> None:
        match = live.match
        disown(live)
        if live.problem:
            self._cannot_write(live.problem)
        elif match.end:
            logs.summary(_log, match)
            if self.index and not match.setup.block and has_ended(live):
                self.index.add(live.writer.path)

    def _dismiss(self, live: LiveMatch) -> None:
        end, now = live.match.end, self.runner.now()
        for seat, member in enumerate(live.members):
            if end and seat in end.at_fault:
                self.lobby.bench(member.identity.bot_id, now + self.config.bench)
            self.lobby.forget_idle(member)

    def _open_table(self, number: int, members: Sequence[Member]) -> LiveMatch | None:
        table = self.config.tables[number]
        request = MatchRequest(
            game=table.game,
            options=table.options,
            bots=tuple(member.identity.bot_id for member in members),
        )
        try:
            return self.open(request, members)
        except RefereeError:
            return None  # logged when it happened; nothing more is started

    def _refuse_if_failed(self) -> None:
        if self.failed:
            raise RefereeError(f"no more matches are started: {self.failed}")
        if self._lacking:
            raise RefereeError("no match is started for a moment: too many files are open")

    def _cannot_write(self, error: LogWriteError) -> None:
        """Starts no more matches, or none for a moment where only descriptors are lacking."""
        if not isinstance(error, LogBusyError):
            self.fail(str(error))
        elif not self._lacking:
            self._lacking = True
            _log.error("no match is started for a moment", problem=str(error))
            asyncio.get_running_loop().call_later(_LACKING_FOR, self._try_again)

    def _try_again(self) -> None:
        self._lacking = False
        self.lobby.changed()

    def fail(self, why: str) -> None:
        """Starts no more matches, for a reason that the operator is told."""
        if not self.failed:
            _log.error("no more matches are started", problem=why)
            self.failed = why
            self.lobby.drain()
            self.on_failure()

    # Chores

    def _chores(self, now: int) -> None:
        self._rounds += 1
        for stream in tuple(self.streams):
            stream.chores(now)
            if self._rounds % _PINGS_EVERY == 0:
                stream.measure(now)
        if self._rounds % _PINGS_EVERY == 0:
            for live in tuple(self.matches.values()):
                live.chores(now)
        if self.index and self._rounds % _CATCH_UP_EVERY == 0:
            self.index.catch_up()
        if self.index and self._rounds % _REGISTER_EVERY == 0 and self._register.done():
            self._register = asyncio.ensure_future(self.send_revoked_away())

    async def send_revoked_away(self) -> None:
        """Ends the streams and the reads of bots whose token was revoked."""
        # Those who come later may be registered later, too.
        streams, reads = tuple(self.streams), self.visits.going()
        registered = await self.index.registered() if self.index else None
        if registered is None:
            return
        self.visits.keep(reads, lambda who: who in registered if who.registered else self.auth.has_guest(who))
        for stream in streams:
            if stream.identity.registered and stream.identity not in registered:
                stream.close(pb.GOODBYE_REASON_REVOKED, "the token was revoked")

    def _stalled(self, duration: int) -> None:
        for stream in self.streams:
            stream.stalled(duration)


def _no_practice(member: Member, wish: pb.Practice) -> None:
    note = "this server has no house bots to practise against"
    if member.stream:
        member.stream.send(frames.practice_refused(wish.game, pb.PRACTICE_REFUSAL_NOT_OFFERED, note))

"""Who is here, who waits for whom, and who sits down together."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from referee.match.config import SECOND
from referee.server.auth import Identity
from referee.server.config import ArenaConfig
from referee.server.hello import Introduction
from referee.server.member import Member
from referee.server.open_tables import OpenTables, Tables
from referee.server.session import Closing
from referee.v1 import play_service_pb2 as pb

if TYPE_CHECKING:
    from referee.server.live import LiveMatch
    from referee.server.stream import Connection


class Absence(NamedTuple):
    """The bots for whom a match waited in vain, and why."""

    missing: tuple[str, ...]
    note: str


class Waiting:
    """A match that waits for its bots; `seated` gets the match, or who did not come."""

    def __init__(
        self,
        game: str,
        bots: tuple[str, ...],
        start: "Callable[[Sequence[Member]], LiveMatch]",
        instances: tuple[str, ...] = (),
    ) -> None:
        self.game = game
        self.bots = bots
        self.wanted = tuple(zip(bots, instances or ("",) * len(bots), strict=True))
        """By seat the bot, and the instance that it has to be; empty for any."""
        self.start = start
        self.seated: asyncio.Future[LiveMatch | Absence] = asyncio.get_running_loop().create_future()


class Lobby:
    """Members by bot and instance, waiting matches in order, open tables.

    Attributes:
        tables: who seats those that nobody asked for; None where nobody does.
        admit: has a last word on who says hello: says why not, or nothing.
    """

    def __init__(
        self,
        config: ArenaConfig,
        now: Callable[[], int],
        open_table: "Callable[[int, Sequence[Member]], LiveMatch | None]",
    ) -> None:
        self.members: dict[tuple[str, str], Member] = {}
        self.draining = False
        self.admit: Callable[[Identity, Introduction], Closing | None] = lambda _who, _said: None
        self._config = config
        self._now = now
        self.tables: Tables | None = OpenTables(config, now, open_table) if config.auto_pair else None
        self._look_again: asyncio.TimerHandle | None = None
        self._named: defaultdict[str, list[Member]] = defaultdict(list)
        self._waiting: list[Waiting] = []
        self._absent: dict[tuple[str, str], str] = {}
        self._pairing = False

    # Streams come and go

    def join(self, stream: "Connection", identity: Identity, introduction: Introduction) -> Member | Closing:
        """Gives a stream to its member, a new one or one that it takes over."""
        now = self._now()
        member = self.members.get((identity.bot_id, introduction.instance))
        refusal = self._refusal(member, identity, introduction, now) or self.admit(identity, introduction)
        if refusal:
            return refusal
        if member is None:
            member = self.expect(Member(identity, introduction, now))
        member.introduction = introduction
        member.leaving = False
        member.stream = stream
        self._absent.pop(_absentee(identity.name, identity.instance), None)
        self.changed()
        return member

    def expect(self, member: Member) -> Member:
        """Keeps a place for a member, and returns the one who has it already if there is one."""
        known = self.members.setdefault(member.key, member)
        if known is member:
            for name in {member.identity.name, member.identity.bot_id}:
                self._named[name].append(member)
        return known

    def leave(self, member: Member, stream: "Connection") -> bool:
        """Takes the stream from its member; says whether it was the member's stream."""
        if member.stream is not stream:
            return False
        member.stream = None
        self.forget_idle(member)
        self.changed()
        return True

    def forget_idle(self, member: Member) -> None:
        """Forgets a member without stream and matches; sends away one that has nothing more to do."""
        if member.seats:
            return
        if member.stream is None:
            if self.members.get(member.key) is member:
                del self.members[member.key]
                for name in {member.identity.name, member.identity.bot_id}:
                    self._named[name].remove(member)
                    if not self._named[name]:
                        del self._named[name]
        elif member.leaving:
            member.stream.close(pb.GOODBYE_REASON_LEFT, "your matches have ended")
        elif self.draining:
            member.stream.close(pb.GOODBYE_REASON_DRAINING, "the server stops; come back later")

    def drain(self) -> None:
        """Starts no more matches, and sends away who has none."""
        self.draining = True
        for waiting in self._waiting:
            if not waiting.seated.done():
                waiting.seated.set_result(Absence((), "the server stops"))
        self._waiting.clear()
        for member in tuple(self.members.values()):
            self.forget_idle(member)

    def _refusal(
        self, member: Member | None, identity: Identity, introduction: Introduction, now: int
    ) -> Closing | None:
        busy = member is not None and bool(member.seats)
        if self.draining and not busy:
            return Closing(pb.GOODBYE_REASON_DRAINING, "the server stops; come back later")
        if member is None:
            limit = self._config.limits.streams_per_bot
            if sum(other.identity == identity for other in self._named[identity.bot_id]) >= limit:
                return Closing(pb.GOODBYE_REASON_TOO_MANY_TAKEOVERS, f"a bot has at most {limit} instances")
            return None
        known = member.introduction
        changed = known.games and set(known.games) != set(introduction.games)
        if busy and (changed or known.version != introduction.version):
            note = "version and games may not change while matches run"
            return Closing(pb.GOODBYE_REASON_BAD_HELLO, note, "FAILED_PRECONDITION")
        limits = self._config.limits
        changes, limit = (
            (member.takeovers, limits.takeovers) if member.stream else (member.returns, limits.returns)
        )
        while changes and now - changes[0] >= limits.takeover_window:
            changes.popleft()
        if len(changes) >= limit:
            return Closing(pb.GOODBYE_REASON_TOO_MANY_TAKEOVERS, "this instance changed streams too often")
        changes.append(now)
        return None

    # Matches that were asked for

    async def seat(self, waiting: Waiting, limit: float) -> "LiveMatch | Absence":
        """Waits until all bots of a match are here and free, `limit` seconds for those not here."""
        self._waiting.append(waiting)
        self.changed()
        try:
            while True:
                done, _ = await asyncio.wait({waiting.seated}, timeout=limit)
                if done:
                    return waiting.seated.result()
                missing = self.missing(waiting)
                if missing:
                    return Absence(missing, f"did not join in time: {', '.join(missing)}")
        finally:
            waiting.seated.cancel()
            if waiting in self._waiting:
                self._waiting.remove(waiting)

    def absent(self, name: str, reason: str, instance: str = "") -> None:
        """Takes note that a bot, or an instance, will never come; matches that wait for it wait no longer."""
        self._absent[_absentee(name, instance)] = reason
        self.changed()

    def forget(self, instance: str) -> None:
        """Forgets that an instance was absent: nobody asks for it any more."""
        self._absent.pop(_absentee("", instance), None)

    def remove(self, bot_id: str, why: str) -> None:
        """Ends the waiting of all matches that were asked for with a bot."""
        for waiting in tuple(self._waiting):
            gone = [name for name in waiting.bots if bot_id in {name, self._id_of(name)}]
            if gone and not waiting.seated.done():
                self._resolve(waiting, partial(Absence, tuple(gone), why))

    def _id_of(self, name: str) -> str:
        known = self._named.get(name)
        return known[0].identity.bot_id if known else name

    def missing(self, waiting: Waiting) -> tuple[str, ...]:
        """Returns the bots of a match that are not here, or not with enough instances."""
        return tuple(dict.fromkeys(name for name, _ in self._missing(waiting)))

    def _missing(self, waiting: Waiting) -> list[tuple[str, str]]:
        return [
            wanted
            for wanted, count in Counter(waiting.wanted).items()
            if sum(member.plays(waiting.game) for member in self._fitting(*wanted)) < count
        ]

    def _fitting(self, name: str, instance: str = "") -> list[Member]:
        """Returns who may sit for a bot: one instance of it, or any that was not made for one match."""
        return [
            member
            for member in self._named.get(name, ())
            if (member.introduction.instance == instance if instance else not member.identity.instance)
        ]

    def capacity(self, name: str, game: str) -> int:
        """Returns how many matches a bot takes at once, in all its instances; 0 while it is away."""
        return sum(
            member.introduction.matches_at_once for member in self._fitting(name) if member.plays(game)
        )

    def changed(self) -> None:
        """Looks for matches that can start, once the present callback is done."""
        if not self._pairing:
            self._pairing = True
            asyncio.get_running_loop().call_soon(self._pair)

    def _pair(self) -> None:
        self._pairing = False
        if self.draining:
            return
        for waiting in tuple(self._waiting):
            self._try(waiting)
        if self.tables:
            self._fill_tables(self.tables)

    def _fill_tables(self, tables: Tables) -> None:
        if self._look_again:
            self._look_again.cancel()
        again = tables.fill([member for member in self.members.values() if not member.identity.instance])
        if again is not None:
            wait = (again - self._now()) / SECOND
            self._look_again = asyncio.get_running_loop().call_later(wait, self.changed)

    def _try(self, waiting: Waiting) -> None:
        if waiting.seated.done():
            return
        gone = {name: why for name, instance in self._missing(waiting) if (why := self._why(name, instance))}
        if gone:
            note = "; ".join(f"{name} never joined: {why}" for name, why in gone.items())
            self._resolve(waiting, lambda: Absence(tuple(gone), note))
            return
        misfits = [name for name in self.missing(waiting) if self._misfit(name, waiting.game)]
        if misfits:
            note = "; ".join(self._misfit(name, waiting.game) for name in misfits)
            self._resolve(waiting, lambda: Absence(tuple(misfits), note))
            return
        members: list[Member] = []
        for name, instance in waiting.wanted:
            fitting = self._fitting(name, instance)
            free = (m for m in fitting if m.is_free(waiting.game) and m not in members)
            member = next(free, None)
            if member is None:
                return
            members.append(member)
        self._resolve(waiting, lambda: waiting.start(members))

    def _why(self, name: str, instance: str) -> str:
        """Says why a bot that is not here will never come; nothing where it may."""
        return self._absent.get(_absentee(name, instance), "")

    def _misfit(self, name: str, game: str) -> str:
        """Says what a bot that is here plays, if it is not the game; nothing otherwise."""
        for member in self._named.get(name, ()):
            if member.stream and game not in member.introduction.games:
                return f"{name} plays {', '.join(member.introduction.games)}, not {game}"
        return ""

    def _resolve(self, waiting: Waiting, make: "Callable[[], LiveMatch | Absence]") -> None:
        self._waiting.remove(waiting)
        try:
            waiting.seated.set_result(make())
        except Exception as error:  # noqa: BLE001  it belongs to the one who waits
            waiting.seated.set_exception(error)

    def bench(self, bot_id: str, until: int) -> None:
        """Leaves a bot that was not ready in time out of open tables for a while, however it returns."""
        if self.tables:
            self.tables.bench(bot_id, until)


def _absentee(name: str, instance: str) -> tuple[str, str]:
    """Returns what an absent bot is known by: an instance by itself, by whatever name it is asked for."""
    return ("", instance) if instance else (name, "")

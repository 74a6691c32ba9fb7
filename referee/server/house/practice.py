"""Practice: unrated matches against house bots of one level, for a bot or a person that asks."""

import asyncio
import secrets
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, Self

from referee import games
from referee.errors import OptionError, RefereeError
from referee.match.config import SECOND, Penalties, TimeControl
from referee.server import frames
from referee.server.config import OpenTable
from referee.server.house.config import PeopleRules, PracticeRules
from referee.server.house.house import House, house_id
from referee.server.live import LiveMatch
from referee.server.member import Member
from referee.server.request import MatchRequest
from referee.v1 import play_service_pb2 as pb

if TYPE_CHECKING:
    from referee.server.host import Host
    from referee.server.stream import Connection

HOUR: Final = 3600 * SECOND
CHORES_EVERY: Final = 5.0
"""Seconds between two looks for house bots that nobody needs, and for people who have gone away."""
_SOON: Final = 10 * SECOND
"""When it is worth asking again where others have to end first."""

_dice = secrets.SystemRandom()


class Refusal(NamedTuple):
    """Why there is no practice: a value of `PracticeRefusal`, a text, and when to ask again."""

    reason: int
    note: str
    retry: int = 0


class Offer(NamedTuple):
    """What may be asked for: by bots, or by people.

    Attributes:
        whose: who asks, for texts.
        levels: of house bots; none where nothing is offered.
        per_hour: how many matches one of them may begin in an hour.
        matches: how many run at a time, of all of them.
        tables: what is played, by game.
        away: how long a match waits for somebody whose stream is gone; None for as long as its clock does.
        time_control, penalties: those of the matches; None for the server's own.
    """

    whose: str
    levels: tuple[str, ...] = ()
    per_hour: int = 1
    matches: int = 0
    tables: Mapping[str, OpenTable] = {}
    away: int | None = None
    time_control: TimeControl | None = None
    penalties: Penalties | None = None

    @classmethod
    def to_bots(cls, rules: PracticeRules | None, tables: Sequence[OpenTable]) -> Self:
        """Returns what bots are offered: the games of the server, by its own clock."""
        if rules is None:
            return cls("bot")
        return cls(
            "bot", rules.levels, rules.per_hour, rules.matches, {table.game: table for table in tables}
        )

    @classmethod
    def to_people(cls, rules: PeopleRules | None) -> Self:
        """Returns what people are offered: every game, with time to think."""
        if rules is None:
            return cls("person")
        tables = {name: OpenTable(game=name) for name in games.names()}
        return cls(
            "person",
            rules.levels,
            rules.per_hour,
            rules.matches,
            tables,
            rules.away,
            rules.time_control,
            rules.penalties,
        )


class _Played(NamedTuple):
    """A match that runs: for whom, by which offer, and since when nobody is there; 0 while somebody is."""

    bot: str
    offer: Offer
    away_since: int = 0


class _Wished(NamedTuple):
    """A wish that is under way: by which offer, what for, of which member, and on which stream it came."""

    offer: Offer
    task: asyncio.Task[None]
    wish: pb.Practice
    key: tuple[str, str]
    stream: "Connection | None"

    def is_repeated(self, member: Member, wish: pb.Practice) -> bool:
        """Says whether a wish is the same once more, by one whose stream is another now."""
        return (member.key, wish) == (self.key, self.wish) and member.stream is not self.stream


class Practice:
    """Answers the members who ask; `closed` says why no matches are started, or nothing.

    The bots of the house dial in by themselves; this has them come, and go when nobody needs them.
    """

    def __init__(
        self,
        host: "Host",
        house: House,
        bots: Offer,
        people: Offer,
        closed: Callable[[str], str],
    ) -> None:
        self.house = house
        self._host = host
        self._bots = bots
        self._people = people
        self._closed = closed
        self._asked: dict[str, deque[int]] = {}
        """When each bot asked within the last hour."""
        self._running: dict[str, _Played] = {}
        """Running matches by id."""
        self._seating: dict[str, _Wished] = {}
        """What is under way for bots whose house bots are not there yet, by bot id."""
        self._chores: asyncio.TimerHandle | None = None

    def open(self) -> None:
        """Begins to answer those who ask."""
        self._host.practice = self.ask
        self._host.on_over.append(self._over)
        self._do_chores()

    def close(self) -> None:
        """Calls off what is under way."""
        if self._chores:
            self._chores.cancel()
        for wished in self._seating.values():
            wished.task.cancel()

    @property
    def running(self) -> int:
        """How many matches run, or are about to, those of people among them."""
        return len(self._running) + len(self._seating)

    def ask(self, member: Member, wish: pb.Practice) -> None:
        """Answers a wish, at once where it is refused; one that is repeated on a new stream goes on."""
        bot = member.identity.bot_id
        wished = self._seating.get(bot)
        if wished and wished.is_repeated(member, wish):
            self._seating[bot] = wished._replace(stream=member.stream)
            return
        offer = self._people if wish.by_person else self._bots
        found = self._request(member, wish, offer)
        if isinstance(found, Refusal):
            _refuse(member, wish, found)
            return
        self._asked.setdefault(bot, deque()).append(self._host.runner.now())
        task = asyncio.ensure_future(self._seat(member, wish, found, offer))
        self._seating[bot] = _Wished(offer, task, wish, member.key, member.stream)
        task.add_done_callback(lambda _: self._seating.pop(bot, None))

    def look(self, now: int) -> None:
        """Gives up the seats of people who have gone away, and forgets who has not asked for an hour."""
        for match_id, played in tuple(self._running.items()):
            self._look_at(match_id, played, now)
        for bot in tuple(self._asked):
            self._lately(bot)

    def _do_chores(self) -> None:
        self._chores = asyncio.get_running_loop().call_later(CHORES_EVERY, self._do_chores)
        self.look(self._host.runner.now())
        self.house.rest()

    def _look_at(self, match_id: str, played: _Played, now: int) -> None:
        """Ends the seat of somebody who was away for too long."""
        limit, live = played.offer.away, self._host.matches.get(match_id)
        if limit is None or live is None:
            return
        seat = next(seat for seat, member in enumerate(live.members) if member.identity.bot_id == played.bot)
        if live.members[seat].stream:
            self._running[match_id] = played._replace(away_since=0)
        elif not played.away_since:
            self._running[match_id] = played._replace(away_since=now)
        elif now - played.away_since >= limit:
            live.gone(seat, now)

    def _over(self, live: LiveMatch) -> None:
        """Takes note of the end of a match."""
        self._running.pop(live.match.setup.match_id, None)

    def _request(self, member: Member, wish: pb.Practice, offer: Offer) -> MatchRequest | Refusal:
        bot, table = member.identity.bot_id, offer.tables.get(wish.game)
        if not offer.levels:
            return Refusal(pb.PRACTICE_REFUSAL_NOT_OFFERED, _none_for(offer))
        if closed := self._closed(bot):
            return Refusal(pb.PRACTICE_REFUSAL_CLOSED, closed)
        if table is None or not member.practises(wish.game):
            note = f"name a game of Hello.games that is played here: {', '.join(offer.tables)}"
            return Refusal(pb.PRACTICE_REFUSAL_UNKNOWN_GAME, note)
        if wish.level not in offer.levels:
            note = f"name one of the levels {', '.join(offer.levels)}"
            return Refusal(pb.PRACTICE_REFUSAL_UNKNOWN_LEVEL, note)
        if refusal := self._too_much(member, offer):
            return refusal
        request = MatchRequest(
            game=wish.game,
            options={**table.options, **{option.option: option.value for option in wish.options}},
            bots=_seats(bot, house_id(wish.level), table.size()),
            time_control=offer.time_control,
            penalties=offer.penalties,
            rated=False,
        )
        try:
            request.check()
        except OptionError as error:
            return Refusal(pb.PRACTICE_REFUSAL_BAD_OPTION, str(error))
        return request

    def _too_much(self, member: Member, offer: Offer) -> Refusal | None:
        bot = member.identity.bot_id
        plays = any(played.bot == bot for played in self._running.values())
        if not member.has_place or bot in self._seating or plays:
            note = "one match of practice at a time, and a free place for it"
            return Refusal(pb.PRACTICE_REFUSAL_NO_PLACE, note, _SOON)
        lately = self._lately(bot)
        if len(lately) >= offer.per_hour:
            retry = lately[0] + HOUR - self._host.runner.now()
            note = f"a {offer.whose} has at most {offer.per_hour} matches of practice in an hour"
            return Refusal(pb.PRACTICE_REFUSAL_TOO_OFTEN, note, max(retry, SECOND))
        taken = [played.offer for played in self._running.values()]
        taken += [wished.offer for wished in self._seating.values()]
        if sum(one is offer for one in taken) >= offer.matches:
            return Refusal(pb.PRACTICE_REFUSAL_BUSY, "all house bots are busy", _SOON)
        return None

    def _lately(self, bot: str) -> deque[int]:
        asked = self._asked.get(bot, deque())
        while asked and asked[0] <= self._host.runner.now() - HOUR:
            asked.popleft()
        if not asked:
            self._asked.pop(bot, None)
        return asked

    async def _seat(self, member: Member, wish: pb.Practice, request: MatchRequest, offer: Offer) -> None:
        """Waits for the house bots and starts the match."""
        needed = len(request.bots) - 1
        others = await self.house.several(wish.level, wish.game, needed)
        # One whose line broke meanwhile may be back, as another member.
        member = self._host.lobby.members.get(member.key, member)
        if len(others) < needed:
            note = self.house.shortage(wish.level, needed)
            _refuse(member, wish, Refusal(pb.PRACTICE_REFUSAL_BUSY, note, _SOON))
            return
        bot = member.identity.bot_id
        if not (member.practises(wish.game) and member.has_place) or self._closed(bot):
            _refuse(member, wish, Refusal(pb.PRACTICE_REFUSAL_NO_PLACE, "no place is free any more", _SOON))
            return
        seated = [member if name == bot else others.pop() for name in request.bots]
        try:
            live = self._host.open(request, seated)
        except RefereeError:
            note = "the server starts no matches now"
            _refuse(member, wish, Refusal(pb.PRACTICE_REFUSAL_CLOSED, note))
        else:
            self._running[live.match.setup.match_id] = _Played(bot, offer)


def _none_for(offer: Offer) -> str:
    if offer.whose == "person":
        return "this server seats no people"
    return "this server has no house bots to practise against"


def _seats(bot: str, house: str, size: int) -> tuple[str, ...]:
    """Returns who sits where: the bot in any seat, each as likely as the others."""
    own = _dice.randrange(size)
    return tuple(bot if seat == own else house for seat in range(size))


def _refuse(member: Member, wish: pb.Practice, refusal: Refusal) -> None:
    if member.stream:
        member.stream.send(frames.practice_refused(wish.game, *refusal))

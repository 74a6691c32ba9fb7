"""Practice: unrated matches against house bots of one level, for a bot that asks."""

import asyncio
import secrets
from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from referee.errors import OptionError, RefereeError
from referee.match.config import SECOND
from referee.server import frames
from referee.server.config import OpenTable
from referee.server.ladder.config import PracticeRules
from referee.server.ladder.house import House, house_id
from referee.server.live import LiveMatch
from referee.server.member import Member
from referee.server.request import MatchRequest
from referee.v1 import play_service_pb2 as pb

if TYPE_CHECKING:
    from referee.server.host import Host

HOUR: Final = 3600 * SECOND
_SOON: Final = 10 * SECOND
"""When it is worth asking again where others have to end first."""

_dice = secrets.SystemRandom()


class Refusal(NamedTuple):
    """Why there is no practice: a value of `PracticeRefusal`, a text, and when to ask again."""

    reason: int
    note: str
    retry: int = 0


class Practice:
    """Answers the members who ask; `closed` says why no matches are started, or nothing."""

    def __init__(
        self,
        host: "Host",
        house: House,
        rules: PracticeRules,
        tables: tuple[OpenTable, ...],
        closed: Callable[[str], str],
    ) -> None:
        self._host = host
        self._house = house
        self._rules = rules
        self._tables: Mapping[str, OpenTable] = {table.game: table for table in tables}
        self._closed = closed
        self._asked: dict[str, deque[int]] = {}
        """When each bot asked within the last hour."""
        self._running: dict[str, str] = {}
        """The bots of running matches, by match id."""
        self._seating: dict[str, asyncio.Task[None]] = {}
        """What is under way for bots whose house bots are not there yet, by bot id."""

    @property
    def running(self) -> int:
        """How many matches run, or are about to."""
        return len(self._running) + len(self._seating)

    def ask(self, member: Member, wish: pb.Practice) -> None:
        """Answers a wish, at once where it is refused."""
        found = self._request(member, wish)
        if isinstance(found, Refusal):
            _refuse(member, wish, found)
            return
        bot = member.identity.bot_id
        self._asked.setdefault(bot, deque()).append(self._host.runner.now())
        task = self._seating[bot] = asyncio.ensure_future(self._seat(member, wish, found))
        task.add_done_callback(lambda _: self._seating.pop(bot, None))

    def over(self, live: LiveMatch) -> bool:
        """Takes note of the end of a match, and says whether it was practice."""
        return self._running.pop(live.match.setup.match_id, None) is not None

    def forget_old(self) -> None:
        """Forgets who has not asked for an hour."""
        for bot in tuple(self._asked):
            self._lately(bot)

    def close(self) -> None:
        """Calls off what is under way."""
        for task in self._seating.values():
            task.cancel()

    def _request(self, member: Member, wish: pb.Practice) -> MatchRequest | Refusal:
        bot, table = member.identity.bot_id, self._tables.get(wish.game)
        if not self._rules.levels:
            return Refusal(
                pb.PRACTICE_REFUSAL_NOT_OFFERED, "this server has no house bots to practise against"
            )
        if closed := self._closed(bot):
            return Refusal(pb.PRACTICE_REFUSAL_CLOSED, closed)
        if table is None or not member.practises(wish.game):
            note = f"name a game of Hello.games that is played here: {', '.join(self._tables)}"
            return Refusal(pb.PRACTICE_REFUSAL_UNKNOWN_GAME, note)
        if wish.level not in self._rules.levels:
            note = f"name one of the levels {', '.join(self._rules.levels)}"
            return Refusal(pb.PRACTICE_REFUSAL_UNKNOWN_LEVEL, note)
        if refusal := self._too_much(member):
            return refusal
        request = MatchRequest(
            game=wish.game,
            options={**table.options, **{option.option: option.value for option in wish.options}},
            bots=_seats(bot, house_id(wish.level), table.size()),
            rated=False,
        )
        try:
            request.check()
        except OptionError as error:
            return Refusal(pb.PRACTICE_REFUSAL_BAD_OPTION, str(error))
        return request

    def _too_much(self, member: Member) -> Refusal | None:
        bot = member.identity.bot_id
        if not member.has_place or bot in self._seating or bot in self._running.values():
            note = "one match of practice at a time, and a free place for it"
            return Refusal(pb.PRACTICE_REFUSAL_NO_PLACE, note, _SOON)
        lately = self._lately(bot)
        if len(lately) >= self._rules.per_hour:
            retry = lately[0] + HOUR - self._host.runner.now()
            note = f"a bot has at most {self._rules.per_hour} matches of practice in an hour"
            return Refusal(pb.PRACTICE_REFUSAL_TOO_OFTEN, note, max(retry, SECOND))
        if self.running >= self._rules.matches:
            return Refusal(pb.PRACTICE_REFUSAL_BUSY, "all house bots are busy", _SOON)
        return None

    def _lately(self, bot: str) -> deque[int]:
        asked = self._asked.get(bot, deque())
        while asked and asked[0] <= self._host.runner.now() - HOUR:
            asked.popleft()
        if not asked:
            self._asked.pop(bot, None)
        return asked

    async def _seat(self, member: Member, wish: pb.Practice, request: MatchRequest) -> None:
        """Waits for the house bots and starts the match."""
        others = await self._house.several(wish.level, wish.game, len(request.bots) - 1)
        if len(others) < len(request.bots) - 1:
            _refuse(member, wish, Refusal(pb.PRACTICE_REFUSAL_BUSY, "all house bots are busy", _SOON))
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
            self._running[live.match.setup.match_id] = bot


def _seats(bot: str, house: str, size: int) -> tuple[str, ...]:
    """Returns who sits where: the bot in any seat, each as likely as the others."""
    own = _dice.randrange(size)
    return tuple(bot if seat == own else house for seat in range(size))


def _refuse(member: Member, wish: pb.Practice, refusal: Refusal) -> None:
    if member.stream:
        member.stream.send(frames.practice_refused(wish.game, *refusal))

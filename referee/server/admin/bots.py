"""Bots as the operator sees them: the register, and how they stand in the ladder."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import grpc

from referee.errors import UsageError
from referee.server.admin.calls import RefusedCallError
from referee.server.reads.describe import timestamp
from referee.store.bots import HOUSE_BOTS, Bot, bot_id
from referee.tournament import names
from referee.v1 import admin_service_pb2 as pb

if TYPE_CHECKING:
    from referee.server.host import Host
    from referee.server.index import Index
    from referee.server.ladder.ladder import Ladder

_PAGE: Final = 100
_LARGEST_PAGE: Final = 1000


class Register:
    """The registered bots of a server."""

    def __init__(self, host: "Host", index: "Index", ladder: "Ladder | None") -> None:
        self._host = host
        self._index = index
        self._ladder = ladder

    async def add(self, request: pb.AddBotRequest) -> pb.AddBotResponse:
        """Registers a bot."""
        identity = bot_id(request.display_name)
        if identity in HOUSE_BOTS:
            raise UsageError(f"{identity!r} is the name of a house bot; take another")
        names.check_new(request.display_name)
        if request.owner:
            names.owner(request.owner)
        try:
            token = await self._index.ask(lambda store: store.add_bot(request.display_name, request.owner))
        except UsageError as error:
            raise RefusedCallError(grpc.StatusCode.ALREADY_EXISTS, str(error)) from None
        return pb.AddBotResponse(bot=self.told(await self.find(identity)), token=token)

    async def revoke(self, request: pb.RevokeBotRequest) -> pb.RevokeBotResponse:
        """Makes the token of a bot worthless and ends its streams."""
        bot = await self.find(request.bot_id)
        revoked = await self._index.ask(lambda store: store.revoke_bot(bot.name))
        await self._host.send_revoked_away()
        return pb.RevokeBotResponse(bot=self.told(revoked))

    async def list_page(self, request: pb.ListBotsRequest) -> pb.ListBotsResponse:
        """Lists the bots by name, a page at a time."""
        size = min(request.page_size or _PAGE, _LARGEST_PAGE)
        if size < 0:
            raise UsageError("page_size: 1..1000")
        bots = await self._index.ask(lambda store: store.list_bots())
        chosen = sorted(self._chosen(request, bots), key=lambda bot: bot.bot_id)
        page, rest = chosen[:size], chosen[size:]
        return pb.ListBotsResponse(
            bots=map(self.told, page), next_page_token=page[-1].bot_id if rest and page else ""
        )

    def _chosen(self, request: pb.ListBotsRequest, bots: list[Bot]) -> Iterator[Bot]:
        after = request.page_token
        if after and after not in {bot.bot_id for bot in bots}:
            raise UsageError("page_token: no token of this list")
        for bot in bots:
            wanted = not request.owner or bot.owner == request.owner
            if wanted and bot.bot_id > after and (request.include_revoked or bot.revoked is None):
                yield bot

    async def find(self, identity: str) -> Bot:
        """Returns a registered bot by its id."""
        if not identity:
            raise UsageError("bot_id: names no bot")
        for bot in await self._index.ask(lambda store: store.list_bots()):
            if bot.bot_id == identity:
                return bot
        raise RefusedCallError(grpc.StatusCode.NOT_FOUND, f"no bot has the id {identity!r}")

    def told(self, bot: Bot) -> pb.Bot:
        """Returns a bot as the operator is told of it."""
        members = [member for key, member in self._host.lobby.members.items() if key[0] == bot.bot_id]
        message = pb.Bot(
            bot_id=bot.bot_id,
            display_name=bot.name,
            owner=bot.owner,
            state=self._state(bot),
            create_time=timestamp(bot.created),
            stream_count=sum(member.stream is not None for member in members),
            running_match_count=len(Counter(match for member in members for match in member.seats)),
        )
        if bot.revoked is not None:
            message.revoke_time.CopyFrom(timestamp(bot.revoked))
        return message

    def _state(self, bot: Bot) -> pb.BotState.ValueType:
        if bot.revoked is not None:
            return pb.BOT_STATE_REVOKED
        if self._ladder is None:
            return pb.BOT_STATE_ACTIVE
        rulings = self._ladder.rulings
        if bot.bot_id in rulings.disqualified:
            return pb.BOT_STATE_DISQUALIFIED
        if bot.bot_id in rulings.withdrawn:
            return pb.BOT_STATE_REMOVED
        return pb.BOT_STATE_PAUSED if bot.bot_id in rulings.paused else pb.BOT_STATE_ACTIVE

"""Matches that the operator makes and takes away."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import grpc

from referee import games
from referee.errors import RefereeError, UsageError
from referee.match.config import Penalties, TimeControl
from referee.server.admin.calls import RefusedCallError
from referee.server.admin.told import match_here
from referee.server.member import Member
from referee.server.reads import describe
from referee.server.request import MatchRequest
from referee.store.bots import HOUSE_BOTS
from referee.store.decided import check_counts
from referee.tournament.decision import Voided
from referee.v1 import admin_service_pb2 as pb
from referee.v1 import match_pb2

if TYPE_CHECKING:
    from referee.server.host import Host
    from referee.server.index import Index
    from referee.server.ladder.ladder import Ladder

_LONGEST_NOTE: Final = 200


class Matches:
    """The matches of one server."""

    def __init__(self, host: "Host", index: "Index", ladder: "Ladder | None") -> None:
        self._host = host
        self._index = index
        self._ladder = ladder

    async def create(self, request: pb.CreateMatchRequest) -> pb.CreateMatchResponse:
        """Makes a match of connected bots and house bots, and starts it."""
        request.game = request.game or self._only_game()
        asked = self._asked(request)
        self._check_open()
        if asked.tournament and self._ladder and (away := self._ladder.away(asked.bots)):
            raise _not_now(away)
        members = await self._members(request)
        if asked.rated:
            _check_owners(members)
        self._check_open()
        try:
            if asked.tournament and self._ladder:
                live = self._ladder.open_asked(asked, members)
            else:
                live = self._host.open(asked, members)
        except RefereeError as error:
            raise _not_now(str(error)) from None
        setup = live.match.setup
        return pb.CreateMatchResponse(match=match_here(live), commitment=bytes.fromhex(setup.commitment))

    def _check_open(self) -> None:
        """Raises `RefusedCallError` where no match is to begin, whoever asks for it."""
        if self._host.lobby.draining:
            raise RefusedCallError(grpc.StatusCode.UNAVAILABLE, "the server drains")
        if self._ladder and not self._ladder.begun:  # its house bots may have nowhere to dial in yet
            raise RefusedCallError(grpc.StatusCode.UNAVAILABLE, "the ladder is being started; try again")
        if self._ladder and (why := self._ladder.frozen):
            raise _not_now(f"the ladder is frozen: {why}; `referee ladder unfreeze` lets matches begin again")

    def _asked(self, request: pb.CreateMatchRequest) -> MatchRequest:
        config = self._host.config
        ladder = self._ladder.config.name if self._ladder else ""
        if request.tournament not in {"", ladder}:
            raise UsageError(f"tournament {request.tournament!r} is not the ladder of this server")
        if request.rated and request.HasField("seed"):
            raise _not_now("a match with a seed is never rated")
        asked = MatchRequest(
            game=games.find(request.game).info.name,
            options={option.option: option.value for option in request.options},
            bots=tuple(map(_bot, request.entrants)),
            seed=request.seed if request.HasField("seed") else None,
            time_control=_time_control(request.time_control, config.time_control),
            penalties=_penalties(request.penalties, config.penalties)
            if request.HasField("penalties")
            else None,
            tournament=request.tournament,
            anonymous=bool(request.tournament) and self._ladder is not None and self._ladder.config.anonymous,
            rated=request.rated,
        )
        asked.check()
        return asked

    def _only_game(self) -> str:
        """Returns the game of a ladder of one game; raises `UsageError` where there is a choice."""
        played = self._ladder.config.tables if self._ladder else self._host.config.tables
        games_here = sorted({table.game for table in played}) or list(games.names())
        if len(games_here) > 1:
            raise UsageError(f"name the game: {', '.join(games_here)}")
        return games_here[0]

    async def _members(self, request: pb.CreateMatchRequest) -> list[Member]:
        """Returns who sits down, by seat; house bots are awaited first, since the others may go meanwhile."""
        levels = [entrant.house_bot for entrant in request.entrants if entrant.house_bot]
        house = {level: await self._house(level, request.game, levels.count(level)) for level in set(levels)}
        members: list[Member] = []
        for entrant in request.entrants:
            if entrant.house_bot:
                members.append(house[entrant.house_bot].pop())
            else:
                members.append(await self._member(entrant, request.game, members))
        for member in members:
            if not member.is_free(request.game):  # gone or seated while another level was awaited
                why = _why_not([member], request.game)
                raise _not_now(f"bot {member.identity.bot_id} {why}; try again")
        return members

    async def _house(self, level: str, game: str, count: int) -> list[Member]:
        if level not in HOUSE_BOTS:
            raise UsageError(f"{level!r} is no house bot: {', '.join(HOUSE_BOTS)}")
        house = self._ladder.house if self._ladder else None
        if house is None or level not in house.levels:
            raise _not_now(f"this server launches no house bot {level}")
        found = await house.several(level, game, count)
        if len(found) < count:
            raise _not_now(f"house bot {level} has no {count} free places; try again")
        return found

    async def _member(self, entrant: pb.Entrant, game: str, taken: list[Member]) -> Member:
        bot, instance = entrant.bot_id, entrant.instance_id
        known = {key[1]: one for key, one in self._host.lobby.members.items() if key[0] == bot}
        named = [member for name, member in known.items() if instance in {"", name}]
        free = [member for member in named if member.is_free(game) and member not in taken]
        if free:
            return max(free, key=lambda member: member.introduction.matches_at_once - len(member.seats))
        if not known and bot not in {one.bot_id for one in await self._index.ask(lambda s: s.list_bots())}:
            raise RefusedCallError(grpc.StatusCode.NOT_FOUND, f"no bot has the id {bot!r}")
        raise _not_now(f"bot {bot}{instance and f' ({instance})'} {_why_not(named, game)}")

    async def void(self, request: pb.VoidMatchRequest) -> pb.VoidMatchResponse:
        """Ends a running match as void, or takes a finished one of the ladder out of the standings."""
        match_id, note = request.match_id, note_of(request.note)
        if not match_id:
            raise UsageError("match_id: names no match")
        live = self._host.matches.get(match_id)
        if live is not None and not (self._ladder and match_id in self._ladder.running):
            live.void(note, self._host.runner.now())
            return pb.VoidMatchResponse(match=match_here(live))
        result = None if live else await self._index.ask(lambda store: store.result(match_id))
        ours = live is not None or (result is not None and self._is_ours(result.tournament))
        if not ours or self._ladder is None:
            raise RefusedCallError(
                grpc.StatusCode.NOT_FOUND, f"no match {match_id} is running, or was played on the ladder"
            )
        if result is not None and match_id not in self._ladder.rulings.voided:
            check_counts(result)
        await self._ladder.rule(Voided(at=self._host.wall(), match_id=match_id, why=note))
        if live is not None:
            return pb.VoidMatchResponse(match=match_here(live))
        assert result is not None  # noqa: S101  it is one or the other
        return pb.VoidMatchResponse(match=describe.finished(result))

    def _is_ours(self, tournament: str) -> bool:
        return self._ladder is not None and tournament == self._ladder.config.name


def _check_owners(members: Sequence[Member]) -> None:
    """Refuses seats for two bots of one owner; raises `RefusedCallError` that names them."""
    seated: dict[str, str] = {}
    for member in members:
        who = member.identity
        if who.owner in seated:
            two = f"{seated[who.owner]} and {who.bot_id}"
            raise _not_now(f"{two} are both of {who.owner!r}: one owner has one seat in a rated match")
        seated[who.owner] = who.bot_id


def _why_not(named: Sequence[Member], game: str) -> str:
    """Says why no process of a bot, or no further one, can sit down."""
    here = [member for member in named if member.stream is not None]
    if not here:
        return "is not connected"
    playing = [member for member in here if game in member.introduction.games]
    if not playing:
        games = sorted({game for member in here for game in member.introduction.games})
        return f"plays {', '.join(games)}, not {game}"
    staying = [member for member in playing if not member.leaving]
    if not staying:
        return "is leaving and takes no more matches"
    willing = [member for member in staying if member.plays(game)]
    if not willing:
        return "only practises now"
    if any(member.has_place for member in willing):
        return f"is named more often than it has processes here, which are {len(willing)}"
    most = sum(member.introduction.matches_at_once for member in willing)
    return f"is busy: it plays {sum(len(member.seats) for member in willing)} of {most} matches at a time"


def note_of(text: str, *, needed: bool = True) -> str:
    """Returns a note as it may stand in a record: one line; raises `UsageError`."""
    note = text.strip()
    if needed and not note:
        raise UsageError("note: say why, in one line")
    if len(note) > _LONGEST_NOTE or not note.isprintable():
        raise UsageError(f"note: up to {_LONGEST_NOTE} printable characters")
    return note


def _bot(entrant: pb.Entrant) -> str:
    named = entrant.WhichOneof("entrant")
    if named is None or not getattr(entrant, named):
        raise UsageError("entrants: name a bot or a house bot for every seat")
    return f"{entrant.house_bot}/{entrant.house_bot}" if named == "house_bot" else entrant.bot_id


def _time_control(asked: match_pb2.TimeControl, own: TimeControl) -> TimeControl:
    def part(name: str) -> int:
        field = f"{name}_duration"
        given: int = getattr(asked, field).ToMicroseconds()
        return given if field in set_fields else int(getattr(own, name))

    set_fields = {field.name for field, _ in asked.ListFields()}
    return TimeControl(**{name: part(name) for name in ("base", "bank", "increment", "join", "start")})


def _penalties(asked: match_pb2.Penalties, own: Penalties) -> Penalties:
    return Penalties(
        retries=asked.max_retries,
        strikes=asked.max_strikes or own.strikes,
        strays=asked.stray_acts_per_strike or own.strays,
        max_plies=own.max_plies,
    )


def _not_now(text: str) -> RefusedCallError:
    return RefusedCallError(grpc.StatusCode.FAILED_PRECONDITION, text)

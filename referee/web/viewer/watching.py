"""A match that is played as a spectator hears it, gathered into what a page shows next."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from referee.bot.action_text import happened, text
from referee.bot.wording import only
from referee.v1 import arena_service_pb2 as pb
from referee.v1 import ding_niu_pb2, event_pb2, game_pb2, guan_pai_pb2, match_pb2, play_service_pb2
from referee.web.draw import Table, describe, pictures
from referee.web.filters import signed
from referee.web.viewer.film import distinct
from referee.web.viewer.scene import Scene, placed

_LINES: Final = 40
"""How many things that happened are told at once, the last ones."""


class Deal(NamedTuple):
    """A deal that has ended: what it added to the totals, and the totals."""

    number: int
    scores: tuple[int, ...]
    totals: tuple[int, ...]

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Score and total of each seat."""
        return list(zip(self.scores, self.totals, strict=False))


class News(NamedTuple):
    """What a spectator is shown next.

    Attributes:
        event_id: the last event that it tells.
        told: what has happened since the news before.
        scene: the table; None before the first deal.
        names: of the seats, as they may be shown.
        deals: the deals that ended while somebody watched.
        state: in a word: `starting`, `running`, `ended`.
        delay: plies by which the news are late.
        over: whether there is no more.
        ended: the end of the match, if it is over.
    """

    event_id: int
    told: list[str]
    scene: Scene | None
    names: tuple[str, ...]
    deals: tuple[Deal, ...]
    state: str
    delay: int
    over: bool
    ended: pb.WatchEnded | None


class Watching:
    """Hears a match, message after message.

    Attributes:
        over: whether the match has ended.
    """

    def __init__(self) -> None:
        self.over = False
        self._match = match_pb2.Match()
        self._names: tuple[str, ...] = ()
        self._delay = 0
        self._event_id = 0
        self._ply = 0
        self._table: game_pb2.Observation | None = None
        self._hands: dict[int, game_pb2.Observation] = {}
        self._last: game_pb2.Action | None = None
        self._last_seat = -1
        self._forfeited: tuple[int, ...] = ()
        self._deals: tuple[Deal, ...] = ()
        self._told: list[str] = []
        self._ended: pb.WatchEnded | None = None

    def hear(self, data: bytes) -> None:
        """Takes a `WatchMatchResponse`."""
        for frame in pb.WatchMatchResponse.FromString(data).frames:
            match frame.WhichOneof("frame"):
                case "started":
                    self._started(frame.started)
                case "event":
                    self._happened(frame.event)
                case "observation":
                    self._table, self._hands = frame.observation, {}
                case "deal_ended":
                    self._deal_over(frame.deal_ended)
                case "ended":
                    self._end(frame.ended)

    def news(self) -> News:
        """Returns what to show now; what has happened is told once."""
        told, self._told = self._told[-_LINES:], []
        running = self._table is not None
        return News(
            event_id=self._event_id,
            told=told,
            scene=self._scene(told),
            names=self._names,
            deals=self._deals,
            state="ended" if self.over else "running" if running else "starting",
            delay=self._delay,
            over=self.over,
            ended=self._ended,
        )

    def _started(self, started: pb.WatchStarted) -> None:
        self._match, self._delay = started.match, started.delay_plies
        self._names = distinct(seat.display_name for seat in started.match.seats)
        self._event_id = started.event_id
        if started.HasField("observation"):
            self._table = started.observation

    def _happened(self, event: event_pb2.Event) -> None:
        self._event_id, self._ply = event.event_id, max(event.ply, self._ply)
        who = self._names[event.seat] if 0 <= event.seat < len(self._names) else ""
        if event.WhichOneof("detail") == "forfeited":
            self._forfeited += (event.seat,)
            self._told.append(f"{who} forfeits.")
            return
        action = played(event.game)
        what = happened(event.game) if action is None else text(action)
        self._told.append(f"{who}: {what}" if who else what)
        if action is not None or begins(event.game):
            self._last, self._last_seat = action, event.seat if action else -1

    def _deal_over(self, ended: play_service_pb2.DealEnded) -> None:
        self._deals += (Deal(ended.deal, tuple(ended.scores), tuple(ended.totals)),)
        scores = zip(self._names, ended.scores, strict=False)
        told = ", ".join(f"{name} {signed(score)}" for name, score in scores)
        self._told.append(f"Deal {ended.deal} is over: {told}.")
        self._hands = hands_of(ended.detail)

    def _end(self, ended: pb.WatchEnded) -> None:
        self.over, self._ended = True, ended
        if ended.placements:
            self._names = distinct(place.display_name for place in ended.placements)
        self._told.append("The match is over." if ended.placements else "The match ended without a result.")

    def _scene(self, told: Sequence[str]) -> Scene | None:
        if self._table is None:
            return None
        table = Table(
            game=self._match.game,
            public=self._table,
            hands=self._hands,
            names=self._names,
            last=self._last,
            last_seat=self._last_seat,
            forfeited=self._forfeited,
        )
        public = only(self._table).public
        return Scene(
            told=tuple(told[-1:]),
            picture=pictures(table),
            facts=describe(table),
            lines=placed(self._names, public.totals),
            when="",
            deal=public.deal,
            ply=self._ply,
        )


def played(event: game_pb2.GameEvent) -> game_pb2.Action | None:
    """Returns the action that an event tells of, where it tells all of it."""
    game = event.WhichOneof("game")
    detail = only(only(event))
    if game is not None and detail.DESCRIPTOR.name.endswith("Action"):
        return game_pb2.Action(**{game: detail})
    if detail.DESCRIPTOR.name == "GuanPaiPassed":
        passed = guan_pai_pb2.GuanPaiAction(kind=guan_pai_pb2.GUAN_PAI_ACTION_KIND_PASS)
        return game_pb2.Action(guan_pai=passed)
    if detail.DESCRIPTOR.name == "DingNiuPlayed":
        kind = ding_niu_pb2.DING_NIU_ACTION_KIND_PLAY
        laid = ding_niu_pb2.DingNiuAction(kind=kind, tile=detail.tile, end=detail.end)
        return game_pb2.Action(ding_niu=laid)
    return None


def hands_of(end: game_pb2.DealEnd) -> dict[int, game_pb2.Observation]:
    """Returns what each seat had when a deal ended, which everybody sees then."""
    game = end.WhichOneof("game")
    found: dict[int, game_pb2.Observation] = {}
    for seat, hand in enumerate(only(end).hands if game else ()):
        found[seat] = game_pb2.Observation()
        getattr(found[seat], str(game)).private.CopyFrom(hand)
    return found


def begins(event: game_pb2.GameEvent) -> bool:
    """Says whether an event begins a deal."""
    name: str = only(only(event)).DESCRIPTOR.name
    return name.endswith(("Dealt", "Engine"))

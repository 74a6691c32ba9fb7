"""What the page of a seat shows, made from what the seat knows and from nothing else."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from referee.games import find
from referee.person import table, words
from referee.person.outcome import Outcome, outcome
from referee.person.seat import Phase, Seat, Wish
from referee.v1 import ding_niu_pb2, event_pb2, game_pb2
from referee.v1 import play_service_pb2 as play
from referee.web import links
from referee.web.draw import Table, describe, opening_index, pictures, piece_of
from referee.web.sources import Room

LAST: Final = 999_999_999
"""Names the last position of a replay, however many it has."""
AT_ONCE: Final = 24
"""How many actions are listed before the others are folded away."""


class Choice(NamedTuple):
    """A legal action: its index in the list and its text, and what of the picture it is about, for clicks."""

    number: int
    text: str
    pieces: str
    end: int
    train: str


class Deal(NamedTuple):
    """The score table of a deal: rows of name, score and total, and what was left in the hands."""

    deal: int
    rows: list[tuple[str, int, int]]
    hands: list[str]


class Place(NamedTuple):
    """A line of the result: the place, who has it, and the score."""

    rank: int
    name: str
    score: int
    forfeited: bool


class Still(NamedTuple):
    """A room as it is at one moment; threads may read it while the room goes on."""

    seat: Seat
    left: float
    form: str
    over: bool


def still(room: Room) -> Still:
    """Returns a room as it is now."""
    return Still(room.seat.still(), room.left, room.form, room.over)


def part(room: Still, stops_in: float | None = None) -> dict[str, Any]:
    """Returns what the changing part of the page shows; `stops_in` are the seconds that the server has."""
    seat = room.seat
    to_act = seat.phase is Phase.TO_ACT
    choices = choices_of(seat) if to_act else []
    seen = table_of(seat) if seat.phase in {Phase.TO_ACT, Phase.WAITING, Phase.ENDED} else None
    return {
        "phase": seat.phase.value,
        "seat": seat,
        "turn_id": seat.turn.turn_id if seat.turn else 0,
        "left": int(room.left) if to_act else 0,
        "picture": pictures(seen) if seen else None,
        "facts": describe(seen) if seen else (),
        "cards": seat.wish.game == "guan_pai",
        "choices": choices[:AT_ONCE],
        "more": choices[AT_ONCE:],
        "refused": seat.rejected.reason if seat.rejected else "",
        "told": words.happened(seat),
        "fresh": [deal_of(seat, one) for one in seat.told if isinstance(one, play.DealEnded)],
        "deals": [deal_of(seat, one) for one in seat.deals],
        "end": outcome(seat) if seat.phase is Phase.ENDED else None,
        "places": places_of(seat),
        "form": room.form,
        "last_position": LAST,
        "match": seat.started.match_id if seat.started else "",
        "stops": None if stops_in is None or room.over else int(stops_in),
    }


def in_force(wish: Wish) -> dict[str, str]:
    """Returns the options that a match is played by, all of them."""
    return {name: str(value) for name, value in find(wish.game).info.resolve(wish.options).items()}


def rules_of(wish: Wish) -> str:
    """Returns the address of the rules of a match, with its options."""
    return links.rules_by(wish.game, in_force(wish))


def announcement(seat: Seat, stops: int | None = None) -> str:
    """Returns what a screen reader is told when something has changed."""
    said = words.happened(seat)
    if stops is not None:
        said.insert(0, f"The server stops in {stops} seconds.")
    if seat.phase is Phase.TO_ACT:
        said.append(f"Refused: {seat.rejected.reason}" if seat.rejected else "Your turn.")
    if seat.phase is Phase.ENDED:
        said.append(ending(outcome(seat), seat))
    return " ".join(said)


def ending(found: Outcome, seat: Seat) -> str:
    """Returns in a sentence what a match came to."""
    if not found.place:
        return f"The match does not count: {found.note}."
    if found.points:
        return f"You have won: {found.points} ranking points against {seat.wish.level} house bots."
    if found.forfeited:
        return f"You have forfeited, and have place {found.place}."
    return f"You {'share' if found.shared else 'have'} place {found.place}; ranking points are for a win."


def choices_of(seat: Seat) -> list[Choice]:
    """Returns the legal actions of the open turn."""
    actions = seat.turn.legal_actions if seat.turn else ()
    texts = table.choices(seat)
    return [
        Choice(number, text, " ".join(map(str, piece_of(action))), _end(action), _train(action))
        for number, (action, text) in enumerate(zip(actions, texts, strict=True))
    ]


def table_of(seat: Seat) -> Table | None:
    """Returns the table as the seat last saw it; None before its first turn."""
    started, observation = seat.started, seat.observation
    if started is None or observation is None:
        return None
    game = observation.WhichOneof("game") or ""
    public, private = _copy(observation), _copy(observation)
    getattr(public, game).ClearField("private")
    getattr(private, game).ClearField("public")
    plays = [(event.seat, action) for event in seat.events if (action := played(event))]
    latest = plays[-1] if plays else (-1, None)
    if seat.phase is Phase.ENDED:  # nobody is asked any more, and what was played last does not lie there yet
        getattr(public, game).public.to_act_seat = -1
        latest = (-1, None)
    return Table(
        game=game,
        public=public,
        hands={started.seat: private},
        names=words.titles(seat),
        south=started.seat,
        last=latest[1],
        last_seat=latest[0],
        choices=tuple(seat.turn.legal_actions) if seat.turn and seat.phase is Phase.TO_ACT else (),
        forfeited=tuple(event.seat for event in seat.events if event.HasField("forfeited")),
        opening=opening_index([action for _, action in plays]) if game == "block_dominoes" else None,
    )


def played(event: event_pb2.Event) -> game_pb2.Action | None:
    """Returns the action of an event that lays a tile or plays cards; None for others."""
    game = event.game.WhichOneof("game") if event.WhichOneof("detail") == "game" else None
    if game is None:
        return None
    inner = getattr(event.game, game)
    kind = inner.WhichOneof("kind")
    if kind not in {"played", "acted"}:
        return None
    action = getattr(inner, kind)
    if game == "ding_niu":
        lays = ding_niu_pb2.DING_NIU_ACTION_KIND_PLAY
        action = ding_niu_pb2.DingNiuAction(kind=lays, tile=action.tile, end=action.end)
    return game_pb2.Action(**{game: action})


def deal_of(seat: Seat, ended: play.DealEnded) -> Deal:
    """Returns the score table of a deal."""
    return Deal(ended.deal, table.score_table(seat, ended.deal), table.shown_hands(seat, ended))


def places_of(seat: Seat) -> Sequence[Place]:
    """Returns the result of the match, the best first."""
    if seat.ended is None:
        return ()
    names = words.titles(seat)
    found = sorted(seat.ended.placements, key=lambda one: one.rank)
    return [Place(one.rank, names[one.seat], one.score, one.forfeited) for one in found]


def _copy(observation: game_pb2.Observation) -> game_pb2.Observation:
    copied = game_pb2.Observation()
    copied.CopyFrom(observation)
    return copied


def _end(action: game_pb2.Action) -> int:
    game = action.WhichOneof("game") or ""
    return int(getattr(action, game).end) if game in {"block_dominoes", "ding_niu"} else 0


def _train(action: game_pb2.Action) -> str:
    if action.WhichOneof("game") != "mexican_train" or not piece_of(action):
        return ""
    return str(action.mexican_train.train)

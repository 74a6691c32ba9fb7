"""What happens at a table in sentences, with the places of the table for names."""

from collections.abc import Sequence
from typing import Any, Final

from referee.bot import action_text, tiles
from referee.bot.telling import printable
from referee.bot.wording import only, train
from referee.person.seat import Seat, Told
from referee.v1 import event_pb2, game_pb2
from referee.v1 import mexican_train_pb2 as train_pb2
from referee.v1 import play_service_pb2 as play

_PLACES: Final = {
    2: ("South", "North"),
    3: ("South", "West", "East"),
    4: ("South", "West", "North", "East"),
}
"""Where those sit who play, the person first and the others in turn, clockwise as one sees the table."""
_AGAINST_THE_CLOCK: Final = frozenset({"ding_niu"})
NOBODY: Final = -1


def places(seat: Seat) -> tuple[str, ...]:
    """Returns by seat what it is called; the person is South."""
    started = seat.started
    if started is None:
        return ()
    count = len(started.seats)
    names = _PLACES.get(count)
    if names is None:
        return tuple("South" if at == started.seat else f"seat {at}" for at in range(count))
    step = -1 if started.game in _AGAINST_THE_CLOCK else 1
    return tuple(names[(at - started.seat) * step % count] for at in range(count))


def titles(seat: Seat) -> tuple[str, ...]:
    """Returns by seat the place with whoever sits there: `West (easy)`, `South (you)`."""
    started = seat.started
    if started is None:
        return ()
    who = {one.seat: printable(one.display_name) for one in started.seats}
    who[started.seat] = "you" if who.get(started.seat) in {"", "You"} else f"{who[started.seat]}, you"
    return tuple(f"{place} ({who.get(at, '?')})" for at, place in enumerate(places(seat)))


def happened(seat: Seat) -> list[str]:
    """Returns what happened since the person's last answer, a sentence each."""
    names = places(seat)
    return [line for what in seat.told if (line := sentence(what, names))]


def sentence(what: Told, names: Sequence[str]) -> str:
    """Returns one thing that happened in a sentence; nothing for what goes without saying."""
    if isinstance(what, play.DealEnded):
        return f"Deal {what.deal} is over."
    if isinstance(what, play.Rejected):
        return f"You did not answer in time: {action_text.text(what.played_action)} was played for you."
    who = "The table" if what.seat == NOBODY else names[what.seat]
    if what.WhichOneof("detail") == "forfeited":
        return f"{who} has forfeited."
    return _game_event(what, who, names)


def _game_event(event: event_pb2.Event, who: str, names: Sequence[str]) -> str:
    """Tells of an event of the game; of a game that is newer than this, in the words of its fields."""
    inner = only(event.game)
    arm = inner.WhichOneof("kind")
    if arm in _FIXED:
        return f"{who} {_FIXED[arm]}."
    tell = _TOLD.get(arm)
    return tell(getattr(inner, arm), who, names) if tell else f"{who}: {action_text.happened(event.game)}."


def _dealt(dealt: Any, who: str, names: Sequence[str]) -> str:
    del who
    if hasattr(dealt, "opener_seat"):
        return f"A new deal: {names[dealt.opener_seat]} opens."
    return f"A new deal: {names[dealt.leader_seat]} leads."


def _engine(engine: Any, who: str, names: Sequence[str]) -> str:
    del names
    return f"A new deal: the engine is {tiles.text(engine.tile)}, of {who}."


def _drew(drew: Any, who: str, names: Sequence[str]) -> str:
    del names
    return f"{who} draws {tiles.text(drew.tile)}." if drew.HasField("tile") else f"{who} draws a tile."


def _discarded(discarded: Any, who: str, names: Sequence[str]) -> str:
    del names
    what = tiles.text(discarded.tile) if discarded.HasField("tile") else "a tile"
    return f"{who} puts {what} face down."


def _marker(marker: Any, who: str, names: Sequence[str]) -> str:
    del names
    return f"{who} {'gets a marker: the train is open' if marker.marked else 'loses the marker'}."


def _trick(ended: Any, who: str, names: Sequence[str]) -> str:
    del who
    return f"The trick goes to {names[ended.leader_seat]}, who leads."


def _did(what: Any, who: str, names: Sequence[str]) -> str:
    """Tells of what a seat chose to do."""
    match what.DESCRIPTOR.name:
        case "BlockDominoesAction":
            return f"{who} {_third_person(action_text.text(game_pb2.Action(block_dominoes=what)))}."
        case "GuanPaiAction":
            return f"{who} {_third_person(action_text.text(game_pb2.Action(guan_pai=what)))}."
        case "DingNiuPlayed":
            where = ("", " left", " right")[what.end]
            return f"{who} {'plays' if where else 'leads'} {tiles.text(what.tile)}{where}."
        case _:
            return f"{who} {_on_train(what, who, names)}."


def train_of(number: int, names: Sequence[str]) -> str:
    """Returns a train by whose it is."""
    return "the public train" if train(number) == "public" else f"{names[number]}'s train"


def _on_train(action: Any, who: str, names: Sequence[str]) -> str:
    if action.kind != train_pb2.MEXICAN_TRAIN_ACTION_KIND_PLAY:
        return "stops the run"
    own = f"{who}'s train"
    where = train_of(action.train, names)
    where = "its own train" if where == own else where
    return f"plays {tiles.text(action.tile)} on {where}"


def _third_person(text: str) -> str:
    """Returns `plays 2-5 left` for `play 2-5 left`."""
    verb, _, rest = text.partition(" ")
    verb = {"pass": "passes", "passed": "passes"}.get(verb, f"{verb}s")
    return f"{verb} {rest}".rstrip()


_FIXED: Final = {
    "passed": "passes",
    "out": "has played the last tile",
    "revoked": "could have followed: the heaviest tile goes face down too",
    "asked": "is asked whether to settle",
    "continued": "lets the deal go on",
    "declared": "settles",
    "settled": "has played what nobody can follow: the deal is settled",
    "blocked": "is blocked: nobody can play or draw",
}
_TOLD: Final = {
    "dealt": _dealt,
    "engine": _engine,
    "drew": _drew,
    "discarded": _discarded,
    "marker": _marker,
    "played": _did,
    "acted": _did,
    "trick_ended": _trick,
}

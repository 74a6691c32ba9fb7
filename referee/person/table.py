"""A table in lines of text, as its seat sees it: what lies there, the counts of others, the own hand."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from referee.bot import action_text, cards, tiles
from referee.bot.wording import only
from referee.person.seat import Seat
from referee.person.words import places, titles, train_of
from referee.v1 import game_pb2
from referee.v1 import mexican_train_pb2 as train_pb2
from referee.v1 import play_service_pb2 as pb


def lines(seat: Seat) -> list[str]:
    """Returns the table as the seat last saw it."""
    observation = seat.observation
    if observation is None:
        return []
    game, seen = observation.WhichOneof("game") or "", only(observation)
    names = places(seat)
    told = [f"Deal {seen.public.deal}", *_LYING[game](seen.public, names)]
    told += _seats(seat, game, seen.public)
    told.append(f"Your hand: {hand(observation) or 'empty'}")
    told += _OWN.get(game, _nothing)(seen.private)
    return told


def hand(observation: game_pb2.Observation) -> str:
    """Returns the pieces of the own hand."""
    write = cards.text if observation.WhichOneof("game") == "guan_pai" else tiles.text
    return " ".join(map(write, _pieces(only(observation).private)))


def choices(seat: Seat) -> list[str]:
    """Returns the legal actions of the open turn in canonical text, but for trains: those have owners."""
    if seat.turn is None:
        return []
    return [choice(action, places(seat), _own(seat)) for action in seat.turn.legal_actions]


def choice(action: game_pb2.Action, names: Sequence[str], own: int) -> str:
    """Returns an action in canonical text; where that names a train by a seat, whose it is instead."""
    inner = only(action)
    if action.WhichOneof("game") != "mexican_train" or inner.kind != _PLAY:
        return action_text.text(action)
    whose = "your train" if inner.train == own else train_of(inner.train, names)
    return f"play {tiles.text(inner.tile)} on {whose}"


def score_table(seat: Seat, deal: int) -> list[tuple[str, int, int]]:
    """Returns a row for each seat in turn order, the person first: who, what the deal gave, the total."""
    result = next(one for one in seat.deals if one.deal == deal)
    who = titles(seat)
    return [(who[at], result.scores[at], result.totals[at]) for at in _in_turn(seat, len(who))]


def shown_hands(seat: Seat, ended: pb.DealEnded) -> list[str]:
    """Returns what each seat had left when a deal ended, which all are shown then."""
    detail = only(ended.detail) if ended.HasField("detail") else None
    if detail is None:
        return []
    who = places(seat)
    write = cards.text if ended.detail.WhichOneof("game") == "guan_pai" else tiles.text
    lines = []
    for at in _in_turn(seat, len(who)):
        left = " ".join(map(write, _pieces(detail.hands[at]))) or "nothing"
        down = " ".join(map(tiles.text, getattr(detail.hands[at], "discard_tiles", ())))
        lines.append(f"{who[at]} had {left}{f', and {down} face down' if down else ''}")
    return lines


def _pieces(private: Any) -> Sequence[int]:
    found: Sequence[int] = private.hand_cards if hasattr(private, "hand_cards") else private.hand_tiles
    return found


def _own(seat: Seat) -> int:
    return seat.started.seat if seat.started else 0


def _in_turn(seat: Seat, count: int) -> list[int]:
    return [(_own(seat) + step) % count for step in range(count)]


def _seats(seat: Seat, game: str, public: Any) -> Iterator[str]:
    who, noun = titles(seat), "cards" if game == "guan_pai" else "tiles"
    width = max(map(len, who))
    for at in _in_turn(seat, len(who)):
        count = f"{public.hand_counts[at]:2} {noun if public.hand_counts[at] != 1 else noun[:-1]:5}"
        more = "".join(f", {text}" for text in _BESIDE.get(game, _no_more)(public, at))
        yield f"  {who[at]:{width}}  {count}  total {public.totals[at]}{more}"


def _line(line: Sequence[int]) -> Iterator[str]:
    if not line:
        yield "Nothing lies on the table yet"
        return
    left, right = tiles.ends(line) or (0, 0)
    yield f"Line: {' '.join(map(tiles.text, line))}"
    yield f"Open ends: {left} at the left, {right} at the right"


def _dominoes(public: Any, names: Sequence[str]) -> Iterator[str]:
    del names
    yield from _line(public.line_tiles)
    if public.HasField("required_tile"):
        yield f"{tiles.text(public.required_tile)} has to open"


def _guan_pai(public: Any, names: Sequence[str]) -> Iterator[str]:
    for play in public.trick_plays:
        yield f"{names[play.seat]}: {' '.join(map(cards.text, play.cards)) or 'pass'}"
    if public.top_play.cards:
        yield f"To beat: {' '.join(map(cards.text, public.top_play.cards))} of {names[public.top_play.seat]}"
    else:
        yield "A new trick: lead what you like"


def _mexican_train(public: Any, names: Sequence[str]) -> Iterator[str]:
    yield f"Engine: {tiles.text(public.engine_tile)}, boneyard: {public.boneyard_count}"
    for at, one in enumerate(public.trains):
        yield _train(f"{names[at]}'s train", one)
    yield _train("Public train", public.public_train)
    if public.HasField("double_train"):
        yield f"The double on {train_of(public.double_train, names)} has to be covered first"


def _train(title: str, one: Any) -> str:
    lying = " ".join(map(tiles.text, one.tiles)) or "not started"
    marker = ", marker on" if one.marked else ""
    return f"{title}: {lying}, wants {one.end_number}{marker}"


def _ding_niu(public: Any, names: Sequence[str]) -> Iterator[str]:
    yield f"{names[public.leader_seat]} leads this deal"
    yield from _line(public.line_tiles)
    if public.asked:
        yield "Nobody else can follow: settle, or let the deal go on"


def _face_down(public: Any, seat: int) -> Iterator[str]:
    if public.discard_counts[seat]:
        yield f"{public.discard_counts[seat]} face down"


def _bombs(public: Any, seat: int) -> Iterator[str]:
    if public.bomb_counts[seat]:
        count = public.bomb_counts[seat]
        yield "played a bomb" if count == 1 else f"{count} bombs played"


def _own_discards(private: Any) -> Iterator[str]:
    if private.discard_tiles:
        yield f"You have face down: {' '.join(map(tiles.text, private.discard_tiles))}"


def _drawn(private: Any) -> Iterator[str]:
    if private.HasField("drawn_tile"):
        yield f"You drew {tiles.text(private.drawn_tile)}, and have to play it"


def _nothing(private: Any) -> Iterator[str]:
    del private
    yield from ()


def _no_more(public: Any, seat: int) -> Iterator[str]:
    del public, seat
    yield from ()


_PLAY: Final = train_pb2.MEXICAN_TRAIN_ACTION_KIND_PLAY
_LYING: Final[Mapping[str, Callable[[Any, Sequence[str]], Iterator[str]]]] = {
    "block_dominoes": _dominoes,
    "guan_pai": _guan_pai,
    "mexican_train": _mexican_train,
    "ding_niu": _ding_niu,
}
_BESIDE: Final[Mapping[str, Callable[[Any, int], Iterator[str]]]] = {
    "ding_niu": _face_down,
    "guan_pai": _bombs,
}
_OWN: Final[Mapping[str, Callable[[Any], Iterator[str]]]] = {
    "ding_niu": _own_discards,
    "mexican_train": _drawn,
}

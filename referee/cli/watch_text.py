"""What a spectator is told, as lines for people: of any game, from the names of its fields."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from referee.cli.words import many
from referee.games import cards, find, tiles
from referee.v1 import arena_service_pb2 as pb
from referee.v1 import game_pb2, match_pb2

_BITS = "absent_numbers"
"""A field that says nothing to people."""
_PIECES = {"tile": tiles.text, "tiles": tiles.text, "card": cards.text, "cards": cards.text}
"""How a number is written whose field has a name that ends so."""


class Reporter:
    """Turns the frames of one match into lines, in order."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._game = ""
        self._deal = 0
        self._headed = False
        self._last: Message | None = None

    def lines(self, frame: pb.WatchMatchFrame) -> Iterator[str]:
        """Yields the lines for the next frame; the table is shown when a deal begins and when it ends."""
        arm = frame.WhichOneof("frame")
        if arm == "started":
            yield from self._started(frame.started)
        elif arm == "event":
            if not self._headed:
                self._headed = True
                yield "  ply  seat"
            yield self._event(frame)
        elif arm == "observation":
            yield from self._table(_only(frame.observation))
        elif arm == "deal_ended":
            yield from self._left()
            yield f"deal {frame.deal_ended.deal} ended: {told(_only(frame.deal_ended.detail))}"
            yield f"  scores {_numbers(frame.deal_ended.scores)}, totals {_numbers(frame.deal_ended.totals)}"
        elif arm == "ended":
            yield from ended(frame.ended)

    def _started(self, started: pb.WatchStarted) -> Iterator[str]:
        self._names = [_seat(seat.seat, seat.display_name) for seat in started.match.seats]
        self._game = started.match.game
        yield described(started.match)
        yield f"told {many(started.delay_plies, 'ply', 'plies')} late, from after event {started.event_id}"
        if started.HasField("observation"):
            yield from self._table(_only(started.observation))

    def _event(self, frame: pb.WatchMatchFrame) -> str:
        event = frame.event
        who = self._names[event.seat] if 0 <= event.seat < len(self._names) else ""
        kind = event.WhichOneof("detail")
        what = self._happened(_only(event.game)) if kind == "game" else str(kind)
        return f"{event.ply:>5}  {who}{': ' if who else ''}{what}"

    def _happened(self, event: Message) -> str:
        """Returns an event in words; an action as the game writes it."""
        detail = _only(event)
        if not detail.DESCRIPTOR.name.endswith("Action"):
            return told(event)
        game = find(self._game)
        return game.text.action(game.wire.parse_action(game_pb2.Action(**{self._game: detail})))

    def _table(self, observation: Any) -> Iterator[str]:
        self._last, public = observation.public, observation.public
        if public.deal != self._deal:
            self._deal = public.deal
            yield from (f"  {part}" for part in _parts(public))

    def _left(self) -> Iterator[str]:
        if self._last:
            yield from (f"  {part}" for part in _parts(self._last))


def described(match: match_pb2.Match) -> str:
    """Returns one line about a match."""
    state = match_pb2.MatchState.Name(match.state).removeprefix("MATCH_STATE_").lower()
    seats = ", ".join(seat.display_name for seat in match.seats)
    return f"{match.match_id}  {state}  {match.game}  {seats}"


def ended(end: pb.WatchEnded) -> Iterator[str]:
    """Yields the lines for the end of a match, the best place first."""
    name = match_pb2.Termination.Name(end.termination).removeprefix("TERMINATION_").lower()
    yield f"{name}{f': {end.note}' if end.note else ''}"
    for place in sorted(end.placements, key=lambda place: (place.rank, place.seat)):
        forfeited = ", forfeited" if place.forfeited else ""
        yield f"  {place.rank}. {place.display_name}: {place.score} ({place.points:.3f} points{forfeited})"


def _seat(number: int, name: str) -> str:
    """Returns what a seat is called in the lines of events; one without a name is its number alone."""
    return str(number) if name in {"", f"seat {number}"} else f"{number} {name}"


def told(message: Message) -> str:
    """Returns a message in words: the name of its arm, and its fields.

    What holds is told, or where that is nothing, what does not.
    """
    return ", ".join(_parts(message)) or ", ".join(_not(message))


def _parts(message: Message) -> Iterator[str]:
    for field in message.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        if field.name == _BITS:
            continue
        if message.HasField(field.name) if field.has_presence else _says(field, value):
            yield _part(field, value)


def _not(message: Message) -> Iterator[str]:
    for field in message.DESCRIPTOR.fields:
        if field.type == FieldDescriptor.TYPE_BOOL:
            yield f"not {field.name.replace('_', ' ')}"


def _says(field: Any, value: Any) -> bool:
    """Says whether the value of a field that is always there is worth telling."""
    plain = field.type not in {FieldDescriptor.TYPE_BOOL, FieldDescriptor.TYPE_ENUM} and not field.is_repeated
    return plain or bool(value)


def _part(field: Any, value: Any) -> str:
    label: str = field.name.replace("_", " ")
    values = value if field.is_repeated else [value]
    if field.type == FieldDescriptor.TYPE_MESSAGE:
        inner: str = "; ".join(f"({told(one)})" if field.is_repeated else told(one) for one in values)
        return f"{label} {inner}".rstrip()
    if field.type == FieldDescriptor.TYPE_BOOL:
        return label
    words: Iterable[str] = _words(field, values)
    return f"{label} {' '.join(words)}"


def _words(field: Any, values: Iterable[Any]) -> Iterator[str]:
    piece = _PIECES.get(field.name.rpartition("_")[2], str)
    kinds = field.enum_type
    for value in values:
        if kinds is None:
            yield piece(value)
        else:
            known = kinds.values_by_number.get(value)
            yield known.name.rpartition("_")[2].lower() if known else str(value)


def _only(message: Message) -> Any:
    """Returns the message in the one arm of a `oneof` that is set."""
    (arms,) = message.DESCRIPTOR.oneofs_by_name
    arm = message.WhichOneof(arms)
    return getattr(message, arm) if arm else message


def _numbers(values: Sequence[int]) -> str:
    return " ".join(map(str, values))

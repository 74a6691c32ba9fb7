"""L3, L19: which pieces are named to whom, and that no seat is told more or otherwise than another."""

import random
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from google.protobuf.message import Message

from referee.games.base import TABLE, Outcome, State
from referee.v1 import game_pb2
from tests.games.helpers import Sitting, Step, playout, shuffled, sittings

every_sitting = pytest.mark.parametrize("sitting", list(sittings()), ids=str)

PIECES = ("tile", "tiles", "card", "cards")
"""What the names of fields end with that hold pieces."""
BY_SEAT = {
    "absent_numbers",
    "bomb_counts",
    "discard_counts",
    "hand_counts",
    "hands",
    "played_piles",
    "totals",
    "trains",
}
"""The fields that have an entry for each seat, by seat."""
PUBLIC_TRAIN = 8


def parts(message: Message) -> Iterator[tuple[str, list[Any]]]:
    """Yields the name and the values of each field but those that are marked as unset."""
    for field in message.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        if field.is_repeated:
            yield field.name, list(value)
        elif not field.has_presence or message.HasField(field.name):
            yield field.name, [value]


def named(message: Message) -> Iterator[int]:
    """Yields every number in a field of pieces, however deep; an action that needs none says 0."""
    for name, values in parts(message):
        for value in values:
            if isinstance(value, Message):
                yield from named(value)
            elif name.rpartition("_")[2] in PIECES and (value or "Action" not in type(message).__name__):
                yield value


def either_way(piece: int) -> set[int]:
    """Returns the piece, and the tile as it would lie the other way round."""
    return {piece, 16 * (piece & 15) + (piece >> 4)}


@every_sitting
def test_l3_only_pieces_that_a_viewer_may_know_are_named_to_it(sitting: Sitting) -> None:
    """No observation, event or legal action names a piece that is hidden from its reader."""
    game = sitting.game
    seen = import_module(f"tests.games.{game.info.name}.pieces").seen
    told = 0

    def check(step: Step) -> None:
        nonlocal told
        state = step.state
        if state.to_act() < 0:
            return
        for viewer in range(TABLE, sitting.seats):
            shown = [game_pb2.Observation.FromString(game.wire.public(game.view.public(state)))]
            if viewer != TABLE:
                private = game.wire.private(game.view.private(state, viewer))
                shown.append(game_pb2.Observation.FromString(private))
            events = [game.wire.event(game.view.redact(event, viewer)) for event in step.events]
            messages: list[Message] = [*shown, *map(game_pb2.GameEvent.FromString, events)]
            if viewer == state.to_act():
                listed = map(game.wire.action, state.legal_actions())
                messages += map(game_pb2.Action.FromString, listed)
            known = seen(state, viewer)
            for piece in (piece for message in messages for piece in named(message)):
                assert either_way(piece) & known
                told += 1

    playout(sitting.start(), random.Random(3), check, deals=2)
    assert told > 100


class Turned:
    """The same deal with every hand one or more seats further."""

    def __init__(self, sitting: Sitting, by: int) -> None:
        self.sitting = sitting
        self.by = by

    def seat(self, seat: Any) -> int:
        """Returns where a seat has gone; nobody stays nobody."""
        return int(seat + self.by) % self.sitting.seats if seat >= 0 else int(seat)

    def text(self, action: str) -> str:
        """Returns an action in text with the seat of a train changed."""
        return re.sub(r"(?<= on )\d", lambda found: str(self.seat(int(found[0]))), action)

    def outcome(self, outcome: Outcome, hand: int) -> Outcome:
        """Returns the outcome that gives each hand to its new seat; a draw of a seat goes along."""
        seats = self.sitting.seats
        hands = [outcome.order[hand * seat : hand * (seat + 1)] for seat in range(seats)]
        moved = [piece for seat in range(seats) for piece in hands[(seat - self.by) % seats]]
        return Outcome(tuple(map(self.seat, outcome.draws)), (*moved, *outcome.order[hand * seats :]))

    def told(self, message: Message) -> object:
        """Returns what a message says, with the names of the seats changed."""
        return {name: self._values(name, values) for name, values in parts(message)}

    def _values(self, name: str, values: list[Any]) -> list[Any]:
        inner = [self.told(value) if isinstance(value, Message) else value for value in values]
        if name in BY_SEAT:
            assert len(inner) == self.sitting.seats
            return [inner[(seat - self.by) % len(inner)] for seat in range(len(inner))]
        if name == "double_train":
            return [at if at == PUBLIC_TRAIN else self.seat(at) for at in inner]
        if name in {"seat", "seats"} or name.endswith(("_seat", "_seats")):
            return sorted(map(self.seat, inner))
        return inner


@every_sitting
def test_l19_every_seat_is_told_the_same_under_other_names(sitting: Sitting) -> None:
    """With the hands moved around the table each hand's holder sees and may do what it did before."""
    rng, compared = random.Random(19), 0
    for _ in range(4):
        state = sitting.start()
        outcome = shuffled(state, rng)
        events = state.start_deal(outcome)
        hand = (len(outcome.order) - boneyard(sitting)) // sitting.seats
        if len(events) > 1 or sitting.options.get("engine") == "descending":
            continue  # what falls to a seat by its number is not moved along
        for by in range(1, sitting.seats):
            compared += compare(sitting, Turned(sitting, by), outcome, hand)
    assert compared > 20 or sitting.options.get("engine") == "descending"


def boneyard(sitting: Sitting) -> int:
    """Returns how many pieces nobody is dealt."""
    if sitting.game.info.name != "mexican_train":
        return 0
    return {2: 61, 3: 46, 4: 31, 5: 31, 6: 19, 7: 21, 8: 11}[sitting.seats]


def compare(sitting: Sitting, turned: Turned, outcome: Outcome, hand: int) -> int:
    """Plays one deal in both places, comparing all that is told; returns the number of comparisons."""
    game, rng, count = sitting.game, random.Random(4), 0
    one, other = sitting.start(), sitting.start()
    one.start_deal(outcome)
    other.start_deal(turned.outcome(outcome, hand))
    same = Turned(sitting, 0)
    while one.to_act() >= 0:
        assert turned.seat(one.to_act()) == other.to_act()
        for seat in range(sitting.seats):
            assert turned.told(observation(sitting, one, seat)) == same.told(
                observation(sitting, other, turned.seat(seat))
            )
            count += 1
        choices = {turned.text(game.text.action(action)): action for action in one.legal_actions()}
        others = {game.text.action(action): action for action in other.legal_actions()}
        assert choices.keys() == others.keys()
        chosen = rng.choice(sorted(choices))
        one.apply(choices[chosen])
        other.apply(others[chosen])
    assert other.to_act() == one.to_act()
    assert [other.totals()[turned.seat(seat)] for seat in range(sitting.seats)] == list(one.totals())
    return count


def observation(sitting: Sitting, state: State, seat: int) -> Message:
    """Returns what a seat sees."""
    view, wire = sitting.game.view, sitting.game.wire
    return game_pb2.Observation.FromString(
        wire.public(view.public(state)) + wire.private(view.private(state, seat))
    )

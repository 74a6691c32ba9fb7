"""How a deal begins: hands from the dealt order, and the engine in the centre."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from referee.games.base import Event
from referee.games.mexican_train.table import BIT, BITS, DOUBLES, DREW, FROM_BONEYARD, TILES, hand_size
from referee.games.tiles import Tile

_DOUBLES: Final = sum(map(BIT.__getitem__, DOUBLES))


class Opening(NamedTuple):
    """A deal once the engine lies in the centre; `owner` is the seat that counts as having placed it."""

    hands: list[int]
    boneyard: tuple[Tile, ...]
    owner: int
    engine: Tile
    events: list[Event]


def opening(order: Sequence[int], seats: int, deal: int, *, descending: bool) -> Opening:
    """Returns how a deal begins: piece k of the order is the k-th tile of the set."""
    size = hand_size(seats)
    dealt = size * seats
    hands = [sum(map(BITS.__getitem__, order[start : start + size])) for start in range(0, dealt, size)]
    boneyard = tuple(map(TILES.__getitem__, order[dealt:]))
    if descending:
        return _place(hands, boneyard, DOUBLES[-deal], (deal - 1) % seats)
    held = sum(hands) & _DOUBLES
    if held:
        return _place(hands, boneyard, TILES[held.bit_length() - 1], 0)
    return _draw(hands, boneyard, (deal - 1) % seats)


def _place(hands: list[int], boneyard: tuple[Tile, ...], engine: Tile, first: int) -> Opening:
    """Places an engine out of a hand; out of the boneyard it counts as that of seat `first`."""
    for seat, hand in enumerate(hands):
        if hand & BIT[engine]:
            hands[seat] ^= BIT[engine]
            return Opening(hands, boneyard, seat, engine, [Event("engine", seat, engine)])
    left = tuple([tile for tile in boneyard if tile != engine])
    return Opening(hands, left, first, engine, [Event("engine", first, engine + FROM_BONEYARD)])


def _draw(hands: list[int], boneyard: tuple[Tile, ...], first: int) -> Opening:
    """Lets each seat in turn draw a tile, from seat `first` on, until it is a double: the engine."""
    events = []
    for count, tile in enumerate(boneyard):
        seat = (first + count) % len(hands)
        events.append(DREW[seat][tile])
        if tile in DOUBLES:
            break
        hands[seat] |= BIT[tile]
    events.append(Event("engine", seat, tile))
    return Opening(hands, boneyard[count + 1 :], seat, tile, events)

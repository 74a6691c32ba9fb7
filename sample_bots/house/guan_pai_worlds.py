"""A quick way to play Guan Pai on: everybody by the same rules of thumb, with all hands open.

A hand is a list with the number of its cards of each rank. A shape is what a play is made of: so many
equal cards, of so many ranks in a row, the highest rank, and how many other cards go along.
"""

from collections.abc import Sequence

RANKS = 13
ACE = 11

Hand = list[int]
Shape = tuple[int, int, int, int]

NEAR = 3
"""With so few cards left somebody is stopped at any price."""
LAST = 5
"""With so few cards left one's own bombs are played."""


def row(hand: Hand, at: int, number: int) -> int:
    """Returns how many ranks in a row, up to the ace, have so many cards from a rank on."""
    stop = at
    while stop <= ACE and hand[stop] >= number:
        stop += 1
    return stop - at


def first(hand: Hand, number: int, start: int = 0) -> int:
    """Returns the lowest rank from `start` on with just so many cards, -1 for none."""
    for at in range(start, RANKS):
        if hand[at] == number:
            return at
    return -1


def highest(hand: Hand) -> int:
    """Returns the highest rank of a hand."""
    return max(at for at in range(RANKS) if hand[at])


def lead(hand: Hand, size: int, following: int) -> Shape:
    """Returns what is led: what goes with the lowest card; no single before a seat with one card."""
    low = next((at for at in range(RANKS) if 0 < hand[at] < 4), -1)
    if low < 0:
        return 4, 1, first(hand, 4), 0
    if following == 1 and first(hand, 2) >= 0:
        return 2, 1, first(hand, 2), 0
    number = hand[low]
    if number == 3:
        return _triples(hand, low, size)
    straight = row(hand, low, 1)
    if straight >= 5:
        return 1, straight, low + straight - 1, 0
    pairs = row(hand, low, 2)
    if pairs > 1:
        return 2, pairs, low + pairs - 1, 0
    carrier = first(hand, 3)
    if carrier >= 0 and size >= 5:
        return 3, 1, carrier, 2
    return number, 1, highest(hand) if number == following == 1 else low, 0


def _triples(hand: Hand, low: int, size: int) -> Shape:
    length = min(row(hand, low, 3), 3)
    return 3, length, low + length - 1, min(2 * length, size - 3 * length)


def answer(hand: Hand, size: int, shape: Shape, *, hurry: bool, duty: bool) -> Shape | None:
    """Returns the lowest play that beats a shape and breaks nothing, None for a pass.

    In a hurry it may break something, and bombs count; with the duty it is the highest single or none.
    """
    number, length, top, more = shape
    found: Shape | None = None
    if length > 1:
        found = _row_above(hand, size, shape)
    elif number == 3:
        at = first(hand, 3, top + 1)
        if at >= 0 and (size >= 3 + more or (more and size > 2)):
            found = (3, 1, at, min(more, size - 3))
    elif number == 1 and duty:
        at = highest(hand)
        found = (1, 1, at, 0) if at > top else None
    elif number < 3:
        found = _equals_above(hand, number, top, hurry=hurry)
    if found is None and hurry:
        return _bomb(hand, top if number == 4 and more < 2 else -1)
    return found


def _equals_above(hand: Hand, number: int, top: int, *, hurry: bool) -> Shape | None:
    at = first(hand, number, top + 1)
    if at < 0 and number == 1:
        at = first(hand, 2, top + 1)
    if at < 0 and hurry:
        at = next((at for at in range(top + 1, RANKS) if hand[at] >= number), -1)
    return (number, 1, at, 0) if at >= 0 else None


def _row_above(hand: Hand, size: int, shape: Shape) -> Shape | None:
    number, length, top, more = shape
    if size >= number * length + more:
        for high in range(top + 1, ACE + 1):
            if row(hand, high - length + 1, number) >= length:
                return number, length, high, more
    return None


def _bomb(hand: Hand, above: int) -> Shape | None:
    at = first(hand, 4, above + 1)
    if at < 0 and above < ACE and hand[ACE] == 3:
        at = ACE
    return (4, 1, at, 0) if at >= 0 else None


def take(hand: Hand, shape: Shape) -> int:
    """Takes a shape out of a hand, the least useful cards along with it; returns how many cards it is."""
    number, length, top, more = shape
    before = more
    taken = 0
    for at in range(top - length + 1, top + 1):
        part = min(number, hand[at])  # three aces are a bomb as well
        hand[at] -= part
        taken += part
    for most in (1, 2, 3, 4):
        for at in range(RANKS if most > 1 else ACE):
            if more and 0 < hand[at] <= most:
                part = min(hand[at], more)
                hand[at] -= part
                more -= part
    return taken + before - more


def play_out(
    hands: Sequence[Hand], sizes: list[int], seat: int, shape: Shape | None, passes: int
) -> tuple[int, int]:
    """Plays a deal to its end, changing hands and sizes; returns the winner and the bombs from here on."""
    bombs = 0
    while True:
        hand, size = hands[seat], sizes[seat]
        following = sizes[(seat + 1) % 3]
        if shape is None:
            play: Shape | None = lead(hand, size, following)
        else:
            hurry = size <= LAST or min(following, sizes[(seat + 2) % 3]) <= NEAR
            play = answer(hand, size, shape, hurry=hurry, duty=following == 1)
        if play is None:
            passes += 1
            if passes == 2:
                shape, passes = None, 0
        else:
            bombs += play[0] == 4 and play[3] < 2
            sizes[seat] -= take(hand, play)
            if not sizes[seat]:
                return seat, bombs
            shape, passes = play, 0
        seat = (seat + 1) % 3

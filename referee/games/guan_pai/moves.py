"""Every play that a hand allows: in the lead, and on a combination that is to be beaten.

A list has one play for each multiset of ranks, with the lowest suits in hand, and one for each kind
where the kind changes what can follow or what a bomb doubles: that is so for three aces, and for five
triples in a row when one more card remains.
"""

from itertools import combinations
from typing import Final

from referee.games.base import Action
from referee.games.guan_pai.forms import (
    AIRPLANE,
    AIRPLANE_WITH_WINGS,
    BOMB,
    FOUR_WITH_TWO,
    PAIR,
    PAIR_RUN,
    SINGLE,
    STRAIGHT,
    TRIPLE,
    TRIPLE_WITH_TWO,
    wings_fit,
)
from referee.games.guan_pai.hand import ABOVE, ACE, ACES, LAYERS, NIBBLE, RANKS, SPLIT, present, quads
from referee.games.guan_pai.hand import SIZE as WHOLE
from referee.games.guan_pai.weights import (
    CARDS,
    NIBBLE_AT,
    RANK_OF,
    SINGLE_VALUE,
    TYPE_SHIFT,
    WEIGHT,
    Window,
    actions_of,
    low_value,
    value_of,
    windows,
)

_AS_TRIPLE: Final = TRIPLE << TYPE_SHIFT
_AS_TRIPLE_WITH_TWO: Final = TRIPLE_WITH_TWO << TYPE_SHIFT
_AS_BOMB: Final = BOMB << TYPE_SHIFT
_AS_AIRPLANE: Final = AIRPLANE << TYPE_SHIFT
_AS_WINGED: Final = AIRPLANE_WITH_WINGS << TYPE_SHIFT


def leads(hand: int, low_straight: str) -> tuple[Action, ...]:
    """Returns every play of a hand that leads, in canonical order."""
    first, second, third, has_bombs = LAYERS[hand]
    found = SPLIT[first]
    values: list[int] = []
    if len(found) >= 5:
        runs = windows(STRAIGHT, present(first), low_straight)
        values += [(first & run.nibbles) + run.weight for run in runs]
    if second:
        pairs = first | second
        found += _equals(pairs, second)
        there = present(second)
        if there & there >> 4:
            values += [(pairs & run.nibbles) + run.weight for run in windows(PAIR_RUN, there)]
        if third:
            found += _lead_triples(hand, pairs | third, third, values)
            if has_bombs:
                values += _bombs(hand, -1)
                values += _fours(hand, -1)
    return found + actions_of(values) if values else found


def _equals(cards: int, last: int) -> tuple[Action, ...]:
    """Returns the equal cards of each rank of which the last one is given."""
    return tuple([cards & NIBBLE_AT[bit] for bit in SPLIT[last]])


def _lead_triples(hand: int, triples: int, third: int, values: list[int]) -> tuple[Action, ...]:
    """Returns the triples that can be led; adds all that is made with them to the values."""
    bits = SPLIT[third]
    values += _with_two(hand, triples, bits)
    size = hand.bit_count()
    there = present(third)
    if there & there >> 4:
        values += _airplanes(hand, triples, there, size)
    elif size == 4 and hand == triples and not third & ACES:
        values.append(value_of(hand))
    found = _equals(triples, third)
    if hand & ACES == ACES:
        return *found[:-1], ACES | _AS_TRIPLE, ACES | _AS_BOMB
    return found


def _airplanes(hand: int, triples: int, there: int, size: int) -> list[int]:
    """Returns all airplanes that can be led, with and without wings."""
    runs = windows(AIRPLANE, there)
    bare = {(triples & run.nibbles) + run.weight for run in runs}
    winged = _winged(hand, runs, size)
    if size == WHOLE:
        both = bare & winged
        bare = bare - both | {value + _AS_AIRPLANE for value in both}
        winged = winged - both | {value + _AS_WINGED for value in both}
    return list(bare | winged)


def _winged(hand: int, runs: tuple[Window, ...], size: int) -> set[int]:
    """Returns the airplanes of these triples with wings; the last hand may have fewer of them."""
    found: set[int] = set()
    for run in runs:
        triples = run.length // 3
        if size >= 5 * triples and triples <= 3:
            found.update(_with_wings(hand, run, 2 * triples))
        elif wings_fit(triples, size - run.length, last=True):
            found.add(value_of(hand))
    return found


def _with_wings(hand: int, run: Window, wings: int) -> list[int]:
    """Returns the triples of a run with any so many other cards of the hand."""
    ranks = [rank for rank in range(RANKS) if hand & NIBBLE[rank]]
    needed = {rank: 3 for rank in ranks if run.nibbles & NIBBLE[rank]}
    core = sum([low_value(hand, rank, number) for rank, number in needed.items()])
    ways: list[list[int]] = [[core], *([] for _ in range(wings))]
    for rank in ranks:
        least = needed.get(rank, 0)
        held = (hand & NIBBLE[rank]).bit_count()
        low = low_value(hand, rank, least)
        more = [low_value(hand, rank, number) - low for number in range(least + 1, held + 1)]
        for total in range(wings, 0, -1):
            ways[total] += [
                way + step for number, step in enumerate(more[:total], 1) for way in ways[total - number]
            ]
    return ways[wings]


def _with_two(hand: int, triples: int, bits: tuple[int, ...]) -> list[int]:
    """Returns the given triples, each by the bit of its third card, with any two other cards."""
    found: list[int] = []
    for bit in bits:
        nibble = NIBBLE_AT[bit]
        found += _two_more((triples & nibble) + WEIGHT[RANK_OF[bit]][3], hand, nibble)
    return found


def _two_more(base: int, hand: int, nibble: int) -> list[int]:
    """Returns a value with any two cards of other ranks than that of the nibble added."""
    first, second = LAYERS[hand][:2]
    singles = [SINGLE_VALUE[bit] for bit in SPLIT[first & ~nibble]]
    found = [base + one + more for one, more in combinations(singles, 2)]
    more = second & ~nibble
    if more:
        found += [base + SINGLE_VALUE[first & NIBBLE_AT[bit]] + SINGLE_VALUE[bit] for bit in SPLIT[more]]
    return found


def _fours(hand: int, above: int) -> list[int]:
    """Returns the quads of a higher rank with any two other cards."""
    found: list[int] = []
    for bit in SPLIT[quads(hand)]:
        rank = RANK_OF[bit]
        if rank > above:
            found += _two_more(NIBBLE[rank] + WEIGHT[rank][4], hand, NIBBLE[rank])
    return found


def _bombs(hand: int, above: int) -> list[int]:
    """Returns the bombs of a higher rank, with and without a kicker, but for three aces alone."""
    held = [RANK_OF[bit] for bit in SPLIT[quads(hand)]]
    cores = [(NIBBLE[rank], WEIGHT[rank][4]) for rank in held if rank > above]
    found = [cards + weight for cards, weight in cores]
    if hand & ACES == ACES and above < ACE:
        cores.append((ACES, WEIGHT[ACE][3]))
    for cards, weight in cores:
        found += [cards + weight + SINGLE_VALUE[bit] for bit in SPLIT[LAYERS[hand][0] & ~cards]]
    return found


def answers(hand: int, kind: int, length: int, rank: int, low_straight: str) -> tuple[Action, ...]:
    """Returns every play of a hand that beats a combination, in canonical order."""
    first, second, third, has_bombs = LAYERS[hand]
    if kind <= TRIPLE:
        above = ABOVE[rank]
        if kind == SINGLE:
            found = SPLIT[first & above]
        elif kind == PAIR:
            found = _equals(first | second, second & above)
        else:
            found = _equals(first | second | third, third & above)
        return _or_bombs(found, _answering_bombs(hand, kind, rank), kind) if has_bombs else found
    if hand == ACES and kind == TRIPLE_WITH_TWO and rank < ACE:
        return ACES | _AS_TRIPLE_WITH_TWO, ACES | _AS_BOMB
    values: list[int] = _ANSWERS[kind](hand, length, rank, low_straight) if kind in _ANSWERS else []
    if has_bombs:
        values += _answering_bombs(hand, kind, rank)
    return actions_of(values) if values else ()


def _or_bombs(found: tuple[Action, ...], bombs: list[int], kind: int) -> tuple[Action, ...]:
    """Returns equal cards and bombs in canonical order; three aces may be both."""
    values = [_ordered(action) for action in found]
    if kind == TRIPLE and ACES in found:
        bombs[bombs.index(ACES + WEIGHT[ACE][3])] += _AS_BOMB
        values[-1] += _AS_TRIPLE
    return actions_of(values + bombs)


def _ordered(action: Action) -> int:
    return value_of(action & CARDS) + (action & ~CARDS)


def _answering_bombs(hand: int, kind: int, rank: int) -> list[int]:
    """Returns the bombs that beat a combination, three aces alone among them."""
    above = rank if kind == BOMB else -1
    found = _bombs(hand, above)
    if hand & ACES == ACES and above < ACE:
        found.append(ACES + WEIGHT[ACE][3])
    return found


def _straights(hand: int, length: int, rank: int, low_straight: str) -> list[int]:
    first = LAYERS[hand][0]
    runs = windows(STRAIGHT, present(first), low_straight)
    return [(first & w.nibbles) + w.weight for w in runs if w.length == length and w.top > rank]


def _pair_runs(hand: int, length: int, rank: int, _: str) -> list[int]:
    first, second = LAYERS[hand][:2]
    runs = windows(PAIR_RUN, present(second))
    return [((first | second) & w.nibbles) + w.weight for w in runs if w.length == length and w.top > rank]


def _thirds(hand: int) -> tuple[int, int]:
    """Returns the three lowest cards of each rank, and the third of each rank that has one."""
    first, second, third, _ = LAYERS[hand]
    return first | second | third, third


def _bare_airplanes(hand: int, length: int, rank: int, _: str) -> list[int]:
    triples, third = _thirds(hand)
    runs = windows(AIRPLANE, present(third))
    return [(triples & w.nibbles) + w.weight for w in runs if w.length == length and w.top > rank]


def _winged_airplanes(hand: int, length: int, rank: int, _: str) -> list[int]:
    third = _thirds(hand)[1]
    runs = windows(AIRPLANE, present(third))
    fitting = tuple([w for w in runs if w.length == 3 * length and w.top > rank])
    return list(_winged(hand, fitting, hand.bit_count())) if fitting else []


def _triples_with_two(hand: int, _length: int, rank: int, _: str) -> list[int]:
    triples, third = _thirds(hand)
    bits = SPLIT[third & ABOVE[rank]]
    size = hand.bit_count()
    if size >= 5 or not bits:
        return _with_two(hand, triples, bits)
    if size == 3 or (triples == hand and not third & ACES):
        return [value_of(hand)]
    return []


def _fours_with_two(hand: int, _length: int, rank: int, _: str) -> list[int]:
    return _fours(hand, rank) if hand.bit_count() >= 6 else []


_ANSWERS: Final = {
    STRAIGHT: _straights,
    PAIR_RUN: _pair_runs,
    AIRPLANE: _bare_airplanes,
    AIRPLANE_WITH_WINGS: _winged_airplanes,
    TRIPLE_WITH_TWO: _triples_with_two,
    FOUR_WITH_TWO: _fours_with_two,
}
"""The plays of the kind to beat, by kind: from the hand, the length, the rank and the option."""

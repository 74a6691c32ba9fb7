"""Two ways to play Ding Niu: a rule of thumb, and playing on in imagined deals.

A tile is known by its place in the set, from the lightest to the heaviest, and a hand is a set of
bits, one for each place: its lowest bit is its lightest tile. The open ends are one number, 7 * left +
right, or 0 before the lead.
"""

import random
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from referee.bot import Turn
from referee.bot.tiles import halves, pips
from referee.v1.ding_niu_pb2 import (
    DING_NIU_ACTION_KIND_CONTINUE,
    DING_NIU_ACTION_KIND_DISCARD,
    DING_NIU_ACTION_KIND_PLAY,
    DING_NIU_ACTION_KIND_SETTLE,
    DING_NIU_END_LEFT,
    DING_NIU_END_UNSPECIFIED,
    DingNiuAction,
    DingNiuStep,
)

SEATS = 4
HAND = 6
TWICE = (0x11, 0x13, 0x15, 0x16, 0x22, 0x33, 0x44, 0x46, 0x55, 0x56, 0x66)
ALL_TILES = tuple(sorted((*TWICE, *TWICE, 0x26, 0x36), key=lambda tile: (pips(tile), tile & 15)))
PIPS = tuple(map(pips, ALL_TILES))
HEAVIER = {tile: sum(1 << at for at, weight in enumerate(PIPS) if weight > pips(tile)) for tile in ALL_TILES}
NORMAL = (6, -1, -2, -3)
SUCCESS = {"plus_two": (12, -3, -4, -5), "doubled": (12, -2, -4, -6)}
FAILURE = 12

PLAYED_OUT = 120
"""How often a decision is tried in imagined deals, all its choices together."""
TRIES = 8
"""How often a deal is imagined anew that does not agree with what was seen."""
CANDIDATES = 3
"""Others put light tiles down: of so many tiles that may lie there the lightest is taken."""


def normal(turn: Turn) -> int:
    """Plays the heaviest tile that fits, or discards the lightest; of equal ones the first; never settles."""
    weights = [_clumsiness(action.ding_niu) for action in turn.legal_actions]
    return weights.index(min(weights))


def _clumsiness(action: DingNiuAction) -> tuple[int, int]:
    """Orders actions: plays from the heaviest, then discards from the lightest; to settle comes last."""
    if action.kind == DING_NIU_ACTION_KIND_PLAY:
        return 0, -pips(action.tile)
    return 1 + (action.kind == DING_NIU_ACTION_KIND_SETTLE), pips(action.tile)


def expert(turn: Turn) -> int:
    """Does what is worth most on average in imagined deals that agree with all that it has seen.

    It never discards while a tile fits, even where that is allowed at a price.
    """
    actions = [action.ding_niu for action in turn.legal_actions]
    choices = [index for index, action in enumerate(actions) if action.kind != DING_NIU_ACTION_KIND_DISCARD]
    choices = choices or list(range(len(actions)))
    if len(choices) == 1:
        return choices[0]
    table = read(turn)
    generator = random.Random(repr((table.hand, table.ends, table.unseen)))
    worth = dict.fromkeys(choices, 0)
    for _ in range(PLAYED_OUT // len(choices)):
        hands, down = imagine(table, generator)
        for index in choices:
            worth[index] += play_on(table, actions[index], hands[:], down[:])[table.seat]
    return max(choices, key=worth.__getitem__)


def _fitting(ends: int) -> int:
    """Returns the tiles that show one of the open numbers."""
    return sum(1 << place for place, tile in enumerate(ALL_TILES) if {*halves(tile)} & {*divmod(ends, 7)})


def _made(ends: int, tile: int) -> tuple[int, ...]:
    """Returns the open ends that a tile can make."""
    low, high = halves(tile)
    left, right = divmod(ends, 7)
    at_left = (7 * (low + high - left) + right,) if left in (low, high) else ()
    at_right = (7 * left + low + high - right,) if right in (low, high) and left != right else ()
    return at_left + at_right


FIT = tuple(map(_fitting, range(49)))
MADE = tuple(tuple(_made(ends, tile) for tile in ALL_TILES) for ends in range(49))


class Table(NamedTuple):
    """What the own seat knows of the deal, and the options that matter."""

    seat: int
    leader: int
    ends: int
    hand: int
    down: int
    """The own pips face down."""
    unseen: list[int]
    """The tiles that others hold or have face down."""
    counts: Sequence[int]
    lacks: list[list[int]]
    """By seat: for each of its tiles face down what it cannot be; then what the seat cannot hold now."""
    passed_over: list[int]
    """By seat: what it would rather have played, if it had held it, than what it did play."""
    settlement: str
    success: tuple[int, ...]


def read(turn: Turn) -> Table:
    """Reads from a turn what there is to know."""
    public, private = turn.observation.ding_niu.public, turn.observation.ding_niu.private
    options = {option.option: option.value for option in turn.started.options}
    unseen = list(range(len(ALL_TILES)))
    hand = [_take(unseen, tile) for tile in private.hand_tiles]
    for tile in (*private.discard_tiles, *public.line_tiles):
        _take(unseen, tile)
    ends, lacks, passed_over = recall(public.steps)
    return Table(
        seat=turn.seat,
        leader=public.leader_seat,
        ends=ends,
        hand=sum(1 << place for place in hand),
        down=sum(map(pips, private.discard_tiles)),
        unseen=unseen,
        counts=list(public.hand_counts),
        lacks=lacks,
        passed_over=passed_over,
        settlement=options.get("settlement", "auto"),
        success=SUCCESS[options.get("settlement_pay", "plus_two")],
    )


def _take(places: list[int], tile: int) -> int:
    """Removes the place of a tile, whichever way it lies, and returns it."""
    turned = 16 * (tile & 15) + (tile >> 4)
    place = next(place for place in places if ALL_TILES[place] in (tile, turned))
    places.remove(place)
    return place


def recall(steps: Iterable[DingNiuStep]) -> tuple[int, list[list[int]], list[int]]:
    """Returns the open ends, and by seat what it lacks and what it passed over: see `Table`.

    Whoever discards, and does not revoke, holds nothing that fits. Most play heavy tiles first.
    """
    ends, held = 0, [HAND] * SEATS
    lacks, passed_over = [[0] for _ in range(SEATS)], [0] * SEATS
    for step in steps:
        if step.kind == DING_NIU_ACTION_KIND_PLAY:
            passed_over[step.seat] |= FIT[ends] & HEAVIER[step.tile]
            ends = joined(ends, step)
            held[step.seat] -= 1
        elif step.kind == DING_NIU_ACTION_KIND_DISCARD:
            own = lacks[step.seat]
            if not step.revoke:
                own[-1] |= FIT[ends]
            put = min(held[step.seat], 2 if step.revoke else 1)
            own.extend(own[-1:] * put)
            held[step.seat] -= put
    return ends, lacks, passed_over


def joined(ends: int, play: DingNiuAction | DingNiuStep) -> int:
    """Returns the open ends after a play."""
    low, high = halves(play.tile)
    if play.end == DING_NIU_END_UNSPECIFIED:
        return 7 * low + high
    left, right = divmod(ends, 7)
    if play.end == DING_NIU_END_LEFT:
        return 7 * (low + high - left) + right
    return 7 * left + low + high - right


def imagine(table: Table, generator: random.Random) -> tuple[list[int], list[int]]:
    """Returns hands, and pips face down, by seat, that agree with what was seen if such are found."""
    others = [seat for seat in range(SEATS) if seat != table.seat]
    for _ in range(TRIES):
        pool = generator.sample(table.unseen, len(table.unseen))
        hands, down = [0] * SEATS, [0] * SEATS
        hands[table.seat], down[table.seat] = table.hand, table.down
        for seat in others:
            down[seat] = sum(_put_down(pool, cannot) for cannot in table.lacks[seat][:-1])
        for seat in sorted(others, key=lambda seat: _slack(table, seat, pool)):
            cannot, count = table.lacks[seat][-1], table.counts[seat]
            doubted = table.passed_over[seat] & (generator.getrandbits(24) | generator.getrandbits(24))
            if cannot | doubted:
                pool.sort(key=lambda place: 2 * (cannot >> place & 1) + (doubted >> place & 1))
            hands[seat] = sum([1 << place for place in pool[:count]])
            del pool[:count]
        if not any(hands[seat] & table.lacks[seat][-1] for seat in others):
            break
    return hands, down


def _put_down(pool: list[int], cannot: int) -> int:
    """Takes a tile out of the pool that may lie face down, rather a light one, and returns its pips."""
    able = [place for place in pool if not cannot >> place & 1]
    place = min(able[:CANDIDATES] or pool[:1])
    pool.remove(place)
    return PIPS[place]


def _slack(table: Table, seat: int, pool: list[int]) -> int:
    """Returns how many tiles a seat could hold beyond those that it does."""
    cannot = table.lacks[seat][-1]
    return len(pool) - sum([cannot >> place & 1 for place in pool]) - table.counts[seat]


def play_on(table: Table, action: DingNiuAction, hands: list[int], down: list[int]) -> list[int]:
    """Plays an imagined deal to its end after an action, and returns the scores."""
    seat, ends = table.seat, table.ends
    ended: list[int] | None = None
    if action.kind == DING_NIU_ACTION_KIND_SETTLE:
        ended = scores(table, hands, down, seat)
    elif action.kind != DING_NIU_ACTION_KIND_CONTINUE:
        place = next(p for p, tile in enumerate(ALL_TILES) if tile == action.tile and hands[seat] >> p & 1)
        hands[seat] ^= 1 << place
        if action.kind == DING_NIU_ACTION_KIND_DISCARD:
            down[seat] += PIPS[place]
        else:
            ends = joined(ends, action)
            if not others(table, hands, seat) & FIT[ends]:
                ended = settled(table, hands, down, seat)
    while ended is None:
        seat = (seat + 1) % SEATS
        if hands[seat] & FIT[ends]:
            ends, ended = lay(table, hands, down, seat, ends)
        elif hands[seat]:
            lightest = hands[seat] & -hands[seat]
            hands[seat] ^= lightest
            down[seat] += PIPS[lightest.bit_length() - 1]
        elif not any(hands):
            ended = scores(table, hands, down, None)
    return ended


def lay(
    table: Table, hands: list[int], down: list[int], seat: int, ends: int
) -> tuple[int, list[int] | None]:
    """Lays the heaviest tile of a seat that fits, rather none that loses a settlement.

    Returns the open ends, and the scores if that has ended the deal.
    """
    hand, following = hands[seat], others(table, hands, seat)
    fitting, lost = hand & FIT[ends], 0
    while fitting:
        place = fitting.bit_length() - 1
        fitting ^= 1 << place
        hands[seat] = hand ^ 1 << place
        for made in MADE[ends][place]:
            if following & FIT[made]:
                return made, None
            scored = scores(table, hands, down, seat)
            if scored[seat] > 0:
                return made, scored
            lost = lost or made
    hands[seat] = hand ^ 1 << (hand & FIT[ends]).bit_length() - 1
    return lost, settled(table, hands, down, seat)


def others(table: Table, hands: list[int], seat: int) -> int:
    """Returns what the three others hold; everything where there can be no settlement."""
    one, two, three = hands[seat - 1], hands[seat - 2], hands[seat - 3]
    return one | two | three if one and two and three and table.settlement != "off" else -1


def settled(table: Table, hands: list[int], down: list[int], seat: int) -> list[int] | None:
    """Returns the scores of a settlement of the seat; None where it is asked and has nothing to gain."""
    scored = scores(table, hands, down, seat)
    return scored if table.settlement == "auto" or scored[seat] > 0 else None


def scores(table: Table, hands: list[int], down: list[int], settler: int | None) -> list[int]:
    """Returns what each seat scores with these hands and pips face down."""
    left = [put + weight(hand) if hand else put for hand, put in zip(hands, down, strict=True)]
    near = [(seat - table.leader) % SEATS for seat in range(SEATS)]
    first = min(range(SEATS), key=lambda seat: SEATS * left[seat] + near[seat])
    scored = [0] * SEATS
    if settler is not None and settler != first:
        scored[settler], scored[first] = -FAILURE, FAILURE
        return scored
    places = sorted(range(SEATS), key=lambda seat: SEATS * left[seat] - near[seat])
    places.remove(first)
    pay = NORMAL if settler is None else table.success
    for seat, points in zip((first, *places), pay, strict=True):
        scored[seat] = points
    return scored


def weight(hand: int) -> int:
    """Returns the pips of a hand."""
    return sum([PIPS[place] for place in range(hand.bit_length()) if hand >> place & 1])

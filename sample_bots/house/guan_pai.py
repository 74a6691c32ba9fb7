"""Two ways to play Guan Pai: a rule of thumb, and planning how the whole hand goes out."""

import random
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import NamedTuple

from referee.bot import Turn
from referee.bot.cards import rank
from referee.v1.guan_pai_pb2 import (
    GUAN_PAI_COMBINATION_TRIPLE,
    GUAN_PAI_COMBINATION_TRIPLE_WITH_TWO,
    GuanPaiPublic,
)

_PARENT = f"{__package__}." if __package__ else ""
"""Empty where a script beside this file runs it."""
plan = import_module(f"{_PARENT}guan_pai_plan")
worlds = import_module(f"{_PARENT}guan_pai_worlds")

RANKS = 13
ACE = 11
TWO = 12
DECK = (*[4] * ACE, 3, 1)
"""How many cards of each rank there are."""
SEATS = 3
NEAR = 3
"""With so few cards somebody is near the end."""
FAULT = -2
"""The top of a play that would be a fault before a seat with one card."""

# What counts in the value of a play besides what is left in hand, each in plays.
LEAD = 0.45
HURRY = 0.5
PASSING = 0.3
BOMB = 0.15
OUT = 0.6
SIZE = 0.02
LOW = 0.02
SHED = 0.05

TOP = 5
"""How many plays are tried in worlds."""
MARGIN = 1.0
"""Plays that are worse than the best by more are not."""
WORLDS = 16
"""How many ways to share out the hidden cards are tried."""
WEIGHT = 15.0
"""What the value of a play counts beside what it wins, in cards."""
DOUBLINGS = 3
"""No more bombs than these are counted in what is won."""

Counts = tuple[int, ...]


class Play(NamedTuple):
    """A play as it is made up: `number` equal cards of `length` ranks in a row, and `more` besides."""

    counts: Counts
    size: int
    number: int
    length: int
    top: int
    more: int
    is_bomb: bool = False

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Returns the play in the terms of the worlds."""
        return (4 if self.is_bomb else self.number), self.length, self.top, self.more


PASS = Play((0,) * RANKS, 0, 0, 0, -1, 0)


def by_rank(cards: Sequence[int]) -> Counts:
    """Returns how many cards of each rank there are."""
    counts = [0] * RANKS
    for card in cards:
        counts[rank(card)] += 1
    return tuple(counts)


def made_of(cards: Sequence[int], combination: int) -> Play:
    """Returns how the cards of a play are made up; the combination may be unset, as in a legal action."""
    if not cards:
        return PASS
    counts, size = by_rank(cards), len(cards)
    number = max(counts)
    if number == 4 and size > 6:
        number = 3
    top = max(at for at in range(RANKS) if counts[at] >= number)
    if number == 1 and size > 1 and top == TWO:
        top = max(at for at in range(ACE) if counts[at])  # a straight from a low ace or 2
        return Play(counts, size, 1, size, top, 0)
    low = top
    while low and number < 4 and counts[low - 1] >= number:
        low -= 1
    length = top - low + 1
    aces = top == ACE and number == 3 and size < 5
    plain = combination in {GUAN_PAI_COMBINATION_TRIPLE, GUAN_PAI_COMBINATION_TRIPLE_WITH_TWO}
    bomb = (number == 4 and size < 6) or (aces and not plain)
    return Play(counts, size, number, length, top, size - number * length, bomb)


def plays_of(turn: Turn) -> list[Play]:
    """Returns the legal actions; before a seat with one card what would be a fault has the top `FAULT`."""
    actions = [action.guan_pai for action in turn.legal_actions]
    plays = [made_of(action.cards, action.combination) for action in actions]
    table = turn.observation.guan_pai.public
    if table.hand_counts[(turn.seat + 1) % SEATS] != 1:
        return plays
    best = rank(turn.observation.guan_pai.private.hand_cards[-1])
    single = table.HasField("top_play") and len(table.top_play.cards) == 1
    tops = single and best > table.top_play.rank
    fault = PASS._replace(top=FAULT)
    allowed = [
        fault if (play.size == 1 and play.top < best) or (tops and not play.size) else play for play in plays
    ]
    return allowed if any(play.top > FAULT for play in allowed) else plays


def normal(turn: Turn) -> int:
    """Leads the longest of its lowest cards, and beats with the lowest; bombs only near the end."""
    table = turn.observation.guan_pai.public
    hurry = min(others(turn)) <= NEAR

    def value(play: Play) -> tuple[float, ...]:
        if play.top == FAULT:
            return (-2.0,)
        if play.size == table.hand_counts[turn.seat]:
            return (9.0,)
        if not play.size:
            return (0.0,)
        if play.is_bomb:
            return (1.0 if hurry else -1.0, -play.top)
        low = sum(at * number for at, number in enumerate(play.counts)) / play.size
        return (2.0, -play.top, -low) if table.HasField("top_play") else (2.0, play.size - low)

    values = [value(play) for play in plays_of(turn)]
    return values.index(max(values))


def others(turn: Turn) -> list[int]:
    """Returns how many cards the other seats have."""
    counts = turn.observation.guan_pai.public.hand_counts
    return [count for seat, count in enumerate(counts) if seat != turn.seat]


def hidden_cards(table: GuanPaiPublic, hand: Sequence[int]) -> Counts:
    """Returns how many cards of each rank are in other hands."""
    piles = [by_rank(cards) for cards in (hand, *(pile.cards for pile in table.played_piles))]
    return tuple(whole - sum(seen) for whole, *seen in zip(DECK, *piles, strict=True))


def price(left: int) -> int:
    """Returns what a loser pays for so many cards."""
    if left == 16:
        return 48
    return 2 * left if left >= 10 else max(left, 5)


def expert(turn: Turn) -> int:
    """Plans its hand, and tries the best few plays in worlds that fit what was seen."""
    plays = plays_of(turn)
    values = dict(valued(turn, plays))
    best = sorted(values, key=values.__getitem__, reverse=True)[:TOP]
    best = [index for index in best if values[index] >= values[best[0]] - MARGIN]
    if len(best) == 1:
        return best[0]
    wins = tried(turn, [plays[index] for index in best])
    return max(zip(wins, best, strict=True), key=lambda one: one[0] + WEIGHT * values[one[1]])[1]


def valued(turn: Turn, plays: Sequence[Play]) -> Iterator[tuple[int, float]]:
    """Yields the plays worth a look with their values: what is left in hand, and who is likely to lead."""
    table, hand = turn.observation.guan_pai.public, turn.observation.guan_pai.private.hand_cards
    held, left = by_rank(hand), others(turn)
    odds = plan.Odds(hidden_cards(table, hand), left)
    whole = plan.Plan(odds)
    danger = max(0.0, (7 - min(left)) / 6)
    for index in candidates(plays, held):
        play = plays[index]
        if not play.size:
            yield index, -whole.cost(held) - PASSING * danger
            continue
        after = whole.cost(tuple(one - other for one, other in zip(held, play.counts, strict=True)))
        number, length, top, _ = play.shape
        keeps = odds.holds(number, length, top)
        value = (LEAD + HURRY * danger) * keeps - after
        if play.size == len(hand):
            value += 99.0
        if not table.HasField("top_play"):
            value += SIZE * play.size - LOW * play.top
        if play.is_bomb and danger < 0.5:
            value -= BOMB
        value -= OUT * (1 - keeps) * left.count(play.size)
        value += SHED * (price(len(hand)) - price(len(hand) - play.size)) * (0.3 + danger)
        yield index, value


def candidates(plays: Sequence[Play], held: Counts) -> Iterator[int]:
    """Yields the plays to look at: of those that differ in what goes along, the few that break least."""
    groups: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for index, play in enumerate(plays):
        if play.top == FAULT:
            continue
        if not play.more:
            yield index
            continue
        broken = sum(
            at + 5 * (held[at] - number) + 8 * (at >= ACE)
            for at, number in enumerate(play.counts)
            if number and not play.top - play.length < at <= play.top
        )
        groups.setdefault(play.shape, []).append((broken, index))
    for group in groups.values():
        yield from [index for _, index in sorted(group)[:4]]


def tried(turn: Turn, plays: Sequence[Play]) -> list[float]:
    """Returns what each play wins on average when all worlds are played to their end."""
    table, hand = turn.observation.guan_pai.public, turn.observation.guan_pai.private.hand_cards
    hidden = hidden_cards(table, hand)
    deck = [at for at, number in enumerate(hidden) for _ in range(number)]
    generator = random.Random(str((list(hand), hidden)))
    hands = [by_rank(hand)] * SEATS
    after, last = (turn.seat + 1) % SEATS, (turn.seat + 2) % SEATS
    wins = [0.0] * len(plays)
    for _ in range(WORLDS):
        generator.shuffle(deck)
        cut = table.hand_counts[after]
        hands[after] = tuple(map(deck[:cut].count, range(RANKS)))
        hands[last] = tuple(map(deck[cut:].count, range(RANKS)))
        for at, play in enumerate(plays):
            wins[at] += won(table, turn.seat, [list(held) for held in hands], play) / WORLDS
    return wins


def won(table: GuanPaiPublic, seat: int, hands: list[list[int]], play: Play) -> float:
    """Returns what a play wins or loses in one world, in cards."""
    sizes = list(table.hand_counts)
    passes = 0
    shape: tuple[int, int, int, int] | None = play.shape
    if play.size:
        hands[seat] = [one - other for one, other in zip(hands[seat], play.counts, strict=True)]
        sizes[seat] -= play.size
    elif not table.pass_count:
        top = table.top_play
        passes, shape = 1, made_of(top.cards, top.combination).shape
    else:
        shape = None
    if not sizes[seat]:
        return 0.0
    winner, bombs = worlds.play_out(hands, sizes, (seat + 1) % SEATS, shape, passes)
    doubled = min(sum(table.bomb_counts) + play.is_bomb + bombs, DOUBLINGS)
    paid = [min(100, price(size) << doubled) if size else 0 for size in sizes]
    return sum(paid) if winner == seat else -paid[seat]

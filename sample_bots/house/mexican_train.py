"""Two ways to play Mexican Train: a rule of thumb, and planning the own train."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from referee.bot import Turn
from referee.bot.tiles import halves, pips
from referee.v1.mexican_train_pb2 import (
    MEXICAN_TRAIN_ACTION_KIND_STOP,
    MexicanTrainAction,
    MexicanTrainObservation,
    MexicanTrainPublic,
)

Hand: TypeAlias = tuple[int, ...]
Ends: TypeAlias = Mapping[int, int]
"""The numbers that the trains end in which are open to the seat, by train."""

PUBLIC = 8
ALL_TILES = frozenset(16 * low + high for low in range(13) for high in range(low, 13))

# What a position is worth, in pips.
HELD = 6.0
"""A tile in the hand costs so much besides its pips."""
PLANNED = 0.7
"""What a tile of the planned train costs less: this part of it."""
PLANNED_MARKED = 0.28
"""The same while others may play on the train and spoil the plan."""
MARKED = 6.0
"""What a marker on the own train costs."""
STUCK = 8.0
"""What it costs to hold no tile that fits."""
OFFERED = 2.5
"""What an unseen tile costs that fits an end of the others."""
LOOKS = 1_000
"""The positions that are looked at in one decision."""


def normal(turn: Turn) -> int:
    """Plays the heaviest tile that fits, on the first train listed; stops a run only where it has to."""
    plays = [action.mexican_train for action in turn.legal_actions]
    weights = [-1 if stops(play) else pips(play.tile) for play in plays]
    return weights.index(max(weights))


def expert(turn: Turn) -> int:
    """Plans the best train of its hand and gets rid of the other tiles first.

    The first run is the heaviest there is. Later each play is judged by the hand that is left: by its
    pips and its number of tiles, less for those of the train that it could go on with, and by the
    tiles not yet seen that fit the ends which others may use. After a double it looks at what follows.
    """
    if len(turn.legal_actions) == 1:
        return 0
    table = turn.observation.mexican_train
    plan = Plan(table, turn.seat, cover=must_cover(turn))
    hand = tuple(table.private.hand_tiles)
    values = [plan.value(hand, action.mexican_train) for action in turn.legal_actions]
    return values.index(max(values))


def stops(play: MexicanTrainAction) -> bool:
    """Says whether an action ends a run."""
    return play.kind == MEXICAN_TRAIN_ACTION_KIND_STOP


def must_cover(turn: Turn) -> bool:
    """Says whether a double has to be covered at this table."""
    return any(option.value == "must_satisfy" for option in turn.started.options)


class Plan:
    """What one seat can make of its hand; keeps what it has found out during one decision."""

    def __init__(self, table: MexicanTrainObservation, seat: int, *, cover: bool) -> None:
        public = table.public
        self.seat = seat
        self.cover = cover
        self.running = bool(public.first_turn_seats)
        self.ends = open_ends(public, seat)
        self.marked = public.trains[seat].marked
        self.unseen = unseen_by_number(table)
        least = min(count for other, count in enumerate(public.hand_counts) if other != seat)
        self.fade = 1.0 if self.running else least / (least + 1)
        self.looks = LOOKS
        self.found: dict[tuple[int, Hand], float] = {}

    def value(self, hand: Hand, play: MexicanTrainAction) -> float:
        """Returns what the position after an action of the own hand is worth."""
        if not stops(play):
            return self.after(hand, play.tile, play.train, self.ends, marked=self.marked)
        return -cost(hand)

    def after(self, hand: Hand, tile: int, train: int, ends: Ends, *, marked: bool) -> float:
        """Returns what is reached by playing a tile; after a double by the best that follows."""
        low, high = halves(tile)
        left = without(hand, tile)
        now = {**ends, train: low + high - ends[train]}
        if self.running:
            return self.chain(now[train], left) - cost(left)
        marked = marked and train != self.seat
        self.looks -= 1
        if low != high or not left or self.looks < 0:
            return self.rating(left, now, marked=marked)
        follow = [
            self.after(left, next_tile, on, now, marked=marked)
            for on, end in now.items()
            if on == train or not self.cover
            for next_tile in left
            if end in halves(next_tile)
        ]
        return max(follow) if follow else self.rating(left, now, marked=True) - STUCK

    def rating(self, hand: Hand, ends: Ends, *, marked: bool) -> float:
        """Returns what a hand is worth at the end of the own turn."""
        planned = PLANNED_MARKED if marked else PLANNED
        value = planned * self.chain(ends[self.seat], hand) - cost(hand) - MARKED * marked
        if not any(end in halves(tile) for tile in hand for end in ends.values()):
            value -= STUCK
        offered = sum(self.unseen[end] for train, end in ends.items() if train != self.seat)
        return value - OFFERED * offered

    def chain(self, end: int, hand: Hand) -> float:
        """Returns what the best train that goes on from an end rids the hand of, later tiles for less."""
        key = end, hand
        best = self.found.get(key)
        if best is None:
            best = 0.0
            self.looks -= 1
            for tile in hand if self.looks > 0 else ():
                low, high = tile >> 4, tile & 15
                if end in (low, high):
                    rest = self.chain(low + high - end, without(hand, tile))
                    best = max(best, low + high + HELD + self.fade * rest)
            self.found[key] = best
        return best


def open_ends(public: MexicanTrainPublic, seat: int) -> dict[int, int]:
    """Returns the ends that the seat may play on, without a duty to cover a double."""
    ends = {
        other: train.end_number
        for other, train in enumerate(public.trains)
        if other == seat or (train.marked and train.tiles)
    }
    if public.HasField("double_train") and public.double_train not in {seat, PUBLIC}:
        ends[public.double_train] = public.trains[public.double_train].end_number
    return {**ends, PUBLIC: public.public_train.end_number}


def unseen_by_number(table: MexicanTrainObservation) -> list[int]:
    """Returns for each number how many tiles with it are in other hands or in the boneyard."""
    trains = [*table.public.trains, table.public.public_train]
    laid = [min(lies, 16 * (lies & 15) + (lies >> 4)) for train in trains for lies in train.tiles]
    unseen = ALL_TILES.difference(laid, table.private.hand_tiles, [table.public.engine_tile])
    return [sum(number in halves(tile) for tile in unseen) for number in range(13)]


def cost(hand: Sequence[int]) -> float:
    """Returns what it costs to hold these tiles."""
    return sum(map(pips, hand)) + HELD * len(hand)


def without(hand: Hand, tile: int) -> Hand:
    """Returns a hand without one of its tiles."""
    return tuple([other for other in hand if other != tile])

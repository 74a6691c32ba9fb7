"""How many matches it takes to tell two bots apart, with the same deals for both and without.

Four ways to play are measured, all in process and with the deals that the referee would make:

    plain       both at one table, in seats drawn anew, every match with deals of its own
    rotate      the same tables in blocks as `referee compare` plays them: the same deals once more, with
                the seats changed
    alone       each in matches of its own, against bots that play as `normal` and with deals of its own
    same_seat   the same, but both meet the same deals, from the same seat, against the same opponents

For each way the unit (a match, a block, a pair of matches) gives one difference of placement points.
The matches needed are those after which the 95 % interval of the mean is expected not to reach 0:
matches in a unit x (1.96 x standard deviation / mean)^2. The mean of plain and rotate is the same
quantity, and so is that of alone and same_seat, so that the more precise of the two stands for both.

Besides the levels of the house bots two versions of one bot are compared that hardly differ: `slip` plays
as `normal` does, but for one decision in fifty, which it leaves to chance. Nobody could tell them apart
in so few matches; how the results scatter says how many it would take to see a difference of 0.05.
Run it with `python -m benchmarks.duplicates [GAME [BLOCKS [SEED [SEATS]]]]`.
"""

import random
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.strength import CONFIDENCE, Choose, play_match, players, usual_seats
from referee import games
from referee.bot import Turn
from referee.games.base import Game
from referee.match import shuffle
from referee.tournament import duel

BLOCKS = 200
PAIRS = (("normal", "easy"), ("expert", "normal"), ("normal", "slip"))
THIRD = "third"
"""Who has the last seat of an odd table, and the other seats where both play alone."""
SLIPS = 0.02
"""How often `slip` leaves a decision to chance."""
SMALL = 0.05
"""A difference of placement points that is worth seeing."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to play: `matches` in a unit, and the difference that each unit gave."""

    name: str
    matches: int
    differences: Sequence[float]

    @property
    def variance(self) -> float:
        """The variance that one match would need to have, for as many to give as precise a mean."""
        return self.matches * statistics.variance(self.differences)

    @property
    def mean(self) -> float:
        """The mean of the differences."""
        return statistics.fmean(self.differences)

    @property
    def half(self) -> float:
        """Half the width of its 95 % interval."""
        return float(CONFIDENCE * statistics.stdev(self.differences) / len(self.differences) ** 0.5)

    def needed(self, mean: float) -> float:
        """Returns after how many matches a mean like this is told from 0."""
        return self.variance * (CONFIDENCE / mean) ** 2


class Tables:
    """Plays matches of two bots, `first` the better one, each unit with deals from its own secret."""

    def __init__(self, game: Game, seats: int, first: str, second: str, seed: int) -> None:
        self._game = game
        self._seats = seats
        self._names = (first, second)
        self._bots: dict[str, Choose] = dict(players(seed))
        self._bots[THIRD] = self._bots["normal"]
        self._bots["slip"] = slipping(self._bots["normal"], seed)
        self._seed = seed
        self._random = random.Random(f"{seed} {first} {second}")

    def ways(self, blocks: int) -> list[Way]:
        """Returns all four ways, each with so many units."""
        each = duel.matches(self._seats)
        return [
            Way("plain", 1, [self._plain(number) for number in range(blocks)]),
            Way("rotate", each, [self._rotate(number) for number in range(blocks)]),
            Way("alone", 2, [self._against_house(number, shared=False) for number in range(blocks)]),
            Way("same_seat", 2, [self._against_house(number, shared=True) for number in range(blocks)]),
        ]

    def _plain(self, number: int) -> float:
        first, second = self._names
        seats = list(duel.sittings(self._seats, number, first, second, THIRD)[0])
        self._random.shuffle(seats)
        return duel.difference([self._play(f"plain {number}", seats)], first, second)

    def _rotate(self, number: int) -> float:
        first, second = self._names
        sittings = duel.sittings(self._seats, number, first, second, THIRD)
        return duel.difference([self._play(f"rotate {number}", seats) for seats in sittings], first, second)

    def _against_house(self, number: int, *, shared: bool) -> float:
        own = self._random.randrange(self._seats)
        house = [THIRD] * self._seats
        points = []
        for bot in self._names:
            deals = f"same_seat {number}" if shared else f"alone {number} {bot}"
            points.append(self._play(deals, [*house[:own], bot, *house[own + 1 :]])[own][1])
        return points[0] - points[1]

    def _play(self, deals: str, seats: Sequence[str]) -> list[tuple[str, float]]:
        secret = shuffle.derived_secret(self._seed, f"{self._game.info.name} {deals}")
        points = play_match(self._game, secret, [self._bots[bot] for bot in seats])
        return list(zip(seats, points, strict=True))


def slipping(choose: Choose, seed: int) -> Choose:
    """Returns the same bot, but for a few decisions that it leaves to chance."""
    chance = random.Random(f"slip {seed}")

    def decide(turn: Turn) -> int:
        index = choose(turn)
        return chance.randrange(len(turn.legal_actions)) if chance.random() < SLIPS else index

    return decide


def report(ways: Sequence[Way]) -> None:
    """Prints what each way needs, and how many times fewer matches that is than without the same deals."""
    for single, block in zip(ways[::2], ways[1::2], strict=True):
        best = min((single, block), key=lambda way: way.variance)
        ratio = single.variance / block.variance
        mean = f"{best.mean:+.3f} +-{best.half:.3f}"
        print(f"    difference {mean}; the same deals: {ratio:.1f} times fewer matches")
        for way in (single, block):
            needed = f"{way.needed(best.mean):6.0f}" if abs(best.mean) > best.half else "      "
            small = f"for {SMALL} points {way.needed(SMALL):6.0f}"
            print(f"    {way.name:9}  variance a match {way.variance:.4f}  matches needed {needed}  {small}")


def main(argv: Sequence[str]) -> None:
    """Measures every game, or the one that is named."""
    named = [argv[0]] if argv else list(games.names())
    blocks = int(argv[1]) if len(argv) > 1 else BLOCKS
    seed = int(argv[2]) if len(argv) > 2 else 1
    for name in named:
        game = games.find(name)
        seats = int(argv[3]) if len(argv) > 3 else usual_seats(game)
        print(f"duplicates: {name}, {seats} seats, {blocks} units of each way, seed {seed}")
        for first, second in PAIRS:
            start = time.monotonic()
            print(f"  {first} - {second}")
            report(Tables(game, seats, first, second, seed).ways(blocks))
            print(f"    ({time.monotonic() - start:.0f} s)")


if __name__ == "__main__":
    main(sys.argv[1:])

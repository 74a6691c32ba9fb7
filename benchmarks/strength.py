"""The house bots against each other, in process: by how much is one better than the other?

A deal group is a whole match, from a secret of its own. It is played in every arrangement of two
strategies that has as many seats of the one as of the other, or one more or less where the number of
seats is odd; so both play all hands from all seats, and what is left of the luck of the deal is the
same for both. Its figure is the mean placement points (0..1) of a seat of the one less those of a
seat of the other. The figures of the groups are independent, so their mean comes with a normal 95%
interval. Run it with `python -m benchmarks.strength [GAME [GROUPS [SEED [SEATS]]]]`.
"""

import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import TypeAlias

from referee import games
from referee.bot import Turn
from referee.games.base import CHANCE, TERMINAL, Game, State, ranks
from referee.match import result, shuffle
from referee.v1 import play_service_pb2 as play
from sample_bots.house import strategies

Choose: TypeAlias = Callable[[Turn], int]

GROUPS = 300
CONFIDENCE = 1.96
USUAL_SEATS = {"mexican_train": 4}
"""The seats of a table where a game leaves the choice."""


def main(argv: Sequence[str]) -> None:
    """Prints the difference of each pair of house bots with its interval, and what a decision takes."""
    named = [argv[0]] if argv else list(games.names())
    groups = int(argv[1]) if len(argv) > 1 else GROUPS
    seed = int(argv[2]) if len(argv) > 2 else 1
    for name in named:
        game = games.find(name)
        seats = int(argv[3]) if len(argv) > 3 else usual_seats(game)
        print(f"strength: {name}, {groups} deal groups of {len(arrangements(seats))} matches, seed {seed}")
        bots = players(seed)
        for first, second in (("normal", "easy"), ("expert", "normal"), ("expert", "easy")):
            mean, half = interval(differences(game, seats, bots[first], bots[second], groups, seed))
            print(f"  {first:6} - {second:6}  {mean:+.3f} placement points a seat (95%: +-{half:.3f})")
        for bot in bots.values():
            print(f"  {bot}")


class Timed:
    """A strategy that keeps how much processor time its decisions took."""

    def __init__(self, name: str, choose: Choose) -> None:
        self.name = name
        self.choose = choose
        self.times: list[float] = []

    def __call__(self, turn: Turn) -> int:
        """Decides, and takes the time."""
        start = time.process_time()
        choice = self.choose(turn)
        self.times.append(time.process_time() - start)
        return choice

    def __str__(self) -> str:
        """Returns the mean and the longest decision."""
        mean, most = statistics.fmean(self.times) * 1e3, max(self.times) * 1e3
        return f"{self.name:6} decides in {mean:.2f} ms, {most:.1f} at most, of {len(self.times)} decisions"


def players(seed: int) -> dict[str, Timed]:
    """Returns the three levels."""
    easy = strategies.easy(random.Random(seed))
    chosen: dict[str, Choose] = {"easy": easy, "normal": strategies.normal, "expert": strategies.expert}
    return {name: Timed(name, choose) for name, choose in chosen.items()}


def usual_seats(game: Game) -> int:
    """Returns the number of seats that is measured unless another is named."""
    return USUAL_SEATS.get(game.info.name, game.info.min_seats)


def arrangements(seats: int) -> list[tuple[int, ...]]:
    """Returns the seats of the first strategy in every match of a group; the second has the others."""
    return [
        chosen for size in {seats // 2, seats - seats // 2} for chosen in combinations(range(seats), size)
    ]


def differences(
    game: Game, seats: int, first: Choose, second: Choose, groups: int, seed: int
) -> Iterator[float]:
    """Yields for each deal group the mean points of a seat of the first less those of the second."""
    for number in range(groups):
        secret = shuffle.derived_secret(seed, str(number))
        yield statistics.fmean(
            _difference(
                play_match(game, secret, [first if seat in chosen else second for seat in range(seats)]),
                chosen,
            )
            for chosen in arrangements(seats)
        )


def interval(figures: Iterator[float]) -> tuple[float, float]:
    """Returns the mean and half the width of its normal 95% interval."""
    known = list(figures)
    return statistics.fmean(known), CONFIDENCE * statistics.stdev(known) / len(known) ** 0.5


def _difference(points: Sequence[float], chosen: Sequence[int]) -> float:
    mine = sum(points[seat] for seat in chosen)
    return mine / len(chosen) - (sum(points) - mine) / (len(points) - len(chosen))


def play_match(game: Game, secret: bytes, bots: Sequence[Choose]) -> Sequence[float]:
    """Plays one match and returns the placement points by seat."""
    options = game.info.resolve({})
    state = game.new(len(bots), options)
    started = [play.MatchStarted(game=game.info.name, seat=seat) for seat in range(len(bots))]
    for message in started:
        for name, value in options.items():
            message.options.add(option=name, value=str(value))
        for seat in range(len(bots)):
            message.seats.add(seat=seat)
    while (seat := state.to_act()) != TERMINAL:
        if seat == CHANCE:
            seed = shuffle.deal_seed(secret, "strength", state.deal + 1, ())
            state.start_deal(shuffle.draw(seed, state.chance()))
        else:
            index = bots[seat](Turn(_ask(game, state, seat), started[seat]))
            state.apply(state.legal_actions()[index])
    return result.points(ranks(state.totals(), lower_is_better=game.info.lower_is_better))


def _ask(game: Game, state: State, seat: int) -> play.Turn:
    """Returns what the referee would send, without clock and events, which these bots do not read."""
    turn = play.Turn()
    view, wire = game.view, game.wire
    turn.observation.ParseFromString(
        wire.public(view.public(state)) + wire.private(view.private(state, seat))
    )
    for action in state.legal_actions():
        turn.legal_actions.add().ParseFromString(wire.action(action))
    return turn


if __name__ == "__main__":
    main(sys.argv[1:])

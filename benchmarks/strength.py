"""The house bots against each other, in process: by how much is one better than the other?

A deal group is a whole match, from a secret of its own. It is played six times, with two seats of
either strategy in every arrangement there is, so that both play all hands from all seats; what is
left of the luck of the deal is the same for both. Its figure is the mean placement points of the
one less those of the other, -2/3..2/3. The figures of the groups are independent, so their mean
comes with a normal 95% interval. Run it with `python -m benchmarks.strength [GROUPS [SEED]]`.
"""

import itertools
import random
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from referee import games
from referee.bot import Turn
from referee.games.base import CHANCE, TERMINAL, Game, State, ranks
from referee.match import result, shuffle
from referee.v1 import play_service_pb2 as play
from sample_bots.house import block_dominoes as house

Choose: TypeAlias = Callable[[Turn], int]

GAME = "block_dominoes"
SEATS = 4
GROUPS = 1000
ARRANGEMENTS = tuple(itertools.combinations(range(SEATS), 2))
"""The seats of the first strategy; the second has the others."""
CONFIDENCE = 1.96


def main(argv: Sequence[str]) -> None:
    """Prints the difference of each pair of house bots with its interval."""
    groups = int(argv[0]) if argv else GROUPS
    seed = int(argv[1]) if len(argv) > 1 else 1
    bots: dict[str, Choose] = {
        "easy": house.easy(random.Random(seed)),
        "normal": house.normal,
        "expert": house.expert,
    }
    print(f"strength: {groups} deal groups of {len(ARRANGEMENTS)} matches of {GAME}, seed {seed}")
    for first, second in (("normal", "easy"), ("expert", "normal"), ("expert", "easy")):
        mean, half = interval(differences(bots[first], bots[second], groups, seed))
        print(f"  {first:6} - {second:6}  {mean:+.3f} placement points a seat (95%: +-{half:.3f})")


def differences(first: Choose, second: Choose, groups: int, seed: int) -> Iterator[float]:
    """Yields for each deal group the mean points of a seat of the first less those of the second."""
    game = games.find(GAME)
    for number in range(groups):
        secret = shuffle.derived_secret(seed, str(number))
        yield statistics.fmean(
            _difference(
                _play(game, secret, [first if seat in seats else second for seat in range(SEATS)]), seats
            )
            for seats in ARRANGEMENTS
        )


def interval(figures: Iterator[float]) -> tuple[float, float]:
    """Returns the mean and half the width of its normal 95% interval."""
    known = list(figures)
    return statistics.fmean(known), CONFIDENCE * statistics.stdev(known) / len(known) ** 0.5


def _difference(points: Sequence[float], seats: Sequence[int]) -> float:
    mine = sum(points[seat] for seat in seats)
    return (mine - (sum(points) - mine)) / len(seats)


def _play(game: Game, secret: bytes, bots: Sequence[Choose]) -> Sequence[float]:
    """Plays one match and returns the placement points by seat."""
    state = game.new(SEATS, game.info.resolve({}))
    started = [play.MatchStarted(game=GAME, seat=seat) for seat in range(SEATS)]
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

"""Facts about Ding Niu, as data: its name, its seats, its options."""

from typing import Final

from referee.games.ding_niu.dealing import HAND, PIECES
from referee.games.ding_niu.hand import SEATS
from referee.games.info import Bounds, GameInfo, Option, Options


def _bounds(options: Options) -> Bounds:
    """Returns what a deal can come to.

    After a seat was asked to settle the three others, who cannot follow, discard one tile each, so
    that it is asked at most once for every tile of a hand.
    """
    asked = HAND if options["settlement"] == "declared" else 0
    low, high = (-3, 6) if options["settlement"] == "off" else (-12, 12)
    return Bounds(low, high, len(PIECES) + asked)


INFO: Final = GameInfo(
    name="ding_niu",
    rules_version="1",
    min_seats=SEATS,
    max_seats=SEATS,
    options=(
        Option("deals", 4, "the deals of a match", low=1, high=1_000),
        Option(
            "lead",
            "rotate",
            "who leads after the first deal: the next seat each time, or the last winner",
            choices=("rotate", "winner"),
        ),
        Option(
            "lead_limit",
            "strict",
            "which doubles may not be led: with any or every non-double of the number in hand; none",
            choices=("strict", "definition", "off"),
        ),
        Option(
            "settlement",
            "auto",
            "a play that nobody can follow: it ends the deal, its player may end it, or nothing happens",
            choices=("auto", "declared", "off"),
        ),
        Option(
            "settlement_pay",
            "plus_two",
            "what the others lose to a settler: two more each (5, 4, 3), or twice as much (6, 4, 2)",
            choices=("plus_two", "doubled"),
        ),
        Option(
            "revoke",
            "reject",
            "a discard while a tile fits: illegal, or it costs the heaviest tile left as well",
            choices=("reject", "extra_discard"),
        ),
    ),
    lower_is_better=False,
    zero_sum=True,
    bounds=_bounds,
    summary="Four seats join 24 tiles to one line and put face down what does not fit; fewest pips down win.",
)

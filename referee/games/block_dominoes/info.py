"""Facts about block dominoes, as data: its name, its seats, its options."""

from typing import Final

from referee.games import tiles
from referee.games.block_dominoes.line import SEATS, TILES
from referee.games.info import Bounds, GameInfo, Option

INFO: Final = GameInfo(
    name="block_dominoes",
    rules_version="1",
    min_seats=SEATS,
    max_seats=SEATS,
    options=(
        Option("target", 100, "the total that ends the match", low=1, high=10_000),
        Option("max_deals", 1_000, "the deals after which it ends at the latest", low=1, high=1_000),
        Option(
            "tie_opener",
            "same",
            "who opens after a drawn deal: its opener, the seat after it, or the holder of 6-6 with it",
            choices=("same", "next_seat", "highest_double"),
        ),
        Option(
            "block_score",
            "others",
            "what a block is worth: the pips of the other seats, or that less the winner's own",
            choices=("others", "others_minus_own"),
        ),
    ),
    lower_is_better=False,
    zero_sum=False,
    bounds=lambda _: Bounds(0, sum(map(tiles.pips, TILES)), len(TILES)),
    summary="Four seats lay all 28 tiles of a double-six set in one line; first to 100 pips wins.",
)

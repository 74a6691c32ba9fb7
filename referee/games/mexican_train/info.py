"""Facts about Mexican Train, as data: its name, its seats, its options."""

from typing import Final

from referee.errors import OptionError
from referee.games import tiles
from referee.games.info import Bounds, GameInfo, Option, Options, OptionValue
from referee.games.mexican_train.table import HIGHEST, MAX_SEATS, MIN_SEATS, TILES, hand_size

NUMBERS: Final = HIGHEST + 1
"""Doubles of the set, and so the deals that engines in descending order can have."""


def _agree(given: Options, resolved: dict[str, OptionValue]) -> None:
    """Gives `descending` one deal for each double unless fewer are asked for; refuses more."""
    if resolved["engine"] != "descending":
        return
    if "deals" not in given:
        resolved["deals"] = NUMBERS
    elif int(resolved["deals"]) > NUMBERS:
        raise OptionError(
            f"option deals: {resolved['deals']} is more than {NUMBERS}, the engines that descending has"
        )


def _bounds(_: Options) -> Bounds:
    """Returns what a deal of any number of seats can come to.

    The most that one seat can hold is all but the hands dealt to the others, least with two seats.
    Whoever goes out or is blocked leaves a tile in every other hand; with one stop for each seat
    that makes as many actions as there are tiles.
    """
    weights = sorted(map(tiles.pips, TILES))
    return Bounds(0, sum(weights[hand_size(MIN_SEATS) :]), len(TILES))


INFO: Final = GameInfo(
    name="mexican_train",
    rules_version="1",
    min_seats=MIN_SEATS,
    max_seats=MAX_SEATS,
    options=(
        Option("deals", 4, "the deals of a match; 13 with descending unless given", low=1, high=1_000),
        Option(
            "engine",
            "highest_double",
            "what lies in the centre: the highest double in any hand, or 12-12 in deal 1 down to 0-0",
            choices=("highest_double", "descending"),
        ),
        Option(
            "doubles",
            "extra_turn",
            "what a played double brings: a further turn, or that and the duty to cover it",
            choices=("extra_turn", "must_satisfy"),
        ),
    ),
    lower_is_better=True,
    zero_sum=False,
    bounds=_bounds,
    summary="Two to eight seats build trains from a double-twelve set; the fewest pips left win.",
    agree=_agree,
)

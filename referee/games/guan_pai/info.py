"""Facts about Guan Pai, as data: its name, its seats, its options, what a deal can come to."""

from typing import Final

from referee.games.guan_pai.forms import LOW_STRAIGHTS
from referee.games.guan_pai.hand import SEATS
from referee.games.guan_pai.scoring import WHOLE
from referee.games.info import Bounds, GameInfo, Option, Options

_WINNERS_BOMBS: Final = 4
"""The most bombs that one hand has in it."""
_MOST_PLIES: Final = 134
"""46 plays of one card, 43 of them followed by two passes and two by one.

Each loser keeps a card. After two passes the same seat plays again, so to get from one hand to the
next, twice, somebody has to play after at most one pass.
"""


def _bounds(options: Options) -> Bounds:
    """Returns what a deal can come to: with all bombs counted any cap can be reached."""
    loss = int(options["cap"])
    if options["bomb_scope"] == "winner":
        fault = WHOLE if options["topping"] == "penalty" else 0
        loss = min(loss, (WHOLE << _WINNERS_BOMBS) + fault)
    loss *= int(options["base"])
    return Bounds(-loss, 2 * loss, _MOST_PLIES)


INFO: Final = GameInfo(
    name="guan_pai",
    rules_version="1",
    min_seats=SEATS,
    max_seats=SEATS,
    options=(
        Option("deals", 6, "the number of deals of a match", low=1, high=1_000),
        Option("base", 1, "what each card counts in the score", low=1, high=1_000),
        Option("cap", 100, "the most cards that a seat pays for in a deal", low=1, high=10_000),
        Option(
            "first_play",
            "any",
            "whether the first play of a deal may be any, or must contain the three of diamonds",
            choices=("any", "must_contain_d3"),
        ),
        Option(
            "must_beat",
            "false",
            "whether a seat that can beat a combination must do so",
            choices=("false", "true"),
        ),
        Option(
            "low_straight",
            "a2345",
            "which straights begin with a low ace or 2: A2345 alone, all from an ace, or those from a 2 too",
            choices=LOW_STRAIGHTS,
        ),
        Option(
            "topping",
            "penalty",
            "what a seat risks that does not play its highest single when the next seat has one card",
            choices=("penalty", "forbid", "off"),
        ),
        Option(
            "bomb_scope",
            "all",
            "whose bombs double the payments: those of all seats, or the winner's",
            choices=("all", "winner"),
        ),
    ),
    lower_is_better=False,
    zero_sum=True,
    bounds=_bounds,
    summary="Three seats shed 16 cards each in combinations and bombs; the losers pay for what is left.",
)

"""Positions of Mexican Train by their text, for tests that need a certain one."""

import re
from collections.abc import Mapping, Sequence

from referee.games import mexican_train, tiles
from referee.games.base import Outcome
from referee.games.info import OptionValue
from referee.games.mexican_train.rules import State, new, restore
from referee.games.mexican_train.table import PUBLIC

GAME = mexican_train.GAME
PIECES = [(low, high) for low in range(13) for high in range(low, 13)]
TRAINS = {**{str(seat): seat for seat in range(PUBLIC)}, "public": PUBLIC}


def codes(text: str) -> list[int]:
    """Returns the numbers of tiles as they are written: `2-5 12-1`."""
    pairs = re.findall(r"(\d+)-(\d+)", text)
    return [16 * int(one) + int(other) for one, other in pairs]


def held(text: str) -> list[int]:
    """Returns the numbers of tiles in a hand or in the boneyard, written either way round."""
    return [tiles.tile(*tiles.halves(code)) for code in codes(text)]


def position(
    hands: Sequence[str],
    trains: Mapping[str, str],
    *,
    engine: int = 12,
    markers: Sequence[int] = (),
    boneyard: str = "",
    seat: int = 0,
    due: int = 0,
    owner: int = 3,
    deal: int = 1,
    passes: int = 0,
    double: str | None = None,
    totals: Sequence[int] | None = None,
    options: dict[str, OptionValue] | None = None,
) -> State:
    """Returns a position with these hands and these trains, by name, each as it lies.

    Markers are those of seats; `due` first turns are left, `double` names the train with a double
    to cover.
    """
    laid = {TRAINS[name]: codes(text) for name, text in trains.items()}
    marked = sum(1 << one for one in markers)
    return restore(
        {
            **GAME.info.resolve(options or {}),
            "deal": deal,
            "seat": seat,
            "owner": owner % len(hands),
            "centre": 17 * engine,
            "due": due,
            "further": False,
            "double": None if double is None else TRAINS[double],
            "drawn": None,
            "marked": marked,
            "shared": sum(1 << one for one in markers if laid.get(one)),
            "passes": passes,
            "blocked": False,
            "hands": [sorted(held(hand)) for hand in hands],
            "boneyard": held(boneyard),
            "trains": [laid.get(train, []) for train in range(PUBLIC + 1)],
            "ends": [(laid.get(train) or [engine])[-1] & 15 for train in range(PUBLIC + 1)],
            "absent": [0] * len(hands),
            "totals": list(totals or [0] * len(hands)),
            "scores": None,
            "scored_deal": 0,
        }
    )


def order(hands: Sequence[str], boneyard: str = "") -> tuple[int, ...]:
    """Returns a deal in which each seat gets these tiles, as far as they are named.

    The boneyard begins with the ones named for it; all other tiles fill up what is left.
    """
    size = 15 if len(hands) <= 4 else 12 if len(hands) <= 6 else 10
    *named, front = ([PIECES.index(tiles.halves(code)) for code in held(text)] for text in (*hands, boneyard))
    taken = {piece for part in [*named, front] for piece in part}
    free = [piece for piece in range(91) if piece not in taken]
    dealt: list[int] = []
    for part in named:
        more = size - len(part)
        dealt += part + free[:more]
        free = free[more:]
    return (*dealt, *front, *free)


def started(
    pieces: Sequence[int], seats: int, options: dict[str, OptionValue] | None = None, deal: int = 1
) -> tuple[State, list[str]]:
    """Returns a deal of a match that begins with this order, and what was told."""
    state = new(seats, GAME.info.resolve(options or {}))
    state.deal = deal - 1
    events = state.start_deal(Outcome((), tuple(pieces)))
    return state, [GAME.text.event(event) for event in events]


def play(state: State, text: str) -> list[str]:
    """Plays an action by its text, as the match machine does, and returns the events in text."""
    action = state.normalise(GAME.text.parse_action(text))
    return [GAME.text.event(event) for event in state.apply(action)]


def legal(state: State) -> list[str]:
    """Returns the legal list in text."""
    return [GAME.text.action(action) for action in state.legal_actions()]


def train(state: State, name: str) -> str:
    """Returns a train in text."""
    return " ".join(map(tiles.text, state.trains[TRAINS[name]]))


def why(state: State, text: str) -> str:
    """Returns why a text is not legal."""
    return state.why_illegal(state.normalise(GAME.text.parse_action(text)))

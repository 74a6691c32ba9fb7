"""Positions of Ding Niu by their text, for tests that need a certain one."""

from collections.abc import Sequence

from referee.games import ding_niu, tiles
from referee.games.base import Outcome
from referee.games.ding_niu.rules import State, restore
from referee.games.info import Options
from tests.games.helpers import start

GAME = ding_niu.GAME


def codes(text: str) -> list[int]:
    """Returns the numbers of tiles as they are written: `2-6 6-1`."""
    return [16 * int(part[0]) + int(part[2]) for part in text.split()]


def position(
    hands: Sequence[str],
    line: str = "",
    *,
    seat: int = 0,
    leader: int | None = None,
    down: Sequence[str] = (),
    totals: Sequence[int] = (0, 0, 0, 0),
    options: Options | None = None,
) -> State:
    """Returns a position of a second deal with these hands, this line and these tiles face down."""
    lies = codes(line)
    held = [sorted(codes(hand)) for hand in hands]
    put = [codes(tiles) for tiles in down]
    return restore(
        {
            **GAME.info.resolve(options or {}),
            "deal": 2,
            "seat": seat,
            "dealer": 3,
            "leader": seat if leader is None else leader,
            "ends": 7 * (lies[0] >> 4) + (lies[-1] & 15) if lies else 0,
            "asked": False,
            "settler": None,
            "winner": 3,
            "line": lies,
            "hands": held + [[]] * (4 - len(held)),
            "discards": put + [[]] * (4 - len(put)),
            "steps": [],
            "totals": list(totals),
            "scores": None,
            "scored_deal": 0,
        }
    )


def dealt(order: Sequence[int], leader: int = 0, options: Options | None = None) -> State:
    """Returns the first deal of a match in this order."""
    state = start(GAME, options)
    assert isinstance(state, State)
    state.start_deal(Outcome((leader,), tuple(order)))
    return state


def order_of(hands: Sequence[str]) -> tuple[int, ...]:
    """Returns an order of the pieces that gives the seats these hands."""
    twice = ["1-1", "1-3", "1-5", "1-6", "2-2", "3-3", "4-4", "4-6", "5-5", "5-6", "6-6"]
    pieces = sorted([*twice, *twice, "2-6", "3-6"])
    order = []
    for tile in " ".join(hands).split():
        order.append(pieces.index(tile))
        pieces[order[-1]] = "gone"
    return tuple(order)


def play(state: State, text: str) -> list[str]:
    """Plays an action by its text, as the match machine does, and returns the events in text."""
    action = state.normalise(GAME.text.parse_action(text))
    return [GAME.text.event(event) for event in state.apply(action)]


def legal(state: State) -> list[str]:
    """Returns the legal list in text."""
    return [GAME.text.action(action) for action in state.legal_actions()]


def line(state: State) -> str:
    """Returns the line in text."""
    return " ".join(map(tiles.text, state.line))


def why(state: State, text: str) -> str:
    """Returns why a text is not legal."""
    return state.why_illegal(state.normalise(GAME.text.parse_action(text)))

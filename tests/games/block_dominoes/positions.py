"""Positions of block dominoes by their text, for tests that need a certain one."""

from collections.abc import Sequence

from referee.games import block_dominoes, tiles
from referee.games.block_dominoes.line import OPEN, OPEN_HIGHEST
from referee.games.block_dominoes.rules import State, restore
from referee.games.info import OptionValue

GAME = block_dominoes.GAME


def codes(text: str) -> list[int]:
    """Returns the numbers of tiles as they are written: `2-5 5-1`."""
    return [16 * int(part[0]) + int(part[2]) for part in text.split()]


def position(
    hands: Sequence[str],
    line: str = "",
    *,
    seat: int = 0,
    deal: int = 2,
    totals: Sequence[int] = (0, 0, 0, 0),
    must: bool = False,
    options: dict[str, OptionValue] | None = None,
) -> State:
    """Returns a position with these hands and this line; `must` says that 6-6 has to open."""
    lies = codes(line)
    ends = 7 * (lies[0] >> 4) + (lies[-1] & 15) if lies else OPEN_HIGHEST if must else OPEN
    held = [sorted(codes(hand)) for hand in hands]
    return restore(
        {
            **GAME.info.resolve(options or {}),
            "deal": deal,
            "seat": seat,
            "opener": seat,
            "ends": ends,
            "passes": 0,
            "line": lies,
            "laid_by": [0] * len(lies),
            "absent": [0, 0, 0, 0],
            "hands": held + [[]] * (4 - len(held)),
            "totals": list(totals),
            "scores": None,
            "scored_deal": 0,
            "winner": None,
            "blocked": False,
        }
    )


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

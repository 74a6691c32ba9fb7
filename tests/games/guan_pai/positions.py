"""Positions of Guan Pai by their text, for tests that need a certain one."""

from collections.abc import Sequence

from referee.games import base, cards, guan_pai
from referee.games.base import TABLE
from referee.games.guan_pai.forms import KINDS
from referee.games.guan_pai.hand import DECK
from referee.games.guan_pai.rules import State, restore
from referee.games.info import OptionValue

GAME = guan_pai.GAME


def codes(text: str) -> list[int]:
    """Returns the numbers of cards as they are written: `3D TS`."""
    return [cards.CODES[name] for name in text.split()]


def of_ranks(*hands: str) -> list[str]:
    """Returns hands of these ranks (`444KK 3`) with suits so that no card is there twice."""
    left = {rank: [card for card in DECK if cards.RANKS[card >> 2] == rank] for rank in cards.RANKS}
    return [" ".join([cards.NAMES[left[rank].pop(0)] for rank in hand.replace(" ", "")]) for hand in hands]


def position(
    hands: Sequence[str],
    *,
    seat: int = 0,
    deal: int = 1,
    totals: Sequence[int] = (0, 0, 0),
    must: bool = False,
    bombs: Sequence[int] = (0, 0, 0),
    options: dict[str, OptionValue] | None = None,
    beat: tuple[str, int, str] | None = None,
) -> State:
    """Returns a position in which a seat leads, or has to beat a kind, a length and a rank.

    `must` says that the play has to contain 3D. What is to be beaten is said to be a play of the seat
    before; its cards are not told.
    """
    demand = [0, 0, 0]
    if beat:
        demand = [KINDS.index(beat[0]) + 1, beat[1], cards.RANKS.index(beat[2])]
    return restore(
        {
            **GAME.info.resolve(options or {}),
            "deal": deal,
            "seat": seat,
            "leader": seat,
            "must_d3": must,
            "demand": demand,
            "passes": 0,
            "trick": [[(seat + 2) % 3, 1, demand[0], demand[2]]] if beat else [],
            "hands": [sorted(codes(hand)) for hand in hands],
            "played": [[], [], []],
            "bombs": list(bombs),
            "fault": TABLE,
            "totals": list(totals),
            "scores": None,
            "scored_deal": 0,
            "winner": None,
        }
    )


def play(state: base.State, text: str) -> list[str]:
    """Plays an action by its text, as the match machine does, and returns the events in text."""
    action = GAME.text.parse_action(text)
    assert state.normalise(action) in state.legal_actions(), state.why_illegal(state.normalise(action))
    return [GAME.text.event(event) for event in state.apply(state.as_played(action))]


def ranks(state: base.State, text: str) -> str:
    """Returns the play of these ranks (`444KK as bomb`) by the seat to act, lowest suits first."""
    wanted, _, kind = text.partition(" as ")
    found = []
    for rank in cards.RANKS:
        mine = [
            card for card in GAME.view.private(state, state.to_act()).hand if cards.RANKS[card >> 2] == rank
        ]
        assert len(mine) >= wanted.count(rank), f"{text} is not held"
        found += [cards.NAMES[card] for card in mine[: wanted.count(rank)]]
    return f"play {' '.join(found)}" + (f" as {kind}" if kind else "")


def put(state: base.State, *plays: str) -> list[str]:
    """Plays actions by their ranks, or `pass`, and returns the events of the last one."""
    events: list[str] = []
    for text in plays:
        events = play(state, text if text == "pass" else ranks(state, text))
    return events


def is_legal(state: base.State, text: str) -> bool:
    """Says whether a play of these ranks is legal."""
    return state.normalise(GAME.text.parse_action(ranks(state, text))) in state.legal_actions()


def legal(state: base.State) -> list[str]:
    """Returns the legal list in text."""
    return [GAME.text.action(action) for action in state.legal_actions()]


def why(state: base.State, text: str) -> str:
    """Returns why a text is not legal."""
    return state.why_illegal(state.normalise(GAME.text.parse_action(text)))

"""Counts of action sequences against the committed ones, for every game."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from referee.games import REGISTRY
from referee.games.base import Action, Game, Outcome, State
from referee.games.info import OptionValue
from tests.games.helpers import start

FOLDER = Path(__file__).parent / "perft"


@dataclass
class Position:
    """One entry of a perft file."""

    game: Game
    name: str
    options: dict[str, OptionValue] = field(default_factory=dict)
    seats: int | None = None
    draws: tuple[int, ...] = ()
    deals: list[Outcome] = field(default_factory=list)
    counts: dict[int, int] = field(default_factory=dict)


def read(game: Game) -> list[Position]:
    """Returns the entries of a game's file: `id`, `options`, `seats`, `draws`, `deal` and `perft` lines.

    `draws` are the numbers drawn before the order of the next deal; without the line there are none.
    """
    entries: list[Position] = []
    for text in (FOLDER / f"{game.info.name}.perft").read_text("utf-8").splitlines():
        word, _, rest = text.partition(" ")
        if word == "id":
            entries.append(Position(game, rest))
        elif word == "options":
            entries[-1].options = {
                name: value for name, _, value in (part.partition("=") for part in rest.split())
            }
        elif word == "seats":
            entries[-1].seats = int(rest)
        elif word == "draws":
            entries[-1].draws = tuple(map(int, rest.split()))
        elif word == "deal":
            entries[-1].deals.append(Outcome(entries[-1].draws, tuple(map(int, rest.split()))))
            entries[-1].draws = ()
        elif word == "perft":
            depth, count = map(int, rest.split())
            entries[-1].counts[depth] = count
        else:
            assert not text or text.startswith("#"), f"{game.info.name}.perft: cannot read {text!r}"
    return entries


def dealt(entry: Position) -> State:
    """Returns the last deal of an entry; the ones before it are played by default actions."""
    state = start(entry.game, entry.options, entry.seats)
    for outcome in entry.deals:
        while state.to_act() >= 0:
            state.apply(state.default_action())
        state.start_deal(outcome)
    return state


def perft(state: State, depth: int) -> int:
    """Counts the sequences of `depth` actions that begin here; a deal that ends earlier has none."""
    legal = state.legal_actions()
    if depth == 1:
        return len(legal)
    return sum(perft(after(state, action), depth - 1) for action in legal)


def after(state: State, action: Action) -> State:
    """Returns the state after an action, the given one unchanged."""
    twin = state.copy()
    twin.apply(action)
    return twin


ENTRIES = [entry for game in REGISTRY for entry in read(game)]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: f"{entry.game.info.name}-{entry.name}")
def test_perft_counts_agree(entry: Position) -> None:
    """The number of sequences of each length is the committed one."""
    state = dealt(entry)
    found = {depth: perft(state, depth) for depth in entry.counts}
    assert entry.counts
    assert found == entry.counts, {
        entry.game.text.action(action): perft(after(state, action), 1) for action in state.legal_actions()
    }

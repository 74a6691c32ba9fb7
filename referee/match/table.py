"""The table of a match: the game's state, and the records of what is dealt and played on it."""

import hashlib
from typing import Any

import msgspec

from referee.games.base import Action, Event, Game, State
from referee.match import events as ev
from referee.match.config import Setup
from referee.match.journal import Journal
from referee.match.shuffle import deal_seed, draw

_ENCODER = msgspec.json.Encoder()


def state_hash(state: State) -> str:
    """Returns the SHA-256 of a state's snapshot as JSON, in hexadecimal."""
    return hashlib.sha256(_ENCODER.encode(state.snapshot())).hexdigest()


class Table:
    """Deals and plays; knows neither clocks nor conduct."""

    def __init__(self, setup: Setup, game: Game, secret: bytes, journal: Journal) -> None:
        self.game = game
        self.state = game.new(len(setup.seats), setup.options)
        self.plies = 0
        self.events: list[Event] = []
        """What the last deal or action brought, with the whole truth."""
        self._group = setup.deal_group
        self._secret = secret
        self._journal = journal

    def deal(self, contributions: tuple[bytes, ...], t: int) -> int:
        """Draws and gives out the next deal; returns its number."""
        number = self.state.deal + 1
        seed = deal_seed(self._secret, self._group, number, contributions)
        outcome = draw(seed, self.state.chance())
        self.events = self.state.start_deal(outcome)
        told = tuple(map(self.game.text.event, self.events))
        self._journal.emit(ev.Deal, t, deal=number, draws=outcome.draws, order=outcome.order, events=told)
        return number

    def play(self, kind: type[ev.Act] | type[ev.Default], action: Action, t: int, **fields: Any) -> None:
        """Plays a legal action and records it, then the result of the deal if it ended."""
        self.plies += 1
        self.events = self.state.apply(action)
        followed = tuple(map(self.game.text.event, self.events[1:])) if len(self.events) > 1 else ()
        text = self.game.text.action(action)
        self._journal.emit(kind, t, ply=self.plies, action=text, events=followed, **fields)
        if self.state.to_act() < 0:
            self._deal_ended(t)

    def _deal_ended(self, t: int) -> None:
        result = self.state.deal_result()
        if result is None:
            raise AssertionError("the game ended a deal and has no result of it")
        self._journal.emit(ev.DealResult, t, **result._asdict(), state=state_hash(self.state))

"""Matches in two worlds that one seat cannot tell apart, and all frames that it gets in them."""

import random
from collections.abc import Callable
from functools import cache

import pytest

from referee.games.base import Action, Chance, Game, Outcome
from referee.match import table
from referee.match.attempt import Attempt, Chosen, Index, Texted, Unreadable
from referee.match.config import Penalties, TimeControl
from referee.match.events import Record
from referee.match.machine import Match
from referee.server.codec import Codec, Outgoing, Wish
from referee.v1 import play_service_pb2 as pb
from tests.games.helpers import sittings
from tests.games.worlds import Pair, pairs, pool
from tests.match.harness import MS, SECOND, SECRET, setup


@cache
def tried(game: Game) -> list[Action]:
    """Returns actions that a viewer names where they may not be legal."""
    return pool(game)


class World:
    """A match of one of the two deals; keeps what the viewer is sent, input by input."""

    def __init__(self, pair: Pair, number: int, wish: Wish, patch: pytest.MonkeyPatch) -> None:
        self.viewer = pair.viewer
        self.wish = wish
        self.now = 0
        self.sent: list[Outgoing] = []
        self.inputs: list[list[Outgoing]] = []
        self._fuzz = random.Random(str(pair))
        self.game, seats, options = pair.sitting
        header = setup(
            seats=seats,
            game=self.game.info.name,
            options=dict(options),
            time_control=TimeControl(base=SECOND, bank=0),
            penalties=Penalties(retries=1000, strikes=1000, strays=3),
        )
        wishes = [wish if seat == pair.viewer else Wish() for seat in range(seats)]
        self.codec = Codec(header, self.game, wishes)
        self.match = Match(header, self.game, SECRET, 0, self.take)
        outcomes = iter([*(deal.outcome for deal in pair.before), pair.worlds[number].outcome])

        def draw(seed: bytes, chance: Chance) -> Outcome:
            del seed, chance
            return next(outcomes)

        patch.setattr(table, "draw", draw)
        self.inputs.append([Outgoing(pair.viewer, self.codec.started(pair.viewer))])
        for seat in range(seats):
            self.feed(self.match.ready, seat, b"")
        for action in (action for deal in pair.before for action in deal.actions):
            question = self.match.open_turn
            assert question
            self.feed(self.match.act, question.seat, question.turn, Chosen(action))

    def take(self, record: Record) -> None:
        """Takes a record of the match while the state is as it says."""
        self.codec.record(self.match, record)

    def feed(self, entry: Callable[..., None], *args: object) -> None:
        """Gives one input to the match, a millisecond after the last one."""
        self.now += MS
        entry(*args, self.now)
        self._settle()

    def resync(self) -> None:
        """Tells the match again to the viewer, as to a new stream of it."""
        self.now += MS
        self.codec.wish(self.viewer, self.wish)
        self.codec.resync(self.match, self.viewer, self.now)
        self._settle()

    def play(self, action: Action) -> None:
        """Goes through every way to be refused, then plays the action; the viewer's default by lateness."""
        question = self.match.open_turn
        assert question
        seat, turn = question.seat, question.turn
        self.stray()
        self.err(seat, turn, action)
        self.resync()
        if seat == self.viewer and action == self.match.state.default_action():
            self.now += 2 * SECOND
            self.feed(self.match.tick)
            self.feed(self.match.act, seat, turn, Chosen(action))
        else:
            self.feed(self.match.act, seat, turn, Chosen(action))

    def stray(self) -> None:
        """Sends acts of the viewer that answer no open turn of it, and a flood."""
        asked = self.match._turns[self.viewer].asked
        for turn in range(max(0, asked - 2), asked + 3):
            if turn != self.match.current_turn(self.viewer):
                attempt: Attempt = self._fuzz.choice(
                    (Index(turn), Texted("play 0-0"), Chosen(tried(self.game)[turn]))
                )
                self.feed(self.match.act, self.viewer, turn, attempt)
        self.feed(self.match.flooded, self.viewer)

    def err(self, seat: int, turn: int, action: Action) -> None:
        """Answers the open turn wrongly: the viewer in every form, others in what no deal allows."""
        wrong: list[Attempt] = [
            Index(-1),
            Index(999),
            Texted(""),
            Texted("play 7-77"),
            Unreadable("ff", "no"),
        ]
        if seat == self.viewer:
            listed = self.match.state.legal_actions()
            assert action in listed
            illegal = [one for one in tried(self.game) if self.match.state.normalise(one) not in listed]
            chosen = self._fuzz.sample(illegal, min(8, len(illegal)))
            wrong += [Index(len(listed)), *map(Chosen, chosen[:5])]
            wrong += [Texted(self.game.text.action(one)) for one in chosen[5:]]
        for attempt in wrong:
            self.feed(self.match.act, seat, turn, attempt)

    def _settle(self) -> None:
        self.codec.settle(self.match, self.now)
        sent = self.codec.take()
        self.inputs.append([out for out in sent if out.seat == self.viewer])
        if question := self.match.open_turn:
            self.match.asked(question.seat, question.turn, self.now)


def told(pair: Pair, number: int, wish: Wish, patch: pytest.MonkeyPatch) -> list[list[Outgoing]]:
    """Returns what the viewer is sent in one of the two worlds, up to the last common position."""
    world = World(pair, number, wish, patch)
    for action in pair.worlds[number].actions:
        world.play(action)
    question = world.match.open_turn
    assert question
    world.stray()
    world.err(question.seat, question.turn, world.match.state.legal_actions()[0])
    world.resync()
    return world.inputs


def seated(game: Game, seed: int, positions: int) -> list[Pair]:
    """Returns pairs of worlds that one seat cannot tell apart, at every kind of table of a game."""
    tables = [sitting for sitting in sittings() if sitting.game is game]
    each = max(4, positions // len(tables))
    return [pair for sitting in tables for pair in pairs(sitting, seed, each, seats_only=True)]


def kinds(inputs: list[list[Outgoing]]) -> dict[str, int]:
    """Counts the frames by kind, refusals by fault too."""
    counts: dict[str, int] = {}
    told = (pb.PlayResponse.FromString(out.data).frames for group in inputs for out in group)
    for one in (one for frames in told for one in frames):
        kind = one.WhichOneof("frame") or ""
        name = f"rejected {one.rejected.fault}" if kind == "rejected" else kind
        counts[name] = counts.get(name, 0) + 1
    return counts

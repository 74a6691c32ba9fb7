"""L1, L9: all that a spectator is told is the same in two worlds that the table cannot tell apart."""

import zlib
from collections.abc import Callable, Sequence
from typing import TypeAlias

import pytest

from referee.games import REGISTRY, names
from referee.games.base import Event, Game, State
from referee.games.encode import prefixed
from referee.match import events as ev
from referee.server.watch import past as pasts
from referee.server.watch import telling
from referee.server.watch.telling import Group, Position, Teller
from tests.games.worlds import Pair
from tests.server.test_planted_leaks import has_secret
from tests.server.watched_worlds import tables, watched

Plant: TypeAlias = Callable[[Game, pytest.MonkeyPatch], None]
every_game = pytest.mark.parametrize("game", REGISTRY, ids=names())


@every_game
@pytest.mark.parametrize("delay", [0, 8])
def test_l1_l9_what_a_spectator_is_told_is_the_same_in_both_worlds(
    game: Game, delay: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each message as it goes, the snapshot for who comes later, and what a log tells, byte for byte."""
    found = tables(game)
    assert len(found) >= 8
    for pair in found:
        one, other = (watched(pair, number, delay, monkeypatch) for number in (0, 1))

        assert one.told == other.told
        assert one.joined == other.joined
        assert any(one.told) or delay


@every_game
def test_l9_memory_and_log_show_the_same_position(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who comes late is told the same by a show that has run for long as by the log."""
    for pair in tables(game)[::3]:
        world = watched(pair, 0, 8, monkeypatch)

        assert world.joined[0::3] == world.joined[1::3]


def leak_a_hand(game: Game, patch: pytest.MonkeyPatch) -> None:
    """Shows a hand with the table, as a feed made for a seat might."""
    look = Teller.look

    def too_much(self: Teller, state: State) -> bytes:
        return look(self, state) + game.wire.private(game.view.private(state, 0))

    patch.setattr(Teller, "look", too_much)


def leak_a_hand_in_the_snapshot(game: Game, patch: pytest.MonkeyPatch) -> None:
    """Shows a hand to late comers only."""

    class Careless(Teller):
        def look(self, state: State) -> bytes:
            return super().look(state) + game.wire.private(game.view.private(state, 0))

    patch.setattr(pasts, "Teller", Careless)


def leak_in_a_count(game: Game, patch: pytest.MonkeyPatch) -> None:
    """Tells of one event more where the hidden state says so."""
    del game
    tell = Teller.tell

    def once_more(
        self: Teller, record: ev.Record, state: State, events: Sequence[Event], plies: int
    ) -> Group | None:
        group = tell(self, record, state, events, plies)
        if group and zlib.crc32(str(state.snapshot()).encode()) & 1:
            self.position = Position(self.position.event_id + 1, self.position.table)
        return group

    patch.setattr(Teller, "tell", once_more)


def leak_in_a_size(game: Game, patch: pytest.MonkeyPatch) -> None:
    """Sends as many bytes more as the seat to act has choices."""
    del game
    look = Teller.look

    def padded(self: Teller, state: State) -> bytes:
        choices = len(state.legal_actions()) if state.to_act() >= 0 else 0
        return look(self, state) + prefixed(b"\xfa\x7f", bytes(choices))

    patch.setattr(Teller, "look", padded)


@every_game
@pytest.mark.parametrize("plant", [leak_a_hand, leak_a_hand_in_the_snapshot, leak_in_a_count, leak_in_a_size])
def test_l9_a_planted_leak_makes_some_message_differ(
    game: Game, plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hand, a count or a size that comes from what is hidden is seen by the comparison."""
    plant(game, monkeypatch)

    assert any(differs(pair, monkeypatch) for pair in tables(game))


@every_game
def test_l9_an_event_told_whole_makes_some_message_differ(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a game with events that not all may know, telling them whole is seen by the comparison."""
    found = tables(game)
    secret = any(has_secret(pair) for pair in found)
    monkeypatch.setattr(telling, "_seen", {})

    def untouched(event: Event, viewer: int) -> Event:
        del viewer
        return event

    monkeypatch.setattr(game.view, "redact", untouched)

    assert any(differs(pair, monkeypatch) for pair in found) == secret


def differs(pair: Pair, patch: pytest.MonkeyPatch) -> bool:
    """Says whether a spectator can tell the two worlds apart, without any delay."""
    one, other = (watched(pair, number, 0, patch) for number in (0, 1))
    return one.told != other.told or one.joined != other.joined

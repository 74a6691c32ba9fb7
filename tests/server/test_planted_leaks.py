"""L1, L5, L14: what the comparison of paired worlds has to catch, planted where it might slip in."""

import zlib
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from referee.games import REGISTRY, names
from referee.games.base import Action, Event, Game, State
from referee.match.machine import Match
from referee.server import codec as codecs
from referee.server.codec import Codec, Outgoing, Seen, Wish
from referee.server.frames import frame
from referee.v1 import play_service_pb2 as pb
from tests.games.worlds import Pair
from tests.server.worlds import seated, told

Plant: TypeAlias = Callable[[Game, pytest.MonkeyPatch], None]
every_game = pytest.mark.parametrize("game", REGISTRY, ids=names())


def leak_a_hand(game: Game, patch: pytest.MonkeyPatch) -> None:
    """Shows the hand of the next seat, as a slip in a seat number might."""
    private = game.view.private

    def other(state: State, seat: int) -> object:
        return private(state, (seat + 1) % len(state.totals()))

    patch.setattr(game.view, "private", other)


def leak_an_event(game: Game, patch: pytest.MonkeyPatch) -> None:
    """Tells everybody what only some may know."""
    patch.setattr(codecs, "_seen", {})

    def untouched(event: Event, viewer: int) -> Event:
        del viewer
        return event

    patch.setattr(game.view, "redact", untouched)


def leak_in_a_reason(game: Game, patch: pytest.MonkeyPatch) -> None:
    """Says something of the whole state, as a too helpful refusal might."""

    def why(self: State, action: Action) -> str:
        return f"{action} does not fit {self.snapshot()}"

    patch.setattr(type(game.new(game.info.min_seats, game.info.resolve({}))), "why_illegal", why)


def leak_in_a_stray(game: Game, patch: pytest.MonkeyPatch) -> None:
    """Tells a seat that is not to act how many choices the other one has."""
    del game
    rejected = Codec._rejected

    def told_too_much(self: Codec, match: Match, refusal: Any, now: int) -> bytes:
        if not match.current_turn(refusal.seat):
            refusal.retries = len(match.state.legal_actions())
        return rejected(self, match, refusal, now)

    patch.setattr(Codec, "_rejected", told_too_much)


def leak_in_a_count(game: Game, patch: pytest.MonkeyPatch) -> None:
    """Tells of one event more where the hidden state says so."""
    del game
    happened = Codec._happened

    def once_more(self: Codec, match: Match) -> None:
        happened(self, match)
        if zlib.crc32(str(match.state.snapshot()).encode()) & 1:
            self._publish(match.plies, 0, Seen(codecs._EVENT_FORFEITED, {}))

    patch.setattr(Codec, "_happened", once_more)


def leak_on_return(game: Game, patch: pytest.MonkeyPatch) -> None:
    """Tells a stream that comes back what another seat holds."""
    resync = Codec.resync

    def too_much(self: Codec, match: Match, seat: int, now: int) -> None:
        resync(self, match, seat, now)
        other = game.wire.private(game.view.private(match.state, (seat + 1) % len(match.state.totals())))
        self.out.append(Outgoing(seat, frame("deal_ended", other)))

    patch.setattr(Codec, "resync", too_much)


PLANTED = [
    (leak_a_hand, pb.EVENT_DELIVERY_NONE),
    (leak_in_a_reason, pb.EVENT_DELIVERY_NONE),
    (leak_in_a_stray, pb.EVENT_DELIVERY_NONE),
    (leak_in_a_count, pb.EVENT_DELIVERY_WITH_TURN),
    (leak_in_a_count, pb.EVENT_DELIVERY_AT_ONCE),
    (leak_on_return, pb.EVENT_DELIVERY_WITH_TURN),
]


def differ(game: Game, delivery: int, patch: pytest.MonkeyPatch) -> bool:
    """Says whether some pair of worlds can be told apart by what a seat is sent."""
    wish = Wish(delivery)
    return any(told(pair, 0, wish, patch) != told(pair, 1, wish, patch) for pair in seated(game, 6, 40))


@every_game
@pytest.mark.parametrize(("plant", "delivery"), PLANTED)
def test_l1_l5_l14_a_planted_leak_makes_some_frame_differ(
    game: Game, plant: Plant, delivery: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hand, a hint, a number or a count that comes from another hand is seen by the comparison."""
    plant(game, monkeypatch)

    assert differ(game, delivery, monkeypatch)


@every_game
@pytest.mark.parametrize("delivery", [pb.EVENT_DELIVERY_WITH_TURN, pb.EVENT_DELIVERY_AT_ONCE])
def test_l5_an_event_told_whole_makes_some_frame_differ(
    game: Game, delivery: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a game with events that not all may know, telling them to all is seen by the comparison."""
    secret = any(has_secret(pair) for pair in seated(game, 6, 40))
    leak_an_event(game, monkeypatch)

    assert differ(game, delivery, monkeypatch) == secret


def has_secret(pair: Pair) -> bool:
    """Says whether something happened in the last deal of which the viewer may not know all."""
    state, world = pair.begin(), pair.worlds[0]
    events = state.start_deal(world.outcome)
    for action in world.actions:
        events += state.apply(action)
    return any(pair.sitting.game.view.redact(event, pair.viewer) != event for event in events)

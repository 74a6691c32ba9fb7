"""R7: what bots are told of a match before it begins, and what its log says of it, in every game."""

import json

import pytest

from referee.replay.record import Chain
from referee.server.codec import Codec, Wish
from referee.v1 import play_service_pb2 as pb
from tests.games.helpers import Sitting, sittings
from tests.match.harness import setup


@pytest.mark.parametrize("sitting", list(sittings()), ids=str)
def test_r7_all_options_in_force_are_sent_and_logged(sitting: Sitting) -> None:
    """`MatchStarted` and the header of the log have the game, its rules version and every option."""
    info = sitting.game.info
    header = setup(seats=sitting.seats, game=info.name, options=dict(sitting.options))
    expected = info.resolve(sitting.options)

    codec = Codec(header, sitting.game, [Wish()] * sitting.seats)
    (frame,) = pb.PlayResponse.FromString(codec.started(0)).frames
    logged = json.loads(Chain().header(header))

    started = frame.match_started
    assert (started.game, started.rules_version) == (info.name, info.rules_version)
    assert {one.option: one.value for one in started.options} == {
        name: str(value) for name, value in expected.items()
    }
    assert len(started.seats) == sitting.seats
    assert (logged["game"], logged["rules_version"]) == (info.name, info.rules_version)
    assert logged["options"] == expected
    assert set(sitting.options.items()) <= set(expected.items())

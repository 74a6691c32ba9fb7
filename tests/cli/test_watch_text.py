"""What a spectator is told, in words: of every game, to the last event of whole matches."""

from pathlib import Path

import pytest

from referee.cli.watch_text import Reporter
from referee.match import events as ev
from referee.replay.reader import read
from referee.server.watch import message
from referee.server.watch.past import past
from referee.server.watch.telling import BEGINNING
from referee.v1 import arena_service_pb2 as pb
from referee.v1 import event_pb2, game_pb2, match_pb2, mexican_train_pb2

HEADING = "  ply  seat"
WORDS = {"play", "stop", "continue", "pass"}
"""What an action in text begins with, where everybody sees it."""
GOLDEN = sorted((Path(__file__).resolve().parents[2] / "replays" / "golden").glob("*/*.jsonl"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_golden_match_is_told_in_words_and_shows_no_hand_before_the_end_of_its_deal(path: Path) -> None:
    """Each event is a line with its ply, an action as the game writes it."""
    log = read(path)
    groups = past(log, -1).groups
    data = [message.started(log.setup, BEGINNING, 8), *(group.data for group in groups)]
    frames = [frame for one in data for frame in pb.WatchMatchResponse.FromString(one).frames]
    reporter = Reporter()
    lines = [(frame, line) for frame in frames for line in reporter.lines(frame)]

    assert all(line.isprintable() for _, line in lines)
    events = [line for frame, line in lines if frame.HasField("event") and line != HEADING]
    assert [line for _, line in lines].count(HEADING) == bool(events)
    assert len(events) == (groups[-1].after.event_id if groups else 0)
    played = {record.action for record in log.records if isinstance(record, ev.Act | ev.Default)}
    told = [line.partition(": ")[2] for line in events]
    named = {text for text in told if text.partition(" ")[0] in WORDS}
    assert named or not groups or log.setup.game == "ding_niu"  # which tells tile and end apart
    assert named <= played
    hands = [line for _, line in lines if "hand tiles" in line or "hand cards" in line]
    assert all(line.startswith("deal ") for line in hands)


def test_a_marker_is_told_when_it_comes_and_when_it_goes() -> None:
    """What an event says by the absence of a mark is a word too, after the ply and the seat, once each."""
    reporter = Reporter()
    seats = [
        match_pb2.Seat(seat=0, display_name="seat 0"),
        match_pb2.Seat(seat=1, display_name="bo"),
    ]
    about = match_pb2.Match(match_id="m", game="mexican_train", seats=seats)
    frames = [pb.WatchMatchFrame(started=pb.WatchStarted(match=about, delay_plies=1))]
    for ply, (seat, marked) in enumerate([(0, True), (0, False), (1, False)]):
        marker = mexican_train_pb2.MexicanTrainMarker(marked=marked)
        told = game_pb2.GameEvent(mexican_train=mexican_train_pb2.MexicanTrainEvent(marker=marker))
        frames.append(pb.WatchMatchFrame(event=event_pb2.Event(ply=ply, seat=seat, game=told)))

    _, late, *lines = [line for frame in frames for line in reporter.lines(frame)]
    assert late == "told 1 ply late, from after event 0"
    assert lines == [
        HEADING,
        "    0  0: marker marked",
        "    1  0: marker not marked",
        "    2  1 bo: marker not marked",
    ]

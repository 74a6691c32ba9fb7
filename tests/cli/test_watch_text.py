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
    events = [line for frame, line in lines if frame.HasField("event")]
    assert len(events) == (groups[-1].after.event_id if groups else 0)
    played = {record.action for record in log.records if isinstance(record, ev.Act | ev.Default)}
    told = [line.partition(": ")[2] for line in events]
    named = {text for text in told if text.partition(" ")[0] in WORDS}
    assert named or not groups or log.setup.game == "ding_niu"  # which tells tile and end apart
    assert named <= played
    hands = [line for _, line in lines if "hand tiles" in line or "hand cards" in line]
    assert all(line.startswith("deal ") for line in hands)

"""Where the microseconds of a decision go: the same matches with one step more each time.

Each stage plays whole matches of block dominoes in this process, without a network, and adds one
step of the path that a decision takes in the server; the difference to the stage before is what the
step costs. Transport is what `wire` measures besides.
"""

import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.report import paired, spread
from referee import __version__, games
from referee.match.attempt import Chosen
from referee.match.config import SeatInfo, Setup
from referee.match.events import Record
from referee.match.machine import Match
from referee.match.shuffle import commit
from referee.replay.writer import LogWriter
from referee.server.answers import attempt_of
from referee.server.codec import Codec, Wish
from referee.v1 import play_service_pb2 as pb

DECISIONS = 10_000
ROUNDS = 7
TARGET = 5_000
"""Long matches, so that a decision is measured and not the start of a match."""
SECRET = bytes(32)
GAME = games.find("block_dominoes")
STAGES = ("rules", "match", "act parsed", "log", "frames")


def main() -> None:
    """Prints what each step of a decision costs."""
    figures = paired(ROUNDS, {stage: _stage(stage) for stage in STAGES})
    print(f"steps: block dominoes in one process, {DECISIONS} decisions a round, {ROUNDS} rounds")
    before = [0.0] * ROUNDS
    for stage in STAGES:
        steps = [whole - less for whole, less in zip(figures[stage], before, strict=True)]
        print(f"  + {stage:11} {spread(steps)} us, together {spread(figures[stage])} us a decision")
        before = figures[stage]


def _stage(stage: str) -> Callable[[], float]:
    return _rules if stage == "rules" else lambda: _play(STAGES.index(stage))


def _rules() -> float:
    rng, order = random.Random(1), list(range(28))
    decisions, start = 0, time.perf_counter()
    while decisions < DECISIONS:
        state = GAME.new(4, GAME.info.resolve({"target": TARGET}))
        while state.to_act() != games.base.TERMINAL:
            if state.to_act() == games.base.CHANCE:
                rng.shuffle(order)
                state.start_deal(games.base.Outcome((), tuple(order)))
            else:
                state.apply(state.legal_actions()[0])
                decisions += 1
    return (time.perf_counter() - start) / decisions * 1e6


def _play(depth: int) -> float:
    decisions, number, start = 0, 0, time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        while decisions < DECISIONS:
            number += 1
            decisions += _match(depth, Path(folder), number)
        return (time.perf_counter() - start) / decisions * 1e6


def _match(depth: int, root: Path, number: int) -> int:
    """Plays one match; `depth` is the index of the last step that is taken."""
    setup = _setup(number)
    writer = LogWriter.create(root, setup, SECRET) if depth >= STAGES.index("log") else None
    codec = Codec(setup, GAME, [Wish()] * 4) if depth >= STAGES.index("frames") else None

    def sink(record: Record) -> None:
        if writer:
            writer.append(record)
        if codec:
            codec.record(match, record)

    match = Match(setup, GAME, SECRET, 0, sink)
    for seat in range(4):
        match.ready(seat, b"", 0)
    while turn := match.open_turn:
        match.asked(turn.seat, turn.turn, 0)
        action = match.state.legal_actions()[0]
        if depth >= STAGES.index("act parsed"):
            request = pb.PlayRequest.FromString(_request(setup.match_id, turn.turn, action))
            attempt = attempt_of(request.frames[0].act, GAME)
        else:
            attempt = Chosen(action)
        match.act(turn.seat, turn.turn, attempt, 0)
        if writer:
            writer.flush()
        if codec:
            codec.settle(match, 0)
            codec.take()
    if writer:
        writer.abandon()
    return match.plies


_requests: dict[tuple[str, int, int], bytes] = {}


def _request(match_id: str, turn: int, action: int) -> bytes:
    """Returns what a bot sends; kept from round to round, since building it is the bot's work."""
    key = (match_id, turn, action)
    if key not in _requests:
        act = pb.Act(match_id=match_id, turn_id=turn)
        act.action.ParseFromString(GAME.wire.action(action))
        _requests[key] = pb.PlayRequest(frames=[pb.PlayRequestFrame(act=act)]).SerializeToString()
    return _requests[key]


def _setup(number: int) -> Setup:
    return Setup(
        engine_version=__version__,
        game=GAME.info.name,
        rules_version=GAME.info.rules_version,
        match_id=f"01890000-0000-7000-8000-{number:012}",
        deal_group=f"group {number}",
        options=GAME.info.resolve({"target": TARGET}),
        seats=tuple(SeatInfo(owner=f"o{n}", bot=f"b{n}", name=f"b{n}") for n in range(4)),
        commitment=commit(f"group {number}", SECRET),
        provable=False,
        created=1_700_000_000_000_000,
    )

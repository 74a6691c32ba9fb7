"""What the misbehaving bots share: a bare client that answers legally unless its sin is due.

It shows too what a bot has to do without the kit. `--at N` makes the Nth question of the process the
first sinful one (counted from 1), `--times N` stops after that many sins; without it they go on.
"""

import argparse
import atexit
import os
import queue
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import grpc

from referee.v1 import play_service_pb2 as play

METHOD = "/referee.v1.PlayService/Play"
GAMES = ["block_dominoes", "guan_pai", "mexican_train", "ding_niu"]
LEGAL = 0
"""The index that a decent answer names."""


def parser(purpose: str | None) -> argparse.ArgumentParser:
    """Returns a command line parser with the options that all these bots have."""
    options = argparse.ArgumentParser(description=purpose)
    options.add_argument("--server", default=os.environ.get("REFEREE_ADDRESS"))
    options.add_argument("--token", default=os.environ.get("REFEREE_TOKEN"))
    options.add_argument("--at", type=int, default=1, help="the first sinful question, from 1")
    options.add_argument("--times", type=int, default=0, help="how many sins; 0 means no end")
    return options


def _end() -> None:
    """Ends the process at once, with the status that it was about to end with.

    Otherwise the interpreter stops the threads of gRPC's synchronous stub wherever they are, and then
    waits for ever if one of them held the lock that is needed to take the call apart. The stream would
    stay open, and the bot would look silent instead of gone.
    """
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(hasattr(sys, "last_value"))  # set when a traceback was printed


class Stream:
    """One stream to the referee; requests are bytes, so that anything can be sent."""

    def __init__(self, options: argparse.Namespace, channel_options: Any = (), **hello: Any) -> None:
        atexit.register(_end)  # only now: the command line may have a status of its own
        self._requests: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        channel = grpc.insecure_channel(
            options.server, [("grpc.use_local_subchannel_pool", 1), *channel_options]
        )
        metadata = (("authorization", f"Bearer {options.token}"),)
        call = channel.stream_stream(METHOD, None, play.PlayResponse.FromString)
        self._call = call(iter(self._requests.get, None), metadata=metadata)
        self.send(hello=play.Hello(**{"protocol_version": 1, "games": GAMES, "bot_version": "1", **hello}))

    def send(self, **arm: Any) -> None:
        """Sends one frame."""
        self.send_bytes(play.PlayRequest(frames=[play.PlayRequestFrame(**arm)]).SerializeToString())

    def send_bytes(self, message: bytes) -> None:
        """Sends anything."""
        self._requests.put(message)

    def act(self, turn: play.Turn, **fields: Any) -> None:
        """Answers a turn, legally unless `fields` of the act say otherwise."""
        answer = {} if fields.keys() & {"action", "index", "text"} else {"index": LEGAL}
        self.send(act=play.Act(**{"match_id": turn.match_id, "turn_id": turn.turn_id, **answer, **fields}))

    def frames(self) -> Iterator[play.PlayResponseFrame]:
        """Yields what the referee says until the stream ends."""
        for response in self.responses():
            yield from response.frames

    def responses(self) -> Iterator[play.PlayResponse]:
        """Yields the messages of the referee until the stream ends."""
        try:
            yield from self._call
        except grpc.RpcError as error:
            print(error.code().name, error.details(), flush=True)

    def drop(self) -> None:
        """Ends the stream at once."""
        self._call.cancel()  # type: ignore[no-untyped-call]


class Bot:
    """Plays legally; `sin(stream, turn)` answers the questions at which a sin is due.

    A sin may answer the turn or not. After a refusal an `obstinate` bot sins again while sins are
    due; another one answers legally. So does every bot when a question is told again on a new stream.
    """

    def __init__(
        self,
        options: argparse.Namespace,
        sin: Callable[[Stream, play.Turn], None],
        *,
        obstinate: bool = False,
    ) -> None:
        self.options = options
        self.over = False
        self._sin = sin
        self._obstinate = obstinate
        self._asked = 0
        self._sins = 0
        self._open: dict[str, play.Turn] = {}

    def run(self, stream: Stream) -> None:
        """Plays until the stream ends."""
        for frame in stream.frames():
            self.hear(stream, frame)

    def run_on(self, **hello: Any) -> None:
        """Plays, and opens a new stream whenever one ends, until it is told to go."""
        while not self.over:
            self.run(Stream(self.options, **hello))
            time.sleep(0.2)

    def hear(self, stream: Stream, frame: play.PlayResponseFrame) -> None:
        """Answers one frame."""
        arm = frame.WhichOneof("frame")
        if arm == "match_started":
            stream.send(ready=play.Ready(match_id=frame.match_started.match_id, entropy=os.urandom(16)))
        elif arm == "ping":
            stream.send(pong=play.Pong(ping_id=frame.ping.ping_id))
        elif arm == "turn":
            open_turn = self._open.get(frame.turn.match_id)
            new = open_turn is None or open_turn.turn_id != frame.turn.turn_id
            self._asked += new
            self._open[frame.turn.match_id] = frame.turn
            self._answer(stream, frame.turn, sinful=new)
        elif arm == "rejected":
            self._refused(stream, frame.rejected)
        elif arm == "goodbye":
            reason = frame.goodbye.reason
            self.over = reason in {play.GOODBYE_REASON_LEFT, play.GOODBYE_REASON_TAKEN_OVER}

    def _refused(self, stream: Stream, rejected: play.Rejected) -> None:
        turn = self._open.get(rejected.match_id)
        still_open = turn is not None and rejected.turn_id == turn.turn_id
        if turn is not None and still_open and not rejected.HasField("played_action"):
            self._answer(stream, turn, sinful=self._obstinate)

    def _answer(self, stream: Stream, turn: play.Turn, *, sinful: bool) -> None:
        sins_left = not self.options.times or self._sins < self.options.times
        if sinful and sins_left and self._asked >= self.options.at:
            self._sins += 1
            self._sin(stream, turn)
        else:
            stream.act(turn)

"""A bot in one file without the kit, to read the protocol by: gRPC, the generated stubs, nothing else.

It does all that a bot owes the referee; the kit does the same and more. `proto/README.md` explains it,
and how to generate `referee.v1` where the package `referee` is not installed.
"""

import asyncio
import os
import random
import secrets
import signal
import sys
from collections.abc import AsyncIterator, Coroutine, Iterable
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
from google.protobuf.descriptor import EnumDescriptor

from referee.v1 import fault_pb2, game_pb2, match_pb2
from referee.v1 import play_service_pb2 as play
from referee.v1.ding_niu_pb2 import DING_NIU_ACTION_KIND_DISCARD, DING_NIU_ACTION_KIND_PLAY
from referee.v1.play_service_pb2_grpc import PlayServiceStub

GAMES = ("block_dominoes", "guan_pai", "mexican_train", "ding_niu")
FIRST_PAUSE, LAST_PAUSE = 0.5, 15.0
"""Seconds before a lost stream is opened again: from the one, doubled each time, to the other."""
NO_USE = (
    *(grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED),
    *(grpc.StatusCode.INVALID_ARGUMENT, play.GOODBYE_REASON_TAKEN_OVER, play.GOODBYE_REASON_BAD_HELLO),
    *(play.GOODBYE_REASON_REVOKED, play.GOODBYE_REASON_STREAM_FAULTS),
)
"""Whoever comes back after one of these is sent away again."""


def say(line: str) -> None:
    """Prints one line on stderr, which the referee keeps for the bots that it launches."""
    print(line, file=sys.stderr, flush=True)


class Bot:
    """One instance of the bot: it has at most one stream, which carries all its matches."""

    def __init__(self) -> None:
        self.instance = secrets.token_hex(8)  # the same on every stream: so the referee knows it again
        self.seats: dict[str, int] = {}
        self.outbox: asyncio.Queue[play.PlayRequest] = asyncio.Queue()
        self.welcomed = False
        self.leaving = False

    async def run(self) -> int:
        """Opens one stream after the other until there is a status to end with."""
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, self.leave)
        pause = FIRST_PAUSE
        while (status := await self.stream()) is None:
            if self.welcomed:
                pause, self.welcomed = FIRST_PAUSE, False
            await asyncio.sleep(random.uniform(pause / 2, pause))  # by chance: bots must not come in step
            pause = min(2 * pause, LAST_PAUSE)
        return status

    async def stream(self) -> int | None:
        """Plays over one stream; returns the status to end with, or None where the bot is to come back."""
        goodbye = play.Goodbye()
        self.outbox = asyncio.Queue()
        hello = play.Hello(protocol_version=1, bot_version="1", instance_id=self.instance, games=GAMES)
        hello.matches_at_once = 8
        hello.event_delivery = play.EVENT_DELIVERY_NONE  # every turn is whole in itself
        self.send(hello=hello)  # the first frame, and only the first
        async with channel() as way:
            metadata = (("authorization", f"Bearer {os.environ['REFEREE_TOKEN']}"),)
            call = PlayServiceStub(way).Play(self.requests(), metadata=metadata)
            ends: list[Any] = []
            call.add_done_callback(lambda _: ends.append((at_once(call.code()), at_once(call.details()))))
            try:
                async for response in call:
                    answers = [each for frame in response.frames for each in self.answer(frame)]
                    if answers:  # all answers to one message go in one message
                        self.outbox.put_nowait(play.PlayRequest(frames=answers))
                    if response.frames and response.frames[-1].HasField("goodbye"):
                        goodbye = response.frames[-1].goodbye  # the last word, and says why it ends
            except grpc.aio.AioRpcError:
                pass  # the status tells it too
            await call.code()
            # A word that was on its way when the stream ended makes gRPC put INTERNAL over its status.
            code, details = next((end for end in ends if end[0] is not grpc.StatusCode.INTERNAL), ends[-1])
        if self.leaving or goodbye.reason == play.GOODBYE_REASON_LEFT:
            return 0
        say(f"stream ended: {code.name}: {goodbye.note or details}")
        early = code is grpc.StatusCode.FAILED_PRECONDITION  # an earlier version still plays, and will end
        return None if early or not {code, goodbye.reason} & {*NO_USE} else 1

    async def requests(self) -> AsyncIterator[play.PlayRequest]:
        """Yields what there is to say, as it comes up."""
        while True:
            yield await self.outbox.get()

    def send(self, **frame: Any) -> None:
        """Says one thing."""
        self.outbox.put_nowait(play.PlayRequest(frames=[play.PlayRequestFrame(**frame)]))

    def leave(self) -> None:
        """Asks for no new matches and plays on; ends at once where nobody hears it, or when asked again."""
        if self.leaving or not self.welcomed:
            sys.exit(int(self.leaving))
        self.leaving = True
        self.send(leave=play.Leave())

    def answer(self, frame: play.PlayResponseFrame) -> Iterable[play.PlayRequestFrame]:
        """Yields what a frame asks for; all others are skipped, those that are newer than this bot too."""
        match frame.WhichOneof("frame"):
            case "welcome":
                self.welcomed = True
            case "match_started":
                started = frame.match_started
                self.seats[started.match_id] = started.seat
                on_match(started)
                ready = play.Ready(match_id=started.match_id, entropy=os.urandom(16))
                yield play.PlayRequestFrame(ready=ready)
            case "turn":
                turn = frame.turn
                act = play.Act(match_id=turn.match_id, turn_id=turn.turn_id, action=choose(turn))
                yield play.PlayRequestFrame(act=act)  # if it is legal, the next word is the next turn
            case "rejected":
                yield from self.refused(frame.rejected)
            case "ping":
                yield play.PlayRequestFrame(pong=play.Pong(ping_id=frame.ping.ping_id))
            case "match_ended":
                self.ended(frame.match_ended)

    def refused(self, refusal: play.Rejected) -> Iterable[play.PlayRequestFrame]:
        """Answers a turn that is still open with its first legal action, which is never refused."""
        match_id, turn_id = refusal.match_id, refusal.turn_id
        fault = name(fault_pb2.FaultKind.DESCRIPTOR, refusal.fault)
        say(f"match {match_id} turn {refusal.answered_turn_id} rejected: {fault}: {refusal.reason}")
        wrong = refusal.fault in {fault_pb2.FAULT_KIND_ILLEGAL, fault_pb2.FAULT_KIND_MALFORMED}
        still_open = turn_id == refusal.answered_turn_id != 0 and not refusal.HasField("played_action")
        if wrong and still_open:
            yield play.PlayRequestFrame(act=play.Act(match_id=match_id, turn_id=turn_id, index=0))

    def ended(self, match: play.MatchEnded) -> None:
        """Tells the result of a match and forgets it."""
        seat = self.seats.pop(match.match_id, None)
        why = name(match_pb2.Termination.DESCRIPTOR, match.termination).removeprefix("TERMINATION_")
        rank = [
            f", rank {own.rank} of {len(match.placements)}" for own in match.placements if own.seat == seat
        ]
        say(f"match {match.match_id} ended {why}{''.join(rank)}")


def name(enum: EnumDescriptor, number: int) -> str:
    """Returns the name of a value; its number where it is newer than this bot."""
    return enum.values_by_number[number].name if number in enum.values_by_number else str(number)


def at_once(known: Coroutine[Any, Any, Any]) -> Any:
    """Returns what a coroutine has to say that need not wait for it."""
    try:
        return known.send(None)
    except StopIteration as result:
        return result.value


def channel() -> grpc.aio.Channel:
    """Returns a new way to the referee, as an old one would add pauses of its own."""
    address, ca = os.environ["REFEREE_ADDRESS"], os.environ.get("REFEREE_CA")
    options = [("grpc.use_local_subchannel_pool", 1)]
    if seconds := os.environ.get("REFEREE_KEEPALIVE"):
        options.append(("grpc.keepalive_time_ms", int(1000 * float(seconds))))
        options.append(("grpc.http2.ping_timeout_ms", 20_000))  # else a lost connection is kept for a minute
        options.append(("grpc.http2.max_pings_without_data", 0))
    if not ca and not os.environ.get("REFEREE_TLS"):
        return grpc.aio.insecure_channel(address, options)
    credentials = grpc.ssl_channel_credentials(Path(ca).read_bytes() if ca else None)
    return grpc.aio.secure_channel(address, credentials, options)


def prepare() -> None:
    """Runs once before the bot connects: the place to load a model. No clock runs yet."""


def on_match(_: play.MatchStarted) -> None:
    """Runs before the bot is ready for a match, whose options and opponents are told."""


def choose(turn: play.Turn) -> game_pb2.Action:
    """Returns one of the legal actions; the observation holds all that the seat may know."""
    return max(turn.legal_actions, key=value)


def value(action: game_pb2.Action) -> int:
    """Returns what an action is worth: heavy tiles and many cards are better gone."""
    game = action.WhichOneof("game")
    if game == "guan_pai":
        return len(action.guan_pai.cards)  # of several as long the first one listed is the lowest
    tile: int = getattr(action, game or "block_dominoes").tile
    pips = (tile >> 4) + (tile & 15)
    if game == "ding_niu" and action.ding_niu.kind != DING_NIU_ACTION_KIND_PLAY:
        return -pips if action.ding_niu.kind == DING_NIU_ACTION_KIND_DISCARD else -100
    return pips


if __name__ == "__main__":
    for variable in ("REFEREE_ADDRESS", "REFEREE_TOKEN"):
        if not os.environ.get(variable):
            say(f"{variable} is not set; the referee sets it for the bots that it launches")
            sys.exit(2)
    prepare()
    sys.exit(asyncio.run(Bot().run()))

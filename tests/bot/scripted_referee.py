"""A referee that says what the test tells it to, over real gRPC: one generator per stream."""

import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self, TypeAlias

import grpc

from referee.bot import run
from referee.v1 import game_pb2, match_pb2
from referee.v1 import play_service_pb2 as play
from referee.v1.block_dominoes_pb2 import BLOCK_DOMINOES_END_RIGHT, BlockDominoesAction
from referee.v1.play_service_pb2_grpc import PlayServiceServicer, add_PlayServiceServicer_to_server
from tests.patience import PATIENCE

Requests: TypeAlias = Iterator[play.PlayRequest]
Script: TypeAlias = Callable[[Requests], Iterator[play.PlayResponse]]


class Refusal(Exception):  # noqa: N818 -- what a script raises to end the stream with a status
    """Ends the stream with a status."""

    def __init__(self, code: grpc.StatusCode, details: str) -> None:
        super().__init__(details)
        self.code = code
        self.details = details


class ScriptedReferee(PlayServiceServicer):
    """Plays its scripts in turn, one for each stream that is opened; over TLS with `credentials`.

    Attributes:
        address: host:port.
        authorizations: the `authorization` metadata of each stream.
        errors: what went wrong inside a script; empty in a test that passes.
    """

    def __init__(self, *scripts: Script, credentials: grpc.ServerCredentials | None = None) -> None:
        self.authorizations: list[object] = []
        self.errors: list[BaseException] = []
        self._scripts = iter(scripts)
        self._server = grpc.server(ThreadPoolExecutor(4), options=[("grpc.so_reuseport", 0)])
        add_PlayServiceServicer_to_server(self, self._server)
        if credentials is None:
            port = self._server.add_insecure_port("127.0.0.1:0")
        else:
            port = self._server.add_secure_port("127.0.0.1:0", credentials)
        self.address = f"127.0.0.1:{port}"

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stop(0).wait(PATIENCE)
        for error in self.errors:
            raise AssertionError("a script failed") from error

    def Play(  # noqa: N802 -- the name of the RPC
        self, request_iterator: Requests, context: grpc.ServicerContext
    ) -> Iterator[play.PlayResponse]:
        """Runs the next script on the new stream."""
        self.authorizations.append(dict(context.invocation_metadata()).get("authorization"))
        script = next(self._scripts, None)
        if script is None:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "the test has no further script")
        assert script is not None
        try:
            yield from script(request_iterator)
        except Refusal as refusal:
            context.abort(refusal.code, refusal.details)
        except Exception as error:  # noqa: BLE001 -- told by the test itself, on leaving
            traceback.print_exc(file=sys.stderr)
            self.errors.append(error)
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "the script failed")


def start(address: str, *arguments: Any, **about: Any) -> threading.Thread:
    """Runs the kit in a thread of this process; `finish` waits for it."""
    options: dict[str, Any] = {"server": address, "token": "secret", "games": ["block_dominoes"], **about}
    thread = threading.Thread(target=run, args=arguments, kwargs=options, daemon=True)
    thread.start()
    return thread


def finish(thread: threading.Thread) -> None:
    """Waits until the bot has ended by itself."""
    thread.join(PATIENCE)
    assert not thread.is_alive(), "the bot still runs"


def say(*frames: play.PlayResponseFrame) -> play.PlayResponse:
    """Returns one message of these frames."""
    return play.PlayResponse(frames=frames)


def welcome() -> play.PlayResponseFrame:
    """Returns a `Welcome`."""
    return play.PlayResponseFrame(welcome=play.Welcome(server_id="scripted", display_name="bot"))


def started(match_id: str, seat: int = 0) -> play.PlayResponseFrame:
    """Returns a `MatchStarted`."""
    message = play.MatchStarted(match_id=match_id, game="block_dominoes", seat=seat)
    return play.PlayResponseFrame(match_started=message)


def turn(match_id: str, turn_id: int, *tiles: int) -> play.PlayResponseFrame:
    """Returns a `Turn` with one legal action per tile, played at the right end."""
    actions = [
        game_pb2.Action(block_dominoes=BlockDominoesAction(tile=tile, end=BLOCK_DOMINOES_END_RIGHT))
        for tile in tiles
    ]
    message = play.Turn(match_id=match_id, turn_id=turn_id, legal_actions=actions)
    message.clock.remaining_duration.FromMilliseconds(2500)
    return play.PlayResponseFrame(turn=message)


def rejected(match_id: str, turn_id: int, fault: Any, **more: Any) -> play.PlayResponseFrame:
    """Returns a `Rejected` of an answer to the current turn."""
    message = play.Rejected(match_id=match_id, turn_id=turn_id, answered_turn_id=turn_id, fault=fault, **more)
    return play.PlayResponseFrame(rejected=message)


def ended(match_id: str) -> play.PlayResponseFrame:
    """Returns a `MatchEnded`."""
    message = play.MatchEnded(match_id=match_id, termination=match_pb2.TERMINATION_COMPLETED)
    return play.PlayResponseFrame(match_ended=message)


def goodbye(reason: Any = play.GOODBYE_REASON_LEFT, note: str = "") -> play.PlayResponseFrame:
    """Returns a `Goodbye`."""
    return play.PlayResponseFrame(goodbye=play.Goodbye(reason=reason, note=note))


def heard(requests: Requests, arm: str) -> list[Any]:
    """Returns the frames of the next message, which all have to be of one arm."""
    frames = next(requests).frames
    assert [frame.WhichOneof("frame") for frame in frames] == [arm] * len(frames)
    return [getattr(frame, arm) for frame in frames]


def hung_up(requests: Requests) -> bool:
    """Says whether the bot ended the stream without another word."""
    try:
        return next(requests, None) is None
    except grpc.RpcError:
        return True

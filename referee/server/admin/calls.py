"""What every call of the operator goes through: once by its request id, audited, refused by status."""

import asyncio
import hashlib
import os
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple, TypeAlias

import grpc
import msgspec
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from grpc import aio

from referee.errors import DecidedError, OptionError, RefereeError, UsageError
from referee.match.config import SECOND
from referee.server import logs
from referee.server.admin.audit import AuditLog, Call

DAY: Final = 24 * 3600 * SECOND
"""How long an answer is kept for a call that is repeated."""
_MOST: Final = 10_000
"""How many answers are kept at the most; the oldest go first."""
_LONGEST_ID: Final = 64

Context: TypeAlias = "aio.ServicerContext[Any, Any]"


class RefusedCallError(RefereeError):
    """Refuses a call with a gRPC status."""

    def __init__(self, code: grpc.StatusCode, text: str) -> None:
        super().__init__(text)
        self.code = code


class Method(NamedTuple):
    """A method: its name, the type of its answer, what it does, and a field that is told only once."""

    name: str
    response: type[Message]
    run: Callable[[Any], Awaitable[Message]]
    secret: str = ""


class _Kept(NamedTuple):
    at: int
    digest: str
    answer: "asyncio.Future[bytes]"


class Calls:
    """The calls to one server; `wall` is the clock in microseconds since the Unix epoch."""

    def __init__(self, audit: AuditLog, wall: Callable[[], int]) -> None:
        self._audit = audit
        self._wall = wall
        self._doing: set[asyncio.Future[Message]] = set()
        self._ending = False
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._writing = asyncio.Lock()
        for call in audit.calls(wall() - DAY):
            if call.request_id and call.outcome == _OK and not call.repeated:
                answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
                answer.set_result(bytes.fromhex(call.answer))
                self._kept[call.request_id] = _Kept(call.at, call.digest, answer)

    async def serve(self, method: Method, request: Any, context: Context) -> Message | None:
        """Answers a call, or ends it with the status of what refused it.

        What was begun is done and audited even if the operator goes away meanwhile.
        """
        doing = asyncio.ensure_future(self._audited(method, request, _who(context)))
        self._doing.add(doing)
        doing.add_done_callback(self._doing.discard)
        try:
            return await asyncio.shield(doing)
        except asyncio.CancelledError:
            doing.add_done_callback(_heard)
            raise
        except RefereeError as error:
            code = _code(error)
            text = logs.incident(f"{method.name} failed") if code is _INTERNAL else str(error)
            await context.abort(code, text)
        except Exception:  # noqa: BLE001  whatever it is, its text stays in this process
            await context.abort(_INTERNAL, logs.incident(f"{method.name} failed"))
        return None

    async def end(self, grace: float) -> None:
        """Refuses all further calls; returns when those under way are done, or after `grace` seconds."""
        self._ending = True
        if self._doing:
            await asyncio.wait(tuple(self._doing), timeout=grace)

    async def _audited(self, method: Method, request: Any, who: str) -> Message:
        request_id: str = getattr(request, "request_id", "")[:_LONGEST_ID]
        call = Call(
            at=self._wall(),
            who=who,
            method=method.name,
            request=MessageToDict(request, preserving_proto_field_name=True),
            outcome=_OK,
            request_id=request_id,
            digest=_digest(method, request) if request_id else "",
        )
        try:
            if len(getattr(request, "request_id", "")) > _LONGEST_ID:
                raise UsageError(f"request_id: up to {_LONGEST_ID} characters")
            if self._ending:
                raise _ends()
            return await (self._once if request_id else self._do)(method, request, call)
        except RefereeError as error:
            await self._note(msgspec.structs.replace(call, outcome=f"{_code(error).name}: {error}"))
            raise
        except Exception:
            if self._ending:  # what it needed was closed meanwhile
                await self._note(msgspec.structs.replace(call, outcome=f"{_ends().code.name}: {_ends()}"))
                raise _ends() from None
            await self._note(msgspec.structs.replace(call, outcome=_INTERNAL.name))
            raise

    async def _do(self, method: Method, request: Any, call: Call) -> Message:
        answer = await method.run(request)
        if call.request_id:
            call = msgspec.structs.replace(call, answer=_public(method, answer).hex())
        await self._note(call)
        return answer

    async def _once(self, method: Method, request: Any, call: Call) -> Message:
        self._drop_old()
        kept = self._kept.get(call.request_id)
        if kept:
            if kept.digest != call.digest:
                text = f"request id {call.request_id} was used for another call"
                raise RefusedCallError(grpc.StatusCode.ALREADY_EXISTS, text)
            again = method.response.FromString(await asyncio.shield(kept.answer))
            await self._note(msgspec.structs.replace(call, repeated=True))
            return again
        promised: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._kept[call.request_id] = _Kept(call.at, call.digest, promised)
        try:
            answer = await self._do(method, request, call)
        except BaseException as error:
            self._kept.pop(call.request_id, None)
            promised.set_exception(error if isinstance(error, Exception) else RefereeError("called off"))
            _heard(promised)
            raise
        promised.set_result(_public(method, answer))
        return answer

    def _drop_old(self) -> None:
        """Forgets the answers that are a day old, and the oldest where there are too many.

        A call that is still under way stays: who repeats it must not have it done twice.
        """
        oldest, surplus = self._wall() - DAY, len(self._kept) - _MOST + 1
        old: list[str] = []
        for request_id, kept in self._kept.items():
            if kept.at >= oldest and len(old) >= surplus:
                break
            if kept.answer.done():
                old.append(request_id)
        for request_id in old:
            del self._kept[request_id]

    async def _note(self, call: Call) -> None:
        """Writes to the audit log, off the loop: nobody's turn waits for the disk."""
        async with self._writing:
            await asyncio.get_running_loop().run_in_executor(None, self._audit.write, call)


_OK: Final = "OK"
_INTERNAL: Final = grpc.StatusCode.INTERNAL


def _ends() -> RefusedCallError:
    return RefusedCallError(grpc.StatusCode.UNAVAILABLE, "the server is about to end and takes no more calls")


def _code(error: Exception) -> grpc.StatusCode:
    if isinstance(error, RefusedCallError):
        return error.code
    if isinstance(error, DecidedError):
        return grpc.StatusCode.FAILED_PRECONDITION
    return grpc.StatusCode.INVALID_ARGUMENT if isinstance(error, UsageError | OptionError) else _INTERNAL


def _digest(method: Method, request: Any) -> str:
    return hashlib.sha256(
        method.name.encode() + b"\0" + request.SerializeToString(deterministic=True)
    ).hexdigest()


def _public(method: Method, answer: Message) -> bytes:
    """Returns an answer in bytes, without what is told only once."""
    if not method.secret:
        return answer.SerializeToString()
    kept = method.response()
    kept.CopyFrom(answer)
    kept.ClearField(method.secret)
    return kept.SerializeToString()


def _who(context: Context) -> str:
    """Says who calls, as far as that is known: nobody but the owner of a socket can open it."""
    peer = context.peer()
    return f"uid {os.getuid()} by the socket" if peer.startswith("unix:") else peer


def _heard(done: "asyncio.Future[Any]") -> None:
    """Takes note of an exception that nobody is left to hear of; it was audited."""
    if not done.cancelled():
        done.exception()

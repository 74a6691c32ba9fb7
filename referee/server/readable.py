"""Has services of libraries, health and reflection, refuse what they cannot read as our own do."""

from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable
from typing import Any, Final, TypeAlias

import grpc
from google.protobuf.message import DecodeError
from grpc import aio

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Context: TypeAlias = "aio.ServicerContext[Any, Any]"

TEXT: Final = "the request cannot be read"
_UNREADABLE: Final = object()


class Readable(aio.ServerInterceptor):  # type: ignore[type-arg]  # no generic one at run time
    """Keeps the text of an exception from callers; services without a deserializer read for themselves."""

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler:
        """Returns the handler of a call, with one text for all that it cannot read."""
        handler: Any = await continuation(handler_call_details)
        read = handler.request_deserializer if handler else None
        return _guarded(handler, read) if read else handler


def _guarded(handler: Any, read: Callable[[bytes], Any]) -> Handler:
    def lenient(data: bytes) -> object:
        try:
            return read(data)
        except DecodeError:
            return _UNREADABLE

    async def answer_each(requests: AsyncIterable[Any], context: Context) -> AsyncIterator[Any]:
        async for response in handler.stream_stream(_readable(requests, context), context):
            yield response

    async def answer(request: Any, context: Context) -> Any:
        await _check(request, context)
        return await (handler.unary_stream or handler.unary_unary)(request, context)

    if handler.request_streaming:
        return grpc.stream_stream_rpc_method_handler(answer_each, lenient, handler.response_serializer)
    make = (
        grpc.unary_stream_rpc_method_handler
        if handler.response_streaming
        else grpc.unary_unary_rpc_method_handler
    )
    return make(answer, lenient, handler.response_serializer)


async def _readable(requests: AsyncIterable[Any], context: Context) -> AsyncIterator[Any]:
    async for request in requests:
        await _check(request, context)
        yield request


async def _check(request: Any, context: Context) -> None:
    if request is _UNREADABLE:
        await context.abort(grpc.StatusCode.INVALID_ARGUMENT, TEXT)

"""The front: what a bot that is checked takes for the referee."""

import secrets
from collections.abc import Mapping
from typing import Final

import grpc
from grpc import aio

from referee.check.journal import Journal
from referee.check.passage import Context, Passage
from referee.check.tamper import Tamper
from referee.errors import UsageError
from referee.server import ports
from referee.server.app import OPTIONS, PLAY
from referee.server.config import Tls

_METHOD: Final = f"/{PLAY}/Play"
_KEEPALIVE: Final = (
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.ping_timeout_ms", 10_000),
)
"""As the referee has it by default, see `ArenaConfig`."""
_UNLIMITED: Final = (("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1))
_CLIENT: Final = (*_UNLIMITED, ("grpc.use_local_subchannel_pool", 1))
_SCHEME: Final = "Bearer "
_SHUT_OUT: Final = "{}: the metadata of a call has to hold authorization: Bearer <token>"
_AWAY: Final = "the server is not back yet; come back later"


class Front:
    """Listens for one bot, and passes its streams on to a referee.

    Attributes:
        address: where the bot dials in, as `host:port`; the same after each start.
        token: what the bot has to show.
        journal: where all is noted.
        tamper: what is altered on the way.
        upstream: address and token at the referee; None while there is none, when streams are refused.
        closing: whether all streams are being ended from here.
    """

    def __init__(self, host: str = "127.0.0.1", port: int = 0, tls: Tls | None = None) -> None:
        self.address = ""
        self.token = secrets.token_urlsafe(24)
        self.journal = Journal()
        self.tamper = Tamper()
        self.upstream: tuple[str, str] | None = None
        self.closing = False
        self._host = host
        self._port = port
        self._tls = tls
        self._server: aio.Server | None = None
        self._passages: set[Passage] = set()

    async def start(self) -> None:
        """Listens; raises `UsageError` for a port that cannot be had."""
        options = dict((*OPTIONS, *_KEEPALIVE, *_UNLIMITED))
        server = aio.server(options=list(options.items()))
        handler = grpc.stream_stream_rpc_method_handler(self._play)
        server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(PLAY, {"Play": handler})])
        where = ports.joined(self._host, self._port)
        try:
            if self._tls:
                self._port = server.add_secure_port(where, grpc.ssl_server_credentials([self._tls.read()]))
            else:
                self._port = server.add_insecure_port(where)
        except RuntimeError:
            raise UsageError(
                f"cannot listen on {where}; choose another port (--port 0: a free one)"
            ) from None
        await server.start()
        self._server = server
        self.address = ports.joined(self._host, self._port)

    async def stop(self) -> None:
        """Ends all streams and listens no more; the bot finds nobody there until the next start."""
        server, self._server = self._server, None
        if server:
            self.closing = True
            for passage in self._passages:
                passage.journal.stir()
            await server.stop(0)
            self.closing = False

    def begin(self, tamper: Tamper | None = None) -> Journal:
        """Begins a new journal, and tells it of the streams that are open."""
        known = [stream for stream in self.journal.greeted if stream.ended is None]
        self.journal = Journal()
        self.journal.streams += known
        self.tamper = tamper or Tamper()
        for passage in self._passages:
            passage.journal = self.journal
        return self.journal

    def newest(self) -> Passage | None:
        """Returns a stream that is open; None without one."""
        return next(iter(self._passages), None)

    def _lacking(self, metadata: Mapping[str, str | bytes]) -> str:
        """Says what a call lacks that is to be let in; nothing where it may be."""
        shown = str(metadata.get("authorization", ""))
        if not shown.strip():
            return "without a token"
        if shown.casefold().startswith(_SCHEME.casefold()):
            return "" if shown[len(_SCHEME) :] == self.token else "with a wrong token"
        return "without 'Bearer ' before its token" if shown == self.token else "with a wrong token"

    async def _play(self, _requests: object, context: Context) -> None:
        if lacking := self._lacking(dict(context.invocation_metadata() or ())):
            self.journal.unauthenticated(lacking)
            await context.abort(grpc.StatusCode.UNAUTHENTICATED, _SHUT_OUT.format(lacking))
        if self.upstream is None:
            self.journal.attempted()
            await context.abort(grpc.StatusCode.UNAVAILABLE, _AWAY)
            return
        address, token = self.upstream
        async with aio.insecure_channel(address, options=_CLIENT) as channel:
            call = channel.stream_stream(_METHOD, None, None)(
                None, metadata=(("authorization", f"Bearer {token}"),)
            )
            passage = Passage(self, context, call)
            self._passages.add(passage)
            try:
                await passage.run()
            finally:
                self._passages.discard(passage)

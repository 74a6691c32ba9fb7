"""Answers of `ReplayService`: the logs of finished matches, and what a bot's author needs of them."""

from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import grpc

from referee.replay.signature import signature_path
from referee.server.logbook import place_of
from referee.server.reads import pages, shelf
from referee.server.reads.archive import Archive
from referee.server.reads.desk import Desk, Write
from referee.server.refusal import Refusal, invalid, not_found
from referee.store.store import Store
from referee.tournament.result import MatchResult
from referee.v1 import replay_service_pb2 as pb

if TYPE_CHECKING:
    from referee.server.host import Host

_AT_ONCE: Final = 100
"""How many results are in memory while an archive is made."""
_PASSED_OVER: Final = frozenset({shelf.RUNS, shelf.SEALED, shelf.HIDDEN})
"""Why a log is not in an archive where it is no loss."""


Download: TypeAlias = Callable[["Host", Desk, Any, Write], Awaitable[None]]


async def get_replay(host: "Host", desk: Desk, request: pb.GetReplayRequest, write: Write) -> None:
    """Writes the log of a match; raises `Refusal` for one that is not shown."""
    known = await find(host, request.match_id)
    await desk.pour(_replay(host.config.data, request.match_id, known), write)


async def download_replays(
    host: "Host", desk: Desk, request: pb.DownloadReplaysRequest, write: Write
) -> None:
    """Writes an archive of logs, the newest match first; raises `Refusal` where there is none."""
    if not request.bot_id and not request.tournament:
        raise invalid("name a bot or a tournament: bot_id and tournament are empty")
    if host.index is None:
        raise Refusal(grpc.StatusCode.UNIMPLEMENTED, "this server keeps no results")
    wanted = _Wanted.of(request)
    binder = _Binder(host.config.data)
    after: pages.Order | None = wanted.span.end
    while after:
        page = await host.index.read(partial(wanted.page, after=after))
        await desk.pour(binder.add(page.results), write)
        after = page.last
    if not binder.found:
        raise not_found("no finished match is like that")
    await desk.pour(binder.end(), write)


async def find(host: "Host", match_id: str) -> MatchResult | None:
    """Returns what the index has of a match that may be asked for; raises `Refusal` for one that runs."""
    if not match_id:
        raise invalid("match_id is empty")
    if match_id in host.matches:
        raise Refusal(grpc.StatusCode.FAILED_PRECONDITION, shelf.RUNS)
    if host.index is None or place_of(host.config.data, match_id) is None:
        return None
    return await host.index.read(lambda store: store.result(match_id))


def _replay(data: Path, match_id: str, known: MatchResult | None) -> Iterator[bytes]:
    """Yields the messages with a log, all of which was looked at before the first one."""
    path = shelf.finished(data, match_id, known=known is not None)
    with closing(shelf.opened(path)) as file:
        sound = yield from shelf.shown(file, match_id, known.last_hash if known else "")
        for chunk in shelf.chunks(file, sound.size):
            yield pb.GetReplayResponse(chunk=chunk).SerializeToString()
    signature = shelf.signature(path)
    if signature:
        yield pb.GetReplayResponse(signature=signature).SerializeToString()


class _Page(NamedTuple):
    """Results, and the position behind the last one; None at the end of the list."""

    results: list[MatchResult]
    last: pages.Order | None


class _Wanted(NamedTuple):
    """Which matches are asked for."""

    bot: str | None
    tournament: str | None
    game: str | None
    span: pages.Span

    @classmethod
    def of(cls, request: pb.DownloadReplaysRequest) -> "_Wanted":
        """Reads a request."""
        span = pages.Span.of(request)
        return cls(request.bot_id or None, request.tournament or None, request.game or None, span)

    def page(self, store: Store, after: pages.Order) -> _Page:
        """Returns the next results, the newest match first."""
        batch = store.matches(
            limit=_AT_ONCE, after=after, tournament=self.tournament, game=self.game, bot=self.bot
        )
        results = self.span.kept(batch)
        more = len(results) == _AT_ONCE
        return _Page(results, results[-1].order if more else None)


class _Binder:
    """Puts logs into an archive.

    Attributes:
        found: whether there was a match that may be shown.
    """

    def __init__(self, data: Path) -> None:
        self.found = False
        self._writing = False
        """Whether a file in the archive is begun and not ended."""
        self._data = data
        self._archive = Archive()

    def add(self, results: list[MatchResult]) -> Iterator[bytes]:
        """Yields the messages with the logs of some matches."""
        for result in results:
            try:
                yield from self._add(result)
            except Refusal as refusal:
                if self._writing:
                    raise
                if refusal.text not in _PASSED_OVER:
                    self.found = True
                    yield _missing(result.match_id)

    def end(self) -> Iterator[bytes]:
        """Yields the last messages."""
        return map(_piece, self._archive.end())

    def _add(self, result: MatchResult) -> Iterator[bytes]:
        path = shelf.finished(self._data, result.match_id, known=True)
        with closing(shelf.opened(path)) as file:
            sound = yield from shelf.shown(file, result.match_id, result.last_hash)
            self.found = True
            yield from self._file(path, result.created, sound.size, shelf.chunks(file, sound.size))
        signature = shelf.signature(path)
        if signature:
            yield from self._file(signature_path(path), result.created, len(signature), [signature])

    def _file(self, path: Path, created: int, size: int, content: Iterable[bytes]) -> Iterator[bytes]:
        name = path.relative_to(self._data).as_posix()
        self._writing = True
        yield from map(_piece, self._archive.add(name, created, size, content))
        self._writing = False


def _piece(chunk: bytes) -> bytes:
    return pb.DownloadReplaysResponse(chunk=chunk).SerializeToString() if chunk else b""


def _missing(match_id: str) -> bytes:
    return pb.DownloadReplaysResponse(missing_match_ids=[match_id]).SerializeToString()

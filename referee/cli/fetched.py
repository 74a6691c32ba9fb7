"""Replay logs that come from a server: what is wanted, what is here already, and what is kept of what comes.

A log is kept under the folder as it lies under the data root of the server, once it has been checked by
playing it again; one that is here was checked when it came. So whatever is cut off can be done again.
"""

import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from referee.cli.reads_call import LIMIT, Server
from referee.errors import RecordError, RefereeError, UsageError
from referee.replay.files import make_folder, sync_folder, write_new
from referee.replay.reader import Log, parse
from referee.replay.signature import Verifier, signature_path
from referee.replay.verify import verify
from referee.server.logbook import place_of
from referee.v1 import arena_service_pb2, match_pb2
from referee.v1 import replay_service_pb2 as pb
from referee.v1.arena_service_pb2_grpc import ArenaServiceStub
from referee.v1.replay_service_pb2_grpc import ReplayServiceStub

FEW: Final = 20
"""So many logs are asked for one by one; more come in an archive."""
_LARGEST: Final = 1 << 30
"""Bytes; no log comes near it."""
_COMING: Final = ".coming"
"""How the name of a file ends that is not whole yet."""


class Wish(NamedTuple):
    """Whose logs are wanted, by the fields of a `ListMatchesRequest` and a `DownloadReplaysRequest`."""

    bot: str = ""
    tournament: str = ""
    game: str = ""

    def fields(self) -> dict[str, Any]:
        """Returns the fields that both requests have."""
        return {"bot_id": self.bot, "tournament": self.tournament, "game": self.game}


class Kept(NamedTuple):
    """A log that was checked and kept."""

    path: Path
    records: int
    termination: str
    last_hash: str


class Source:
    """The logs of one server."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._arena: Any = ArenaServiceStub(server.channel)
        self._replays: Any = ReplayServiceStub(server.channel)

    def ended(self, wish: Wish) -> list[match_pb2.Match]:
        """Returns the matches that have ended, the newest first; raises `UsageError` where there is none."""
        found: list[match_pb2.Match] = []
        token = ""
        while token or not found:
            request = arena_service_pb2.ListMatchesRequest(
                **wish.fields(), state=match_pb2.MATCH_STATE_ENDED, page_size=1000, page_token=token
            )
            with self._server.named():
                page = self._arena.ListMatches(request, metadata=self._server.metadata, timeout=LIMIT)
            found += page.matches
            token = page.next_page_token
            if not token:
                break
        if not found:
            raise UsageError(
                f"{self._server.address}: no finished match is like that; `referee watch --list` names some"
            )
        return found

    def log(self, match_id: str) -> tuple[bytes, bytes]:
        """Returns a log and the file with its signature, which is empty for one that is not signed."""
        data, signature = bytearray(), b""
        with self._server.named("`referee watch --list` names the matches there"):
            request = pb.GetReplayRequest(match_id=match_id)
            for message in self._replays.GetReplay(request, metadata=self._server.metadata):
                data += message.chunk
                signature = message.signature or signature
        return bytes(data), signature

    def logs(
        self, wish: Wish, matches: list[match_pb2.Match], lost: Callable[[str], None]
    ) -> Iterator[tuple[str, bytes, bytes]]:
        """Yields id, log and signature of all matches that are shown, from the oldest to the newest of these.

        `lost` hears of matches whose logs the server has no more.
        """
        request = pb.DownloadReplaysRequest(**wish.fields(), earliest_create_time=matches[-1].create_time)
        request.latest_create_time.FromMicroseconds(matches[0].create_time.ToMicroseconds() + 1)
        with self._server.named():
            stream = _Stream(self._replays.DownloadReplays(request, metadata=self._server.metadata), lost)
            try:
                yield from _unpacked(stream)
            except (tarfile.TarError, EOFError, OSError) as error:
                raise RefereeError(f"{self._server.address}: what comes is no archive: {error}") from None


class Folder:
    """Where logs are kept; with a `verifier` only those that its key has signed."""

    def __init__(self, root: Path, verifier: Verifier | None = None) -> None:
        self._root = root
        self._verifier = verifier

    def place(self, match_id: str) -> Path:
        """Returns where the log of a match lies, or will; raises `UsageError` for what is no id."""
        path = place_of(self._root, match_id)
        if path is None:
            raise UsageError(f"{match_id!r} is no id of a match; `referee watch --list` names them")
        return path

    def has(self, match_id: str) -> bool:
        """Says whether a log is here."""
        return self.place(match_id).exists()

    def keep(self, match_id: str, data: bytes, signature: bytes) -> Kept:
        """Checks a log and keeps it; raises `RecordError` for one that is not as it has to be.

        The signature is on disk before the log, and neither has its name before it is whole.
        """
        path = self.place(match_id)
        log, records = _checked(match_id, data)
        if self._verifier:
            if not signature:
                raise RecordError("not signed")
            self._verifier.check_content(signature, log.last_hash)
        try:
            make_folder(path.parent)
            if signature:
                _write(signature_path(path), signature)
            _write(path, data)
            sync_folder(path.parent)
        except OSError as error:
            raise RefereeError(f"{error.filename or path}: {error.strerror}") from None
        termination = log.end.termination if log.end else ""
        return Kept(path, records, termination, log.last_hash)


def _checked(match_id: str, data: bytes) -> tuple[Log, int]:
    log = parse(data)
    if log.fault:
        raise log.fault
    if log.setup.match_id != match_id:
        raise RecordError(f"it is the log of another match, {log.setup.match_id}")
    verdict = verify(log)
    if not verdict.ok or not log.ended:
        raise RecordError(str(verdict))
    return log, verdict.records


def _write(path: Path, data: bytes) -> None:
    coming = path.with_name(path.name + _COMING)
    try:
        write_new(coming, data, 0o644)
        coming.rename(path)
    except BaseException:  # an interrupt, too
        coming.unlink(missing_ok=True)
        raise


def _unpacked(stream: Any) -> Iterator[tuple[str, bytes, bytes]]:
    """Yields the logs of an archive, each with the signature that follows it."""
    held: tuple[str, bytes] | None = None
    with tarfile.open(fileobj=stream, mode="r|gz") as archive:
        for member in archive:
            name = member.name.rpartition("/")[2]
            file = archive.extractfile(member)
            if file is None or member.size > _LARGEST:
                raise tarfile.ReadError(f"{name!r} is no log")
            data = file.read()
            match_id = name.partition(".")[0]
            if held and name == f"{held[0]}.jsonl.sig":
                yield *held, data
                held = None
                continue
            if held:
                yield *held, b""
            held = match_id, data
    if held:
        yield *held, b""


class _Stream:
    """The chunks of an answer as a file that can be read once."""

    def __init__(self, messages: Iterator[pb.DownloadReplaysResponse], lost: Callable[[str], None]) -> None:
        self._messages = messages
        self._lost = lost
        self._rest = b""

    def read(self, size: int = -1) -> bytes:
        """Returns the next bytes, at most `size` of them if that is not below 0; none at the end."""
        while not self._rest:
            message = next(self._messages, None)
            if message is None:
                return b""
            for match_id in message.missing_match_ids:
                self._lost(match_id)
            self._rest = message.chunk
        cut = len(self._rest) if size < 0 else size
        data, self._rest = self._rest[:cut], self._rest[cut:]
        return data

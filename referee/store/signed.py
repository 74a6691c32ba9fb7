"""The standings of a tournament in a file of their own, signed, with all that they are made of.

The file is one line of JSON in ASCII without spaces, its members in a fixed order: the tables, the id and
the last hash of each log that they were counted from, and the hash of the last decision. Whoever has those
logs and decisions can count again; whoever has not knows at least who said so.
"""

import json
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from referee import __version__
from referee.errors import LogWriteError, RecordError, StoreError, UsageError
from referee.replay.files import sync_folder, write_new
from referee.replay.opening import content
from referee.replay.reader import header, scan
from referee.replay.record import hash_of
from referee.replay.signature import Signer, Verifier, signature_path
from referee.store.decision_log import TOURNAMENTS, DecisionLog, decisions_path
from referee.store.log_result import read_result
from referee.store.store import Store
from referee.store.tables import decided, leaderboards, tables_of
from referee.tournament.export import leaderboard_values, to_values
from referee.tournament.result import MatchResult

FILE: Final = "standings.json"
"""The name of the file in the folder of its tournament."""
LABEL: Final = "referee standings v1 "
"""What is signed begins with it."""
SCHEMA: Final = 1
"""The version of the file's format."""
_MEMBERS: Final = (
    *("kind", "schema", "engine_version", "tournament", "decisions"),
    *("logs", "tables", "leaderboards"),
)
LARGEST: Final = 256 << 20
"""Bytes; standings have fewer."""
_PART: Final = ".part"


@dataclass(frozen=True, slots=True)
class Signed:
    """What such a file holds; `last_hash` is the hash of its line, which is what is signed."""

    values: dict[str, Any]
    last_hash: str

    @property
    def tournament(self) -> str:
        """The name of the tournament, ladder or run."""
        return str(self.values["tournament"])

    @property
    def logs(self) -> dict[str, str]:
        """The last hash of each log, by match id."""
        return {log["match_id"]: log["last_hash"] for log in self.values["logs"]}


def place(data: Path, tournament: str) -> Path:
    """Returns where the standings of a tournament lie under a data root."""
    return data / TOURNAMENTS / tournament / FILE


def write(store: Store, data: Path, tournament: str, signer: Signer, path: Path | None = None) -> Path:
    """Writes the standings of a tournament, ladder or run and their signature; returns the file.

    They are what the store says now. Raises `LogWriteError` where the file cannot be written.
    """
    path = path or place(data, tournament)
    line = _line(_values(store, data, tournament))
    signature = signature_path(path)
    try:
        for file, content in ((path, line + b"\n"), (signature, signer.line(hash_of(line), LABEL))):
            write_new(file.with_name(file.name + _PART), content, 0o644)
        for file in (path, signature):
            file.with_name(file.name + _PART).rename(file)
        sync_folder(path.parent)
    except OSError as error:
        raise LogWriteError(f"{error.filename or path}: cannot be written: {error.strerror}") from None
    return path


def read(path: Path) -> Signed:
    """Returns what a file of standings holds; raises `RecordError` for anything else."""
    try:
        data = content(path, LARGEST)
    except OSError as error:
        raise UsageError(
            f"{path}: {error.strerror}; name a file written by `referee standings sign`"
        ) from None
    line = data.removesuffix(b"\n")
    try:
        values = json.loads(line)
        whole = data.endswith(b"\n") and _line(values) == line
        if not whole or values["kind"] != "standings":
            raise ValueError
        if values["schema"] != SCHEMA:
            raise RecordError(f"{path}: schema {values['schema']} is not known here, only {SCHEMA}")
        found = Signed(values, hash_of(line))
        if tuple(values) != _MEMBERS or len(found.logs) != len(values["logs"]) or not found.tournament:
            raise ValueError
    except (ValueError, KeyError, TypeError, RecursionError):
        raise RecordError(f"{path}: holds no standings in the one form that they are written in") from None
    return found


def check(path: Path, signed: Signed, verifier: Verifier) -> None:
    """Raises `RecordError` unless the key has signed these standings."""
    try:
        verifier.check(path, signed.last_hash, LABEL)
    except RecordError as error:
        raise RecordError(f"{path}: {error}") from None


def recount(signed: Signed, data: Path) -> str:
    """Counts anew from the logs and decisions under a data root; returns what differs, empty for nothing.

    No index is used, and every log is read whole.
    """
    name = signed.tournament
    if not data.is_dir():
        raise UsageError(f"{data}: no such folder; name the folder of the matches with --data")
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "count.db", data=data) as store:
        refused: dict[str, str] = {}
        for result in _of(data, name, refused):
            with suppress(RecordError, StoreError):  # the other one of two for one attempt counts
                store.add_result(result)
        now = _values(store, data, name)
    return _difference(signed, Signed(json.loads(_line(now)), ""), refused)


def _difference(signed: Signed, now: Signed, refused: dict[str, str]) -> str:
    for match_id, known in signed.logs.items():
        found = now.logs.get(match_id)
        if found is None:
            return refused.get(match_id) or f"the log of match {match_id} is not there, or does not count"
        if found != known:
            return f"the log of match {match_id} ends in another way than when the standings were made"
    more = now.logs.keys() - signed.logs.keys()
    if more:
        return f"{len(more)} matches are there that the standings do not name, as {min(more)}"
    if now.values["decisions"] != signed.values["decisions"]:
        count, before = now.values["decisions"]["count"], signed.values["decisions"]["count"]
        return f"the decisions are not those that the standings were made by: {before} then, {count} now"
    same = all(now.values[member] == signed.values[member] for member in ("tables", "leaderboards"))
    if same:
        return ""
    by = signed.values["engine_version"]
    hint = f"; referee {by} wrote them, this is {__version__}" if by != __version__ else ""
    return f"counted anew from the same logs, the tables are others{hint}"


def _values(store: Store, data: Path, tournament: str) -> dict[str, Any]:
    decisions = decided(data)
    if tournament in decisions.broken:
        raise RecordError(decisions.broken[tournament])
    log = DecisionLog(decisions_path(data, tournament))
    log.read()
    results = sorted(store.each_result(run=tournament), key=lambda result: result.match_id)
    boards = leaderboards(store, decisions, tournament=tournament)
    values = (
        "standings",
        SCHEMA,
        __version__,
        tournament,
        {"count": log.count, "last_hash": log.last_hash},
        [{"match_id": result.match_id, "last_hash": result.last_hash} for result in results],
        to_values(tables_of(store, decisions, tournament), crosstable=True),
        leaderboard_values(boards),
    )
    return dict(zip(_MEMBERS, values, strict=True))


def _of(data: Path, tournament: str, refused: dict[str, str]) -> Iterator[MatchResult]:
    """Returns the results of a tournament's logs; those that cannot be read go to `refused`, by match id."""
    for path in scan(data):
        try:
            if header(path).pairing_id.startswith(f"{tournament}/"):
                yield read_result(data, path)
        except RecordError as error:
            refused[path.stem] = str(error) if path.stem in str(error) else f"{path}: {error}"


def _line(values: object) -> bytes:
    return json.dumps(values, separators=(",", ":"), allow_nan=False).encode("ascii")

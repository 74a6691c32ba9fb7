"""The folder of a tournament: its file, its decisions, and the lock of whoever plays it.

It lies at `<data>/tournaments/<name>/`. The file is a copy of the one that the tournament was begun
with, and the first decision holds its digest: a tournament never goes on by one that makes other results.
"""

import contextlib
import difflib
import fcntl
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.errors import UsageError
from referee.organiser.file import Document
from referee.replay.opening import SETTINGS, content
from referee.store.decision_log import DECISIONS, TOURNAMENTS, DecisionLog, digest
from referee.tournament.decision import Opened

FILE = "tournament.toml"
"""The copy of a tournament's file."""
PLAN = "plan.json"
"""What stands there instead for a round robin of the command line."""
_PLACE = "folder"
_LOCK = "lock"
_LOOKS, _LOOK = 5, 0.02
_SHOWN = 5
"""How many differing lines are shown."""


@dataclass(frozen=True, slots=True)
class Folder:
    """Where a tournament is kept under a data root; `file` is how its file is named there."""

    data: Path
    name: str
    file: str = FILE

    @property
    def path(self) -> Path:
        """The folder itself."""
        return self.data / TOURNAMENTS / self.name

    @property
    def log(self) -> DecisionLog:
        """The decisions; each call returns one that reads them anew."""
        return DecisionLog(self.path / DECISIONS)

    def begun_with(self) -> bytes:
        """Returns the file that the tournament was begun with; raises `UsageError` where there is none."""
        try:
            return content(self.path / self.file, SETTINGS)
        except OSError:
            if (self.path / PLAN).exists():
                again = f"`referee round-robin --resume {self.name}`"
                raise UsageError(
                    f"{self.name} is a round robin of the command line; {again} goes on"
                ) from None
            known = names(self.data, self.file)
            near = difflib.get_close_matches(self.name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else _there_are(known)
            raise UsageError(f"no tournament {self.name!r} under {self.data}; {hint}") from None

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Keeps every other process from playing the tournament; raises `UsageError` if one does."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise UsageError(f"{self.path}: {error.strerror}; name another folder with --data") from None
        try:
            if not _lock(descriptor):
                who = os.read(descriptor, 32).decode(errors="replace").strip() or "unknown"
                raise UsageError(
                    f"tournament {self.name} is being played already, by process {who}; stop that one first"
                ) from None
            os.ftruncate(descriptor, 0)
            os.write(descriptor, f"{os.getpid()}\n".encode())
            yield
            os.ftruncate(descriptor, 0)
        finally:
            os.close(descriptor)

    def played_by(self) -> int:
        """Returns the process that plays the tournament now; 0 for none."""
        try:
            with (self.path / _LOCK).open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            text = (self.path / _LOCK).read_text("ascii", errors="replace").strip()
            return int(text) if text.isdigit() else -1
        except OSError:
            return 0
        return 0

    def begin(self, data: bytes, called: str, now: int) -> None:
        """Begins the tournament by this file, or sees that it was begun by the same one.

        `called` is how the file is named to a person, `now` in microseconds since the Unix epoch.
        Raises `UsageError` with what differs, and where its bots are looked for in another folder.
        """
        log = self.log
        opened = log.read()
        if not opened:
            self._keep(self.file, data)
            self._keep(_PLACE, os.fsencode(Path.cwd()))
            log.append(Opened(at=now, tournament=self.name, file=digest(data)))
            return
        self._check_same(data, called, opened[0].file if isinstance(opened[0], Opened) else "")
        place = Path(os.fsdecode(content(self.path / _PLACE, SETTINGS)))
        if place != Path.cwd():
            raise UsageError(f"tournament {self.name} has its bots in {place}; go on from there")

    def _check_same(self, data: bytes, called: str, begun: str) -> None:
        """Raises `UsageError` for a file that makes another tournament than the one whose digest is `begun`.

        The copy is made anew where it is not what the tournament was begun with and this file is.
        """
        copy = self.path / self.file
        kept = content(copy, SETTINGS) if copy.is_file() else b""
        if digest(data) == begun:
            if kept != data:
                self._keep(self.file, data)
        elif digest(kept) != begun:
            mend = "`referee tournament run FILE` with that one goes on, and mends this copy"
            advice = mend if self.file == FILE else "put a true copy back"
            raise UsageError(f"{copy}: is not the file any more that {self.name} was begun with; {advice}")
        elif not _same_tournament(kept, data):
            raise UsageError(
                f"tournament {self.name} was begun with another file; give the new one another name, or put"
                f" back the old one, {copy}:\n{_differences(kept, data, called)}"
            )

    def _keep(self, name: str, data: bytes) -> None:
        """Writes a file whole or not at all."""
        part = self.path / f"{name}.part"
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.rename(self.path / name)


def names(data: Path, file: str = FILE) -> list[str]:
    """Returns the tournaments under a data root, by name."""
    return sorted(path.parent.name for path in (data / TOURNAMENTS).glob(f"*/{file}"))


def _same_tournament(old: bytes, new: bytes) -> bool:
    """Says whether two files differ in nothing that a result depends on: comments, order, `[running]`.

    The order of the bots is that of the pairings.
    """
    try:
        one, other = (Document.parse("", data).root.values for data in (old, new))
    except UsageError:
        return False
    return _results(one) == _results(other) and list(one.get("bots", ())) == list(other.get("bots", ()))


def _results(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key != "running"}


def _differences(kept: bytes, data: bytes, called: str) -> str:
    old, new = (text.decode("utf-8", "replace").splitlines() for text in (kept, data))
    matcher = difflib.SequenceMatcher(a=old, b=new, autojunk=False)
    told = [
        f"{called}:{start + 1}: {' | '.join(new[start:end]).strip() or 'nothing'};"
        f" was {' | '.join(old[first:last]).strip() or 'nothing'}"
        for kind, first, last, start, end in matcher.get_opcodes()
        if kind != "equal"
    ]
    return "\n".join(told[:_SHOWN])


def _lock(descriptor: int) -> bool:
    """Takes the lock and says whether that could be; whoever only looks holds it for no time."""
    for _ in range(_LOOKS):
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        time.sleep(_LOOK)
    return False


def _there_are(known: list[str]) -> str:
    return f"there are {', '.join(known[-5:])}" if known else "there is none; name the folder with --data"

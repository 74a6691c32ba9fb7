"""Whether a ladder is frozen: a file beside its decisions, so that it stays so over a restart."""

import os
from pathlib import Path
from typing import Final

from referee.errors import LogWriteError

FROZEN: Final = "frozen"


class Freezer:
    """`note` says why the ladder is frozen; it is empty while it is not."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FROZEN
        self.note = ""
        if self._path.exists():
            self.note = self._path.read_text(encoding="utf-8").strip() or "frozen"

    def freeze(self, note: str) -> None:
        """Freezes for good; raises `LogWriteError` where that cannot be kept."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            made = self._path.with_suffix(".new")
            with made.open("w", encoding="utf-8") as file:
                file.write(f"{note}\n")
                file.flush()
                os.fsync(file.fileno())
            made.replace(self._path)
        except OSError as error:
            raise LogWriteError(f"{self._path}: cannot be written: {error.strerror}") from None
        self.note = note

    def unfreeze(self) -> None:
        """Ends that; raises `LogWriteError` where the file cannot be taken away."""
        try:
            self._path.unlink(missing_ok=True)
        except OSError as error:
            raise LogWriteError(f"{self._path}: cannot be taken away: {error.strerror}") from None
        self.note = ""

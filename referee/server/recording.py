"""What is kept of one launched process: its output, its stderr apart, and how it ended.

In the folder `reports` beside the output `NNN-name.txt`, which has both streams as they came, lie
`NNN-name.err` with stderr alone, if there was any, and `NNN-name.json` with the command and the end.
Standard library only.
"""

import contextlib
import json
import os
from collections.abc import Sequence
from pathlib import Path

from referee.server.capped import CappedFile

REPORTS = "reports"
"""The folder beside the outputs for what is kept of each process."""
STDERR_TAIL = 8 * 1024
"""Bytes of the end of a bot's stderr that are told when it exits."""


class Recording:
    """The files of one process; `launcher` is that which started it.

    A disk that refuses a write costs what was to be written, nothing else.
    """

    def __init__(self, output: Path, launcher: str, argv: Sequence[str], folder: str) -> None:
        self.stderr = b""
        """The end of what came on stderr."""
        self._stem = _stem(output)
        self._output = CappedFile(output)
        self._stderr: CappedFile | None = None
        self._known: dict[str, object] = {"launcher": launcher, "command": list(argv), "folder": folder}
        self._note()

    @property
    def dropped(self) -> int:
        """Bytes of the output that were left out; final when it is closed."""
        return self._output.dropped

    def write(self, data: bytes, *, is_stderr: bool) -> None:
        """Adds what came on one of the two streams."""
        self._output.write(data)
        if not is_stderr or not data:
            return
        self.stderr = (self.stderr + data)[-STDERR_TAIL:]
        if self._stderr is None:
            with contextlib.suppress(OSError):
                self._stderr = CappedFile(_stderr(self._stem))
        if self._stderr:
            self._stderr.write(data)

    def close(self, code: int | None = None, *, stopped: bool = False) -> None:
        """Ends the files; `code` is as of `subprocess`, None where it is not known."""
        self._output.close()
        if self._stderr:
            self._stderr.close()
        self._known |= {
            "code": code if code is not None and code >= 0 else None,
            "signal": -code if code is not None and code < 0 else None,
            "stopped": stopped,
        }
        self._note()

    def discard(self) -> None:
        """Keeps no word of a process that could not be started; its output stays, empty."""
        self._output.close()
        _process(self._stem).unlink(missing_ok=True)

    def _note(self) -> None:
        """Writes down what is known of the process, for the eyes of who launched it only."""
        with contextlib.suppress(OSError):
            self._stem.parent.mkdir(mode=0o700, exist_ok=True)
            descriptor = os.open(
                _process(self._stem), os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600
            )
            try:
                os.write(descriptor, json.dumps(self._known).encode() + b"\n")
            finally:
                os.close(descriptor)


def remove(output: Path) -> None:
    """Removes what was kept of a process."""
    stem = _stem(output)
    for path in (output, _stderr(stem), _process(stem)):
        path.unlink(missing_ok=True)


def _stem(output: Path) -> Path:
    return output.parent / REPORTS / output.stem


def _stderr(stem: Path) -> Path:
    return stem.with_name(f"{stem.name}.err")


def _process(stem: Path) -> Path:
    return stem.with_name(f"{stem.name}.json")

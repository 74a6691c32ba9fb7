"""Stdout and stderr of the command: what is printed on stdout arrives, or the command says that it did not.

Whoever prints need not think of that. What a stream cannot take is an error that neither Typer nor Rich
takes for one of their own, and nobody else for that of a file. Of what stderr cannot take nothing is said:
there is nowhere to say it.
"""

import errno
import io
import os
import sys
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_STDOUT, _STDERR = 1, 2


class StdoutError(Exception):
    """Says why stdout took no more; with `gone` its reader has left, who had enough."""

    def __init__(self, error: OSError) -> None:
        closed = error.errno == errno.EBADF
        super().__init__(f"stdout cannot be written: {'it is closed' if closed else error.strerror}")
        self.gone = error.errno == errno.EPIPE


class _Stdout(io.FileIO):
    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise StdoutError(error) from None


class _Stderr(io.FileIO):
    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


def own() -> None:
    """Replaces the streams of this process by those that tell what became of what was printed.

    One that is closed stays unwritable, and no file that is opened later gets its number.
    """
    _hold(_STDOUT, os.O_RDONLY)
    _hold(_STDERR, os.O_WRONLY)
    sys.stdout = _text(_Stdout(_STDOUT, "w", closefd=False), sys.stdout)
    sys.stderr = _text(_Stderr(_STDERR, "w", closefd=False), sys.stderr, lines=True)


def give_up() -> None:
    """Has nothing written to stdout any more, the rest of what is held for it neither."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, _STDOUT)
    os.close(nowhere)


def _hold(number: int, flags: int) -> None:
    """Opens a number that is closed on nothing, for reading only if writing is to fail."""
    try:
        os.fstat(number)
    except OSError:
        nowhere = os.open(os.devnull, flags)
        if nowhere != number:
            os.dup2(nowhere, number)
            os.close(nowhere)


def _text(raw: io.FileIO, old: object, *, lines: bool = False) -> io.TextIOWrapper:
    """Returns a stream for text that is like the one before, which is None where it was closed."""
    known = cast("io.TextIOWrapper | None", old)
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=known.encoding if known else "utf-8",
        line_buffering=lines or raw.isatty() or bool(known and known.write_through),
    )

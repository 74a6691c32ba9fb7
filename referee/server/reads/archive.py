"""A tar archive in gzip that is written while it is sent: no more than one message of it is in memory."""

import tarfile
import zlib
from collections.abc import Generator, Iterable
from typing import Final

from referee.match.config import SECOND

_MESSAGE: Final = 64 * 1024
_BLOCK: Final = 512
_GZIP: Final = 16 + zlib.MAX_WBITS
_LEVEL: Final = 1
"""Much of a log is hashes, which hardly shrink: this leaves 0.36 of it, and level 6, at three times the work,
0.32."""


class Archive:
    """Takes files one after another; what it yields is the archive, and empty while there is too little."""

    def __init__(self) -> None:
        self._packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
        self._packed = bytearray()

    def add(
        self, name: str, created: int, size: int, content: Iterable[bytes]
    ) -> Generator[bytes, None, None]:
        """Adds a file of `size` bytes, of a time in microseconds since the Unix epoch."""
        head = tarfile.TarInfo(name)
        head.size, head.mtime, head.mode = size, created // SECOND, 0o644
        yield from self._pack(head.tobuf(tarfile.USTAR_FORMAT))
        for piece in content:
            yield from self._pack(piece)
        yield from self._pack(b"\0" * (-size % _BLOCK))

    def end(self) -> Generator[bytes, None, None]:
        """Ends the archive."""
        yield from self._pack(b"\0" * 2 * _BLOCK)
        self._packed += self._packer.flush()
        while self._packed:
            yield self._message()

    def _pack(self, data: bytes) -> Generator[bytes, None, None]:
        self._packed += self._packer.compress(data)
        while len(self._packed) >= _MESSAGE:
            yield self._message()
        yield b""

    def _message(self) -> bytes:
        message = bytes(self._packed[:_MESSAGE])
        del self._packed[:_MESSAGE]
        return message

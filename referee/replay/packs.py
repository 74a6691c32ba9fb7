"""Reads logs and what belongs to them, whether each lies in a file of its own or in the pack of its day.

A pack is a zip file `pack.zip` in the folder of a day. A log keeps its name when it is packed: whoever
wants `<day>/<id>.jsonl` gets that file or, where there is none, the member of that name in the pack
beside which it would lie. A pack by another name, moved anywhere, is read as if it were a folder:
`<pack>/<id>.jsonl`. Nothing here writes; `packing` does.
"""

import errno
import io
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias

from referee.errors import RecordError
from referee.replay.opening import open_regular
from referee.replay.record import LINE_LIMIT

PACK: Final = "pack.zip"
"""The name of a pack in the folder of its day."""
ZIP: Final = ".zip"
"""How the name of every pack ends."""
_LOOKS: Final = 5
"""How often both places are looked at, at most, while a day is packed and unpacked again and again."""
_KEPT: Final = 8
"""How many tables of contents are kept in memory."""
LARGEST: Final = 256 << 20
"""Bytes of what is packed: it is taken out in memory, so anything larger stays in a file of its own."""
_LONGEST: Final = 255
"""Bytes of the name of a file."""
_MEMBER: Final = re.compile(r"[A-Za-z0-9][\w.-]*", re.ASCII)
"""What a member may be called: nothing that leads out of a folder."""
_HEAD: Final = struct.Struct("<4s22xHH")
_MAGIC: Final = b"PK\x03\x04"
_Key: TypeAlias = tuple[int, int, int, int]

_contents: dict[_Key, Mapping[str, zipfile.ZipInfo]] = {}


def open_log(path: Path) -> BinaryIO:
    """Opens a log, or what belongs to one, for reading; raises `OSError`, or `RecordError` for a bad pack."""
    for _ in looks(pack_of(path)):
        with suppress(FileNotFoundError, NotADirectoryError):
            return open_regular(path)
        with suppress(FileNotFoundError, NotADirectoryError):
            return _member(path)
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))


def exists(path: Path) -> bool:
    """Says whether a log is there, packed or not."""
    pack = pack_of(path)
    return any(path.exists() or path.name in contents(pack) for _ in looks(pack))


def status(path: Path) -> os.stat_result:
    """Returns the status of the file that a log lies in: its own or its pack; raises `OSError`."""
    pack = pack_of(path)
    for _ in looks(pack):
        with suppress(FileNotFoundError, NotADirectoryError):
            return path.stat()
        if path.name in contents(pack):
            with suppress(FileNotFoundError, NotADirectoryError):
                return pack.stat()
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))


def looks(pack: Path) -> Iterator[None]:
    """Has a reader look at both places, the folder and the pack, until one look is enough.

    What a pack does not hold has a file of its own for as long as that pack is the one, since a log is in
    both places while it moves. So one look tells all that was there before it, if the same pack is there
    before and after it; or none, and nothing came or went.
    """
    before = _state(pack)
    for _ in range(_LOOKS):
        yield
        now = _state(pack)
        if now == before:
            return
        before = now


def pack_of(path: Path) -> Path:
    """Returns the pack that a log is in if it has no file of its own."""
    return path.parent if path.parent.name.endswith(ZIP) else path.parent / PACK


def contents(pack: Path) -> Mapping[str, zipfile.ZipInfo]:
    """Returns what a pack holds, by name; nothing where there is none. Raises `RecordError` for a bad one."""
    try:
        with open_regular(pack) as file:
            return _contents_of(file, pack)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise RecordError(f"{pack}: {error.strerror}") from None


def is_pack(path: Path) -> bool:
    """Says whether a path names a pack: a file that ends in `.zip`."""
    return path.name.endswith(ZIP) and path.is_file()


def may_be_packed(name: str) -> bool:
    """Says whether a file of this name may go into a pack."""
    return _MEMBER.fullmatch(name) is not None and not name.endswith(ZIP)


def _state(pack: Path) -> _Key | None:
    for path in (pack, pack.parent):
        with suppress(OSError):
            return _key(path.stat())
    return None


def _key(found: os.stat_result) -> _Key:
    return (found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size)


def _member(path: Path) -> BinaryIO:
    pack = pack_of(path)
    with open_regular(pack) as file:
        found = _contents_of(file, pack).get(path.name)
        if found is None:
            raise FileNotFoundError
        try:
            return io.BytesIO(_content(file.fileno(), found))
        except (struct.error, zlib.error, ValueError) as error:
            raise RecordError(f"{pack}: {path.name} in it is damaged: {error}") from None


def _content(descriptor: int, member: zipfile.ZipInfo) -> bytes:
    """Reads one member; any number of threads and processes may share the file."""
    if max(member.file_size, member.compress_size) > LARGEST:
        raise ValueError(f"it is larger than {LARGEST} bytes")
    _, name, extra = _head(descriptor, member)
    start = member.header_offset + _HEAD.size + name + extra
    data = os.pread(descriptor, member.compress_size, start)
    if member.compress_type == zipfile.ZIP_DEFLATED:
        data = _inflated(data, member.file_size)
    elif member.compress_type != zipfile.ZIP_STORED:
        raise ValueError(f"compression {member.compress_type} is not read here")
    if len(data) != member.file_size or zlib.crc32(data) != member.CRC:
        raise ValueError("its checksum is another")
    return data


def _inflated(data: bytes, size: int) -> bytes:
    """Returns the bytes of a deflated member, never more than one above `size`.

    Of one whose first line is too long for a log no more than that is made.
    """
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    first = inflater.decompress(data, min(LINE_LIMIT, size) + 1)
    if len(first) > LINE_LIMIT and b"\n" not in first:
        raise ValueError(f"more than {LINE_LIMIT} bytes are no line of a replay log")
    return first + inflater.decompress(inflater.unconsumed_tail, max(1, size + 1 - len(first)))


def _head(descriptor: int, member: zipfile.ZipInfo) -> tuple[bytes, int, int]:
    """Returns how a member begins: its name and the lengths of the name and of what follows it."""
    head = os.pread(descriptor, _HEAD.size + _LONGEST, member.header_offset)
    magic, name, extra = _HEAD.unpack_from(head)
    if magic != _MAGIC:
        raise ValueError("it does not begin where it should")
    return head[_HEAD.size : _HEAD.size + name], name, extra


def _contents_of(file: BinaryIO, pack: Path) -> Mapping[str, zipfile.ZipInfo]:
    key = _key(os.fstat(file.fileno()))
    known = _contents.get(key)
    if known is None:
        try:
            with zipfile.ZipFile(file) as archive:
                members = archive.infolist()
                for member in members:
                    if _head(file.fileno(), member)[0] != member.filename.encode():
                        raise ValueError(f"{member.filename} has two names")
        except (zipfile.BadZipFile, NotImplementedError, ValueError, struct.error) as error:
            raise RecordError(f"{pack}: no whole zip file: {error}") from None
        known = {member.filename: member for member in members}
        odd = next((name for name in known if not _MEMBER.fullmatch(name)), None)
        if odd is not None or len(known) != len(members):
            raise RecordError(f"{pack}: no pack of replay logs: {odd or 'a name in it stands there twice'!r}")
        if len(_contents) >= _KEPT:
            _contents.clear()
        _contents[key] = known
    return known

"""Unseals the logs of blocks that nobody plays any more.

The matches of a block share their deals, so none of their logs may be read before the last of them has
ended, or the block was given up: until then an ended log is sealed, see `writer`. Whoever plays a block
holds a lock on each of its sealed logs, which ends with its process. What a process leaves that was
killed is unsealed here, unless a match of the block may still go on.
"""

import fcntl
import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from referee.errors import RecordError
from referee.replay import opening
from referee.replay.files import open_up
from referee.replay.reader import header, sealed, unfinished


def settle_blocks(root: Path, now: int, window: int) -> list[Path]:
    """Unseals all blocks under a data root that are over, whole or given up; returns the new names.

    `now` is microseconds since the Unix epoch; a match that was cut off less than `window`
    microseconds ago may be resumed, and its block stays sealed. A log that cannot be read or renamed
    stays as it is, for the next time.
    """
    blocks: defaultdict[str, list[Path]] = defaultdict(list)
    for path in sealed(root):
        with suppress(RecordError):
            blocks[header(path).deal_group].append(path)
    playing = _playing(root, now - window) if blocks else frozenset()
    return [path for group, paths in blocks.items() if group not in playing for path in _unseal(paths)]


def _playing(root: Path, since: int) -> frozenset[str]:
    """Returns the deal groups of the matches that run, or may still be resumed."""
    found = set()
    for path in unfinished(root):
        with suppress(RecordError, OSError):
            if path.stat().st_mtime_ns // 1000 >= since:  # whoever plays it touches it every second
                found.add(header(path).deal_group)
    return frozenset(found)


def _unseal(paths: Sequence[Path]) -> Iterator[Path]:
    """Unseals the logs of one block, or none of them where somebody holds one."""
    with ExitStack() as stack, suppress(OSError):
        descriptors = [stack.enter_context(_locked(path)) for path in paths]
        for descriptor, path in zip(descriptors, paths, strict=True):
            yield open_up(descriptor, path)


@contextmanager
def _locked(path: Path) -> Iterator[int]:
    """Holds the lock of a log; raises `OSError` where another has it."""
    descriptor = opening.descriptor(path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield descriptor
    finally:
        os.close(descriptor)

"""Ends the matches that a runner left behind which was killed: void, and another attempt follows.

Their bots were launched by a process that is gone, so nobody could go on with them.
"""

import time
from collections.abc import Callable
from pathlib import Path

from referee.errors import LogWriteError, RecordError
from referee.match.config import SECOND
from referee.replay.reader import unfinished
from referee.replay.seals import settle_blocks
from referee.replay.writer import LogWriter, remove_headless
from referee.server import voiding
from referee.server.config import ArenaConfig


def void_leftovers(data: Path, tournament: str, told: Callable[[str], None]) -> int:
    """Voids the unfinished matches of a tournament and returns how many there were.

    Matches of others are left alone, and so is a log that cannot be trusted: `told` hears of it. Logs of
    blocks that nobody plays any more are unsealed, so that their attempts are known.
    """
    count = sum(_void(path, tournament, told) for path in unfinished(data))
    settle_blocks(data, time.time_ns() // 1000, ArenaConfig().resume_window)
    return count


def _void(path: Path, tournament: str, told: Callable[[str], None]) -> bool:
    try:
        if remove_headless(path):
            return False
        writer, log = LogWriter.reopen(path)
    except LogWriteError:
        return False  # another process is writing it
    except RecordError as error:
        told(f"{path}: cannot be continued: {error}")
        return False
    try:
        if not log.setup.pairing_id.startswith(f"{tournament}/"):
            return False
        if log.ended:
            writer.finish()
            return False
        gone = max(0, time.time_ns() // 1000 - path.stat().st_mtime_ns // 1000)
        voiding.void(writer, log, f"the referee was gone for {gone // SECOND} s")
    except RecordError as error:
        told(f"{path}: cannot be continued: {error}")
        return False
    finally:
        writer.abandon()
    return True

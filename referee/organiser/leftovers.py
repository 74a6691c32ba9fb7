"""Sees to the matches that a runner left behind which was killed.

A match between registered bots alone goes on if it was cut off a short while ago: they come back by
themselves. Launched bots were children of a process that is gone, so nobody could go on with theirs:
such a match is void, and another attempt follows.
"""

import time
from collections.abc import Callable
from pathlib import Path

from referee.errors import LogWriteError, RecordError
from referee.match.config import SECOND, Setup
from referee.replay.reader import unfinished
from referee.replay.seals import settle_blocks
from referee.replay.signature import Signer
from referee.replay.writer import LogWriter, remove_headless
from referee.server import voiding
from referee.server.config import ArenaConfig

_WINDOW = ArenaConfig().resume_window


def void_leftovers(data: Path, series: str, told: Callable[[str], None]) -> None:
    """Voids the unfinished matches of a tournament or run, whose bots were launched for it.

    Matches of others are left alone, and so is a log that cannot be trusted: `told` hears of it. Logs of
    blocks that nobody plays any more are unsealed, so that their attempts are known.
    """
    settle_leftovers(data, series, frozenset(), told)


def settle_leftovers(
    data: Path,
    series: str,
    remote: frozenset[str],
    told: Callable[[str], None],
    signer: Signer | None = None,
) -> list[Setup]:
    """Does so, but for matches that may go on, which it returns; `remote` are the ids of registered bots.

    `signer` signs the logs that it ends.
    """
    found = [_settle(path, series, remote, told, signer) for path in unfinished(data)]
    settle_blocks(data, time.time_ns() // 1000, _WINDOW)
    return [setup for setup in found if setup is not None]


def _settle(
    path: Path, series: str, remote: frozenset[str], told: Callable[[str], None], signer: Signer | None
) -> Setup | None:
    try:
        if remove_headless(path):
            return None
        writer, log = LogWriter.reopen(path, signer)
    except LogWriteError:
        return None  # another process is writing it
    except RecordError as error:
        told(f"{path}: cannot be continued: {error}")
        return None
    try:
        gone = max(0, time.time_ns() // 1000 - path.stat().st_mtime_ns // 1000)
        if not log.setup.pairing_id.startswith(f"{series}/"):
            return None
        if log.ended:
            writer.finish()
            return None
        why = _why_not(log.setup, remote, gone)
        if not why:
            return log.setup
        voiding.void(writer, log, why)
    except RecordError as error:
        told(f"{path}: cannot be continued: {error}")
    finally:
        writer.abandon()
    return None


def _why_not(setup: Setup, remote: frozenset[str], gone: int) -> str:
    """Says why a match cannot go on after so many microseconds; nothing where it can."""
    if any(seat.bot not in remote for seat in setup.seats):
        return "the referee was gone, and the bots that it had launched with it"
    if setup.block:
        return "the referee was gone, and a block is played in one go"
    return f"the referee was gone for {gone // SECOND} s" if gone > _WINDOW else ""

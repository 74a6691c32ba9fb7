"""Ends a match as void in its log, from what the log holds and nothing else."""

from referee import games
from referee.errors import RecordError
from referee.match.events import Record
from referee.match.machine import Match
from referee.replay.reader import Log
from referee.replay.resimulate import rebuild
from referee.replay.writer import LogWriter


def void(writer: LogWriter, log: Log, note: str) -> Match:
    """Appends what follows from the last record and the end, finishes the log, and returns the match.

    A log that has its end already keeps that. Raises `RecordError` for a log that cannot be continued
    and `LogWriteError` for trouble with the file.
    """
    if log.secret is None:
        raise RecordError("the secret of its deals is gone")
    known = len(log.records)

    def append(record: Record) -> None:
        if record.n > known:
            writer.append(record)

    rebuilt = rebuild(log.setup, log.secret, log.records, games.find(log.setup.game), lambda _match: append)
    rebuilt.match.void(note, rebuilt.elapsed)
    writer.finish()
    return rebuilt.match


def again(writer: LogWriter, note: str) -> tuple[LogWriter, Match]:
    """Has a match made anew from its log and voided there: what failed may have left anything of it.

    Returns the writer and the match that stand for the old ones.
    """
    writer, log = writer.again()
    return writer, void(writer, log, note)

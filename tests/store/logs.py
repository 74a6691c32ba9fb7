"""Finished replay logs for tests of the store: a header and an end, by the real writer."""

import hashlib
from pathlib import Path

import msgspec
from msgspec import UNSET

from referee.match.config import SeatInfo
from referee.match.events import End, Forfeit, Place, Record
from referee.replay.writer import LogWriter
from referee.tournament.result import MatchResult
from tests.match.harness import SECRET, setup


def write(root: Path, result: MatchResult) -> Path:
    """Writes the log of a match with this result, up to its final name, and returns its path."""
    header = msgspec.structs.replace(
        setup(seats=len(result.seats)),
        match_id=result.match_id,
        deal_group=result.deal_group,
        pairing_id=result.pairing_id,
        attempt=result.attempt,
        tournament=result.tournament or UNSET,
        rated=result.rated,
        provable=result.provable,
        rules_version=result.rules_version,
        options=dict(result.options),
        created=result.created,
        seats=tuple(
            SeatInfo(owner=seat.owner, bot=seat.bot, name=seat.name, version=seat.version)
            for seat in result.seats
        ),
    )
    writer = LogWriter.create(root, header, SECRET)
    for record in _records(result):
        writer.append(record)
    return writer.finish()


def digest(root: Path) -> str:
    """Returns a hash of all files under a folder."""
    files = sorted(path for path in root.rglob("*") if path.is_file())
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def _records(result: MatchResult) -> list[Record]:
    forfeits = [number for number, seat in enumerate(result.seats) if seat.forfeited]
    records: list[Record] = [Forfeit(n=n, t=0, seat=seat) for n, seat in enumerate(forfeits, start=1)]
    places = tuple(
        Place(
            seat=number,
            rank=seat.rank,
            score=seat.score,
            points=seat.points,
            forfeited=seat.forfeited,
            strikes=seat.strikes,
            faults=dict(seat.faults),
        )
        for number, seat in enumerate(result.seats)
    )
    end = End(
        n=len(records) + 1,
        t=result.duration,
        termination=result.termination,  # type: ignore[arg-type]
        note="",
        at_fault=tuple(number for number, seat in enumerate(result.seats) if seat.at_fault),
        places=places,
        plies=0,
        secret=SECRET.hex(),
        contributions=("",) * len(result.seats),
    )
    return [*records, end]

"""Results in the store: put in once, read back as they were."""

import json
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from sqlalchemy import LABEL_STYLE_TABLENAME_PLUS_COL, Connection, delete, insert, select, update

from referee.errors import StoreError
from referee.store.schema import RESULTS, SEATS
from referee.tournament.result import MatchResult, SeatResult, check

_HEAD = [
    "match_id",
    "attempt",
    "tournament",
    "parts",
    "duration",
    "deal_group",
    "game",
    "rules_version",
    "created",
    "termination",
    "rated",
    "provable",
    "log",
    "last_hash",
]
_SEAT = [
    "owner",
    "bot",
    "name",
    "version",
    "rank",
    "score",
    "points",
    "forfeited",
    "strikes",
    "at_fault",
    "cause",
    "turns",
    "think",
    "longest",
]


def put(connection: Connection, result: MatchResult) -> bool:
    """Puts a result in by compare-and-set and says whether it is new.

    The same result again changes nothing. Raises `RecordError` for a result that is not sound and
    `StoreError` for one that differs from what is kept: of two matches for one attempt at a pairing
    the one made first is kept, so that a rebuild in any order comes to the same.
    """
    check(result)
    for kept in fetch(connection, result.match_id):
        _same_match(connection, kept, result)
        return False
    rival = _rival(connection, result)
    if rival is not None:
        if rival.order < result.order:
            raise StoreError(_refusal(result, rival))
        connection.execute(delete(RESULTS).where(RESULTS.c.match_id == rival.match_id))
    head = {name: getattr(result, name) for name in _HEAD}
    options = json.dumps(dict(sorted(result.options.items())))
    connection.execute(insert(RESULTS), {**head, "pairing_id": result.pairing_id or None, "options": options})
    connection.execute(insert(SEATS), [_seat_row(result, seat) for seat in range(len(result.seats))])
    return True


def fetch(connection: Connection, match_id: str | None = None) -> Iterator[MatchResult]:
    """Returns all results, or the one with this match id, in the order of folding."""
    query = select(RESULTS, SEATS).join(SEATS).order_by(RESULTS.c.created, RESULTS.c.match_id, SEATS.c.seat)
    if match_id is not None:
        query = query.where(RESULTS.c.match_id == match_id)
    rows = connection.execute(query.set_label_style(LABEL_STYLE_TABLENAME_PLUS_COL)).mappings()
    for _, group in groupby(rows, key=lambda row: row["results_match_id"]):
        yield _result(list(group))


def logs(connection: Connection) -> dict[str, str]:
    """Returns the logs whose results are kept, with the hashes of their last lines."""
    return {row.log: row.last_hash for row in connection.execute(select(RESULTS.c.log, RESULTS.c.last_hash))}


def changed(name: str) -> StoreError:
    """Returns what is said of a log whose last line is not the one that its result was read from."""
    return StoreError(
        f"{name}: was changed after its result was kept; the result stays as it was;"
        " put back a true copy, or remove the log and run `referee standings rebuild` to drop the result"
    )


def match_ids(connection: Connection) -> set[str]:
    """Returns the matches whose results are kept."""
    return set(connection.execute(select(RESULTS.c.match_id)).scalars())


def clear(connection: Connection) -> None:
    """Drops all results."""
    connection.execute(delete(SEATS))
    connection.execute(delete(RESULTS))


def _same_match(connection: Connection, kept: MatchResult, result: MatchResult) -> None:
    if kept.last_hash and result.last_hash and kept.last_hash != result.last_hash:
        raise changed(result.log)
    if kept != result:
        raise StoreError(
            f"{result.log or result.match_id}: differs from the result that is kept for this match;"
            " it is left out"
        )
    if result.log and not kept.log:
        values = {"log": result.log, "last_hash": result.last_hash}
        connection.execute(update(RESULTS).where(RESULTS.c.match_id == kept.match_id).values(values))


def _rival(connection: Connection, result: MatchResult) -> MatchResult | None:
    """Returns the kept result of another match for the same attempt at the same pairing."""
    if not result.pairing_id:
        return None
    same = (RESULTS.c.pairing_id == result.pairing_id) & (RESULTS.c.attempt == result.attempt)
    found = connection.execute(select(RESULTS.c.match_id).where(same)).scalar()
    return None if found is None else next(fetch(connection, found))


def _refusal(result: MatchResult, rival: MatchResult) -> str:
    return (
        f"{result.log or result.match_id}: attempt {result.attempt} at pairing {result.pairing_id}"
        f" was played already, as match {rival.match_id}; it is left out"
    )


def _seat_row(result: MatchResult, number: int) -> dict[str, Any]:
    seat = result.seats[number]
    row = {name: getattr(seat, name) for name in _SEAT}
    faults = json.dumps(dict(sorted(seat.faults.items())))
    return {**row, "match_id": result.match_id, "seat": number, "faults": faults}


def _result(rows: list[Any]) -> MatchResult:
    first = rows[0]
    return MatchResult(
        **{name: first[f"results_{name}"] for name in _HEAD},
        pairing_id=first["results_pairing_id"] or "",
        options=json.loads(first["results_options"]),
        seats=tuple(_seat(row) for row in rows),
    )


def _seat(row: Any) -> SeatResult:
    fields = {name: row[f"result_seats_{name}"] for name in _SEAT}
    return SeatResult(**fields, faults=json.loads(row["result_seats_faults"]))

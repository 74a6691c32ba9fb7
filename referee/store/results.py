"""Results in the store: put in once, read back as they were."""

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, TypeAlias

from sqlalchemy import (
    LABEL_STYLE_TABLENAME_PLUS_COL,
    ColumnElement,
    Connection,
    Select,
    delete,
    func,
    insert,
    select,
    tuple_,
    update,
)

from referee.errors import StoreError
from referee.store.schema import READING, RESULTS, SEATS
from referee.tournament.result import MatchResult, SeatResult, check

Where: TypeAlias = Sequence[ColumnElement[bool]]
"""Conditions that all hold of the results that are meant."""

_AT_ONCE = 1000
"""How many rows are in memory while results are read one after another."""
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
    kept = one(connection, result.match_id)
    if kept is not None:
        _same_match(connection, kept, result)
        return False
    rival = _rival(connection, result)
    if rival is not None:
        if rival.order < result.order:
            raise StoreError(_refusal(result, rival))
        connection.execute(delete(RESULTS).where(RESULTS.c.match_id == rival.match_id))
    head = {name: getattr(result, name) for name in _HEAD}
    options = json.dumps(dict(sorted(result.options.items())))
    mine = {"pairing_id": result.pairing_id or None, "options": options, "reading": READING, "stamp": ""}
    connection.execute(insert(RESULTS), {**head, **mine})
    connection.execute(insert(SEATS), [_seat_row(result, seat) for seat in range(len(result.seats))])
    return True


def wanted(
    tournament: str | None = None, game: str | None = None, run: str | None = None, bot: str | None = None
) -> Where:
    """Returns which results are of a tournament, of a game, of the pairings `<run>/...` and with a bot."""
    where: list[ColumnElement[bool]] = []
    if tournament is not None:
        where.append(RESULTS.c.tournament == tournament)
    if game is not None:
        where.append(RESULTS.c.game == game)
    if run is not None:  # a range, since LIKE is not the same everywhere; "0" follows "/"
        where.append(RESULTS.c.pairing_id.between(f"{run}/", f"{run}0"))
    if bot is not None:
        where.append(RESULTS.c.match_id.in_(select(SEATS.c.match_id).where(SEATS.c.bot == bot)))
    return where


def one(connection: Connection, match_id: str) -> MatchResult | None:
    """Returns the result of a match, or None while there is none."""
    query = select(RESULTS, SEATS).join(SEATS).where(RESULTS.c.match_id == match_id)
    return next(_grouped(connection, query.order_by(SEATS.c.seat)), None)


def fetch(connection: Connection, where: Where = ()) -> Iterator[MatchResult]:
    """Returns results in the order of folding, read as they are asked for."""
    query = select(RESULTS, SEATS).join(SEATS).where(*where)
    query = query.order_by(RESULTS.c.created, RESULTS.c.match_id, SEATS.c.seat)
    return _grouped(connection, query.execution_options(yield_per=_AT_ONCE))


def page(
    connection: Connection, where: Where, after: tuple[int, str] | None, limit: int
) -> list[MatchResult]:
    """Returns at most `limit` results, the newest match first, from below `after` on."""
    order = RESULTS.c.created, RESULTS.c.match_id
    newest = select(RESULTS.c.match_id).where(*where)
    if after is not None:
        newest = newest.where(tuple_(*order) < after)
    chosen = newest.order_by(*(column.desc() for column in order)).limit(limit).subquery()
    query = select(RESULTS, SEATS).join(SEATS).join(chosen, chosen.c.match_id == RESULTS.c.match_id)
    return list(_grouped(connection, query.order_by(*(column.desc() for column in order), SEATS.c.seat)))


def count(connection: Connection) -> int:
    """Returns how many results there are."""
    return connection.execute(select(func.count()).select_from(RESULTS)).scalar_one()


def _grouped(connection: Connection, query: Select[Any]) -> Iterator[MatchResult]:
    rows = connection.execute(query.set_label_style(LABEL_STYLE_TABLENAME_PLUS_COL))
    for _, group in groupby(rows.mappings(), key=lambda row: row["results_match_id"]):
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
    return None if found is None else one(connection, found)


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

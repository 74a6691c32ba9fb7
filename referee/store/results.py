"""Results in the store: put in once, read back as they were."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    bindparam,
    delete,
    func,
    insert,
    select,
    tuple_,
    update,
)

from referee.errors import StoreError
from referee.store.choice import Choice
from referee.store.schema import READING, RESULTS, SEATS
from referee.tournament.result import COUNTED, MatchResult, SeatResult, check

Where: TypeAlias = Sequence[ColumnElement[bool]]
"""Conditions that all hold of the results that are meant."""

_AT_ONCE = 1000
"""How many rows are in memory while results are read one after another."""
_CLAIMS = select(RESULTS.c.match_id).where(
    (RESULTS.c.match_id == bindparam("match"))
    | ((RESULTS.c.pairing_id == bindparam("pairing")) & (RESULTS.c.attempt == bindparam("number")))
)
"""The kept results of a match, and of other matches for the same attempt at the same pairing."""
_decode = msgspec.json.Decoder().decode
_LARGE_PRIME = 1_000_003
"""Times are added up as what is left of them; the sum of whole ones is too large for a database."""
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


def put(connection: Connection, result: MatchResult, choice: Choice) -> bool:
    """Puts a result in by compare-and-set and says whether it is new.

    The same result again changes nothing. Raises `RecordError` for a result that is not sound and
    `StoreError` for one that differs from what is kept: of two matches for one attempt at a pairing
    `choice` has the one that is kept, so that a rebuild in any order comes to the same.
    """
    check(result)
    attempt = {"pairing": result.pairing_id or None, "number": result.attempt}
    claims = set(connection.execute(_CLAIMS, {"match": result.match_id, **attempt}).scalars())
    if result.match_id in claims:
        _same_match(connection, next(_of_match(connection, result.match_id)), result)
        return False
    for match_id in claims:
        rival = next(_of_match(connection, match_id))
        refusal = choice.refusal(result, rival)
        if refusal:
            raise StoreError(refusal)
        connection.execute(delete(RESULTS).where(RESULTS.c.match_id == rival.match_id))
    _insert(connection, result)
    return True


def _insert(connection: Connection, result: MatchResult) -> None:
    head = {name: getattr(result, name) for name in _HEAD}
    options = json.dumps(dict(sorted(result.options.items())))
    mine = {"pairing_id": result.pairing_id or None, "options": options, "reading": READING, "stamp": ""}
    connection.execute(insert(RESULTS), {**head, **mine})
    connection.execute(insert(SEATS), [_seat_row(result, seat) for seat in range(len(result.seats))])


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
        where += [RESULTS.c.pairing_id >= f"{run}/", RESULTS.c.pairing_id < f"{run}0"]
    if bot is not None:
        where.append(RESULTS.c.match_id.in_(select(SEATS.c.match_id).where(SEATS.c.bot == bot)))
    return where


def one(connection: Connection, match_id: str) -> MatchResult | None:
    """Returns the result of a match, or None while there is none."""
    return next(_of_match(connection, match_id), None)


def _of_match(connection: Connection, match_id: str) -> Iterator[MatchResult]:
    return _grouped(connection, _ROWS.where(RESULTS.c.match_id == match_id).order_by(SEATS.c.seat))


def fetch(connection: Connection, where: Where = ()) -> Iterator[MatchResult]:
    """Returns results in the order of folding, read as they are asked for."""
    query = _ROWS.where(*where).order_by(RESULTS.c.created, RESULTS.c.match_id, SEATS.c.seat)
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
    query = _ROWS.join(chosen, chosen.c.match_id == RESULTS.c.match_id)
    return list(_grouped(connection, query.order_by(*(column.desc() for column in order), SEATS.c.seat)))


def count(connection: Connection) -> int:
    """Returns how many results there are."""
    return connection.execute(select(func.count()).select_from(RESULTS)).scalar_one()


def series(connection: Connection) -> set[str]:
    """Returns the tournaments, ladders and runs of which there are results."""
    found = connection.execute(select(RESULTS.c.tournament, RESULTS.c.pairing_id))
    return {tournament or (pairing or "").rpartition("/")[0] for tournament, pairing in found} - {""}


class Version(NamedTuple):
    """A version of a bot: its matches that came to an end, and when the first and the last were made."""

    version: str
    matches: int
    first: int
    last: int


def versions(connection: Connection, bot: str) -> list[Version]:
    """Returns the versions of a bot in the order in which they first played a match that came to an end."""
    first, last = func.min(RESULTS.c.created), func.max(RESULTS.c.created)
    query = (
        select(SEATS.c.version, func.count(SEATS.c.match_id.distinct()), first, last)
        .select_from(RESULTS.join(SEATS))
        .where(SEATS.c.bot == bot, RESULTS.c.termination.in_(sorted(COUNTED)))
        .group_by(SEATS.c.version)
        .order_by(first, SEATS.c.version)
    )
    return [Version(*found) for found in connection.execute(query)]


class Known(NamedTuple):
    """What is kept about a log: its match, the hash of its last line, the stamp of its file, the reading."""

    match_id: str
    last_hash: str
    stamp: str
    reading: int


def logs(connection: Connection) -> dict[str, Known]:
    """Returns the logs whose results are kept."""
    columns = (RESULTS.c[name] for name in ("log", *Known._fields))
    return {name: Known(*kept) for name, *kept in connection.execute(select(*columns))}


def put_stamps(connection: Connection, stamps: Iterable[tuple[str, str]]) -> None:
    """Keeps the stamps of the files of logs, by match."""
    query = update(RESULTS).where(RESULTS.c.match_id == bindparam("match")).values(stamp=bindparam("seen"))
    connection.execute(query, [{"match": match_id, "seen": stamp} for match_id, stamp in stamps])


def changed(name: str) -> StoreError:
    """Returns what is said of a log whose last line is not the one that its result was read from."""
    return StoreError(
        f"{name}: was changed after its result was kept; the result stays as it was;"
        " put back a true copy, or remove the log and run `referee standings rebuild` to drop the result"
    )


def match_ids(connection: Connection) -> set[str]:
    """Returns the matches whose results are kept."""
    return set(connection.execute(select(RESULTS.c.match_id)).scalars())


def match_ids_with(connection: Connection, part: str, limit: int) -> list[str]:
    """Returns at most `limit` ids of matches in which a text occurs, the newest first."""
    query = select(RESULTS.c.match_id).where(RESULTS.c.match_id.contains(part, autoescape=True))
    newest = query.order_by(RESULTS.c.created.desc(), RESULTS.c.match_id.desc()).limit(limit)
    return list(connection.execute(newest).scalars())


def bots_called(connection: Connection, name: str) -> list[str]:
    """Returns the ids of the bots that are called so, or have it as their id; sorted."""
    query = select(SEATS.c.bot).where((SEATS.c.bot == name) | (SEATS.c.name == name)).distinct()
    return sorted(connection.execute(query).scalars())


def clear(connection: Connection) -> None:
    """Drops all results."""
    connection.execute(delete(SEATS))
    connection.execute(delete(RESULTS))


def _same_match(connection: Connection, kept: MatchResult, result: MatchResult) -> None:
    if kept.last_hash and result.last_hash and kept.last_hash != result.last_hash:
        raise changed(result.log)
    this = RESULTS.c.match_id == kept.match_id
    same = kept.last_hash and kept.last_hash == result.last_hash
    if same and connection.execute(select(RESULTS.c.reading).where(this)).scalar() != READING:
        connection.execute(delete(RESULTS).where(this))
        _insert(connection, result)
        return
    if kept != result:
        raise StoreError(
            f"{result.log or result.match_id}: differs from the result that is kept for this match;"
            " it is left out"
        )
    if result.log and not kept.log:
        values = {"log": result.log, "last_hash": result.last_hash}
        connection.execute(update(RESULTS).where(this).values(values))


def _seat_row(result: MatchResult, number: int) -> dict[str, Any]:
    seat = result.seats[number]
    row = {name: getattr(seat, name) for name in _SEAT}
    faults = json.dumps(dict(sorted(seat.faults.items())))
    return {**row, "match_id": result.match_id, "seat": number, "faults": faults}


_MATCH = [RESULTS.c[name] for name in (*_HEAD, "pairing_id", "options")]
_ROWS = select(*_MATCH, *(SEATS.c[name] for name in (*_SEAT, "faults"))).select_from(RESULTS.join(SEATS))
"""One row for each seat: what is kept of the match, and after it what is kept of the seat."""


def fingerprint(connection: Connection) -> tuple[int, ...]:
    """Returns numbers that change with the results that there are."""
    created = RESULTS.c.created
    sums = func.count(), func.max(created), func.sum(created % _LARGE_PRIME)
    return tuple(int(number or 0) for number in connection.execute(select(*sums)).one())


def _grouped(connection: Connection, query: Select[Any]) -> Iterator[MatchResult]:
    for _, group in groupby(connection.execute(query), key=itemgetter(0)):
        rows = list(group)
        *head, pairing_id, options = rows[0][: len(_MATCH)]
        yield MatchResult(
            **dict(zip(_HEAD, head, strict=True)),
            pairing_id=pairing_id or "",
            options=_decode(options),
            seats=tuple(_seat(row[len(_MATCH) :]) for row in rows),
        )


def _seat(values: Sequence[Any]) -> SeatResult:
    *fields, faults = values
    return SeatResult(**dict(zip(_SEAT, fields, strict=True)), faults=_decode(faults))

"""A store as the first version of the schema had it."""

import json
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import Connection, Engine, column, create_engine, insert, inspect, select, table, update

from referee.store.address import url_of
from referee.store.store import FILE
from referee.tournament.result import MatchResult

TOKEN_HASH = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
"""The SHA-256 of the token `test`."""

_TABLES = """
CREATE TABLE meta ("key" VARCHAR NOT NULL, value VARCHAR NOT NULL, PRIMARY KEY ("key"));
CREATE TABLE results (
    match_id VARCHAR NOT NULL, pairing_id VARCHAR, attempt INTEGER NOT NULL, deal_group VARCHAR NOT NULL,
    game VARCHAR NOT NULL, rules_version VARCHAR NOT NULL, options TEXT NOT NULL, created BIGINT NOT NULL,
    termination VARCHAR NOT NULL, rated BOOLEAN NOT NULL, provable BOOLEAN NOT NULL, log VARCHAR NOT NULL,
    last_hash VARCHAR NOT NULL, PRIMARY KEY (match_id), UNIQUE (pairing_id, attempt)
);
CREATE TABLE bots (
    bot_id VARCHAR NOT NULL, name VARCHAR NOT NULL, owner VARCHAR NOT NULL, token_hash VARCHAR NOT NULL,
    created BIGINT NOT NULL, revoked BIGINT, PRIMARY KEY (bot_id), UNIQUE (token_hash)
);
CREATE TABLE result_seats (
    match_id VARCHAR NOT NULL, seat INTEGER NOT NULL, owner VARCHAR NOT NULL, bot VARCHAR NOT NULL,
    name VARCHAR NOT NULL, version VARCHAR NOT NULL, rank INTEGER NOT NULL, score BIGINT NOT NULL,
    points FLOAT NOT NULL, forfeited BOOLEAN NOT NULL, strikes INTEGER NOT NULL, at_fault BOOLEAN NOT NULL,
    faults TEXT NOT NULL, PRIMARY KEY (match_id, seat),
    FOREIGN KEY(match_id) REFERENCES results (match_id) ON DELETE CASCADE
);
CREATE INDEX ix_result_seats_bot ON result_seats (bot);
INSERT INTO meta VALUES ('schema', '1')
"""
_META = table("meta", column("value"))
_BOTS = table("bots", *map(column, ("bot_id", "name", "owner", "token_hash", "created", "revoked")))
_RESULTS = table(
    "results",
    *(column(name) for name in ("match_id", "pairing_id", "attempt", "deal_group", "game", "rules_version")),
    *(column(name) for name in ("options", "created", "termination", "rated", "provable", "log")),
    column("last_hash"),
)
_SEATS = table(
    "result_seats",
    *(column(name) for name in ("match_id", "seat", "owner", "bot", "name", "version", "rank", "score")),
    *(column(name) for name in ("points", "forfeited", "strikes", "at_fault", "faults")),
)


def make(root: Path, url: str | None, results: Sequence[MatchResult]) -> None:
    """Makes a store of version 1 with results, as they are in it, and the bot Ann with the token `test`."""
    engine = _engine(root, url)
    with engine.begin() as connection:
        for statement in _TABLES.split(";"):
            connection.exec_driver_sql(statement)
        for result in results:
            _insert(connection, result)
        bot = {"bot_id": "ann", "name": "Ann", "owner": "alice", "token_hash": TOKEN_HASH, "created": 5}
        connection.execute(insert(_BOTS), bot)
    engine.dispose()


def version(root: Path, url: str | None) -> str:
    """Returns the version that a store has."""
    engine = _engine(root, url)
    with engine.begin() as connection:
        found = connection.execute(select(_META.c.value)).scalar_one()
    engine.dispose()
    return str(found)


def set_version(root: Path, url: str | None, number: int | str) -> None:
    """Changes the version that a store says it has."""
    engine = _engine(root, url)
    with engine.begin() as connection:
        connection.execute(update(_META).values(value=str(number)))
    engine.dispose()


def execute(root: Path, url: str | None, *statements: str) -> None:
    """Executes statements on a database, whatever is in it."""
    engine = _engine(root, url)
    with engine.begin() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
    engine.dispose()


def shape(root: Path, url: str | None) -> dict[str, object]:
    """Returns the columns, keys and indexes of all tables; defaults are of no matter."""
    engine = _engine(root, url)
    seen = inspect(engine)
    found: dict[str, object] = {
        table: (
            sorted((column["name"], repr(column["type"]), column["nullable"]) for column in columns),
            seen.get_pk_constraint(table)["constrained_columns"],
            sorted((index["name"] or "", tuple(index["column_names"])) for index in seen.get_indexes(table)),
        )
        for table in sorted(seen.get_table_names())
        for columns in [seen.get_columns(table)]
    }
    engine.dispose()
    return found


def _engine(root: Path, url: str | None) -> Engine:
    return create_engine(url_of(url or root / FILE))


def _insert(connection: Connection, result: MatchResult) -> None:
    own: dict[str, object] = {
        "options": json.dumps(dict(result.options)),
        "pairing_id": result.pairing_id or None,
    }
    kept = {c.name: getattr(result, c.name) for c in _RESULTS.c if c.name not in own}
    connection.execute(insert(_RESULTS), {**kept, **own})
    for number, seat in enumerate(result.seats):
        own = {"match_id": result.match_id, "seat": number, "faults": json.dumps(dict(seat.faults))}
        kept = {c.name: getattr(seat, c.name) for c in _SEATS.c if c.name not in own}
        connection.execute(insert(_SEATS), {**kept, **own})

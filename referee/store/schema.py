"""The tables of the store."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

VERSION = 3
"""Changes whenever a table changes, with a step in `migrations`; an older program refuses a newer store."""
READING = 1
"""Changes whenever more is read from a log; rows of an older reading are read again by the next sync."""

_KEY = String().with_variant(String(collation="C"), "postgresql")
"""A text that is sorted byte for byte in every database."""

METADATA = MetaData()

META = Table(
    "meta",
    METADATA,
    Column("key", String, primary_key=True),
    Column("value", String, nullable=False),
)

RESULTS = Table(
    "results",
    METADATA,
    Column("match_id", _KEY, primary_key=True),
    Column("pairing_id", _KEY),  # NULL for a match of its own, so that the constraint passes it over
    Column("attempt", Integer, nullable=False),
    Column("tournament", String, nullable=False, index=True),
    Column("parts", Integer, nullable=False),
    Column("duration", BigInteger, nullable=False),
    Column("deal_group", String, nullable=False),
    Column("game", String, nullable=False),
    Column("rules_version", String, nullable=False),
    Column("options", Text, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("termination", String, nullable=False),
    Column("rated", Boolean, nullable=False),
    Column("provable", Boolean, nullable=False),
    Column("log", String, nullable=False),
    Column("last_hash", String, nullable=False),
    Column("reading", Integer, nullable=False),
    Column("stamp", String, nullable=False),  # of the file when its last line was seen to be `last_hash`
    UniqueConstraint("pairing_id", "attempt"),
    Index("ix_results_order", "created", "match_id"),
)

SEATS = Table(
    "result_seats",
    METADATA,
    Column("match_id", ForeignKey("results.match_id", ondelete="CASCADE"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("owner", String, nullable=False),
    Column("bot", String, nullable=False, index=True),
    Column("name", String, nullable=False),
    Column("version", String, nullable=False),
    Column("rank", Integer, nullable=False),
    Column("score", BigInteger, nullable=False),
    Column("points", Float, nullable=False),
    Column("forfeited", Boolean, nullable=False),
    Column("strikes", Integer, nullable=False),
    Column("at_fault", Boolean, nullable=False),
    Column("faults", Text, nullable=False),
    Column("cause", String, nullable=False),
    Column("turns", Integer, nullable=False),
    Column("think", BigInteger, nullable=False),
    Column("longest", BigInteger, nullable=False),
)

BOTS = Table(
    "bots",
    METADATA,
    Column("bot_id", _KEY, primary_key=True),
    Column("name", String, nullable=False),
    Column("owner", String, nullable=False),
    Column("token_hash", String, nullable=False, unique=True),
    Column("created", BigInteger, nullable=False),
    Column("revoked", BigInteger),
)

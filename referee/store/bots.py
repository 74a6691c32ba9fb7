"""The register of bots: names, owners and hashed tokens."""

import hashlib
import secrets
import time
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from referee.errors import UsageError
from referee.store.schema import BOTS
from referee.tournament import names
from referee.tournament.house import LEVELS, is_house

HOUSE_BOTS = LEVELS
"""The bots that come with the referee, weakest first; nobody else may have their names."""
_PREFIX = "rfb_"


@dataclass(frozen=True, slots=True)
class Bot:
    """A registered bot. Times are microseconds since the Unix epoch; `revoked` is None while it may play.

    `bot_id` is the name trimmed and without case: names that differ in nothing else are one bot.
    """

    bot_id: str
    name: str
    owner: str
    created: int
    revoked: int | None


def bot_id(name: str) -> str:
    """Returns the id of a name, or raises `UsageError` for a text that can be none."""
    return names.key(name)


def add(connection: Connection, name: str, owner: str) -> str:
    """Registers a bot and returns its token, which is kept nowhere.

    Without an owner it is its own, or stays whose it was: a revoked bot of the same owner gets a new
    token. Raises `UsageError` for a name that is taken, by a bot, a house bot or the seats of a table.
    """
    identity, shown = bot_id(name), names.shown(name)
    if is_house(identity):
        raise UsageError(f"{shown!r} is the name of a house bot, and standings show both; take another")
    names.check_new(shown)
    kept = connection.execute(select(BOTS).where(BOTS.c.bot_id == identity)).first()
    owned_by = kept.owner if kept is not None and not owner else names.owner(owner or shown)
    if kept is not None and (kept.revoked is None or kept.owner != owned_by):
        advice = "take another name" if kept.owner != owned_by else "revoke it first to get a new token"
        raise UsageError(f"bot {kept.name!r} of {kept.owner!r} is registered already; {advice}")
    token = _PREFIX + secrets.token_urlsafe(32)
    row = {"name": shown, "owner": owned_by, "token_hash": _hash(token), "created": time.time_ns() // 1000}
    connection.execute(delete(BOTS).where(BOTS.c.bot_id == identity))
    connection.execute(insert(BOTS).values(bot_id=identity, **row))
    return token


def by_token(connection: Connection, token: str) -> Bot | None:
    """Returns the bot that may play with a token, or None.

    Only hashes are compared, so the time it takes tells nothing about any token.
    """
    kept = connection.execute(select(BOTS).where(BOTS.c.token_hash == _hash(token))).first()
    return None if kept is None or kept.revoked is not None else _bot(kept)


def every(connection: Connection) -> list[Bot]:
    """Returns all bots by name, the revoked ones too."""
    return [_bot(row) for row in connection.execute(select(BOTS).order_by(BOTS.c.bot_id))]


def revoke(connection: Connection, name: str) -> Bot:
    """Makes the token of a bot worthless and returns the bot; its results stay."""
    identity = bot_id(name)
    known = {bot.bot_id: bot for bot in every(connection)}
    if identity not in known:
        near = get_close_matches(identity, known, n=1)
        hint = f"did you mean {known[near[0]].name!r}?" if near else "`referee bot list` shows all"
        raise UsageError(f"no bot is named {names.shown(name)!r}; {hint}")
    if known[identity].revoked is None:
        now = time.time_ns() // 1000
        connection.execute(update(BOTS).where(BOTS.c.bot_id == identity).values(revoked=now))
    return next(bot for bot in every(connection) if bot.bot_id == identity)


def _hash(token: str) -> str:
    # A token has 256 random bits: nothing is gained by a salt or a slow hash.
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _bot(row: Row[Any]) -> Bot:
    return Bot(row.bot_id, row.name, row.owner, row.created, row.revoked)

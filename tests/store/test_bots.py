"""The register of bots: names, owners, tokens."""

import re
import sqlite3
from pathlib import Path

import pytest

from referee.errors import UsageError
from referee.store.store import FILE, Store


def test_a_token_lets_its_bot_in_until_it_is_revoked(store: Store) -> None:
    """The token names its bot; a foreign, an odd or a revoked one names nobody."""
    token = store.add_bot("Ann", "alice")
    bot = store.bot_by_token(token)

    assert re.fullmatch(r"rfb_[A-Za-z0-9_-]{43}", token)
    assert bot
    assert (bot.bot_id, bot.name, bot.owner, bot.revoked) == ("ann", "Ann", "alice", None)
    for foreign in ("", "rfb_", token[:-1], token + "x", token.upper(), "\ud800", "x" * 100_000):
        assert store.bot_by_token(foreign) is None
    assert store.revoke_bot(" ANN ").revoked is not None
    assert store.bot_by_token(token) is None
    assert [bot.bot_id for bot in store.list_bots()] == ["ann"]


def test_a_token_is_kept_as_a_hash_only(store: Store, tmp_path: Path) -> None:
    """No file of the store holds a token or a piece of it."""
    token = store.add_bot("Ann")
    store.close()
    sqlite3.connect(tmp_path / FILE).close()

    for path in tmp_path.glob(f"{FILE}*"):
        assert token[4:24].encode() not in path.read_bytes()


@pytest.mark.parametrize(
    "name", ["ann", "ANN", " Ann ", "Ann  ", "Ａｎｎ", "\N{MODIFIER LETTER CAPITAL A}nn"]
)
def test_k15_a_name_that_differs_in_case_or_space_only_is_taken(store: Store, name: str) -> None:
    """Names are unique without case, outer space and typographic form (K15)."""
    store.add_bot("Ann", "alice")
    with pytest.raises(UsageError, match="'Ann' of 'alice' is registered already; revoke it first"):
        store.add_bot(name, "alice")
    with pytest.raises(UsageError, match="take another name"):
        store.add_bot(name, "mallory")

    assert len(store.list_bots()) == 1


def test_k15_a_revoked_bot_gets_a_new_token_from_its_owner_only(store: Store) -> None:
    """Registering a revoked name again is a new token for the same owner, and refused to others (K15)."""
    old = store.add_bot("Ann", "alice")
    store.revoke_bot("Ann")
    with pytest.raises(UsageError, match="take another name"):
        store.add_bot("Ann", "mallory")
    new = store.add_bot("Ann", "alice")

    assert store.bot_by_token(old) is None
    assert (bot := store.bot_by_token(new))
    assert bot.owner == "alice"
    store.revoke_bot("Ann")
    assert (bot := store.bot_by_token(store.add_bot("ann")))
    assert (bot.name, bot.owner) == ("ann", "alice")


@pytest.mark.parametrize("name", ["", "  ", "a\x1b[31mb", "x" * 65, "a\u202eb", "new\nline", "Ann\t"])
def test_a_text_that_can_be_no_name_is_refused(store: Store, name: str) -> None:
    """Empty, long and unprintable names are refused, of bots and of owners."""
    with pytest.raises(UsageError, match="1 to 64 printable characters"):
        store.add_bot(name)
    if name.strip():
        with pytest.raises(UsageError, match="1 to 64 printable characters"):
            store.add_bot("fine", name)

    assert store.list_bots() == []


def test_an_unknown_name_is_refused_with_the_nearest(store: Store) -> None:
    """Revoking a misspelt bot says which one may be meant."""
    store.add_bot("Export")
    with pytest.raises(UsageError, match="no bot is named 'exprt'; did you mean 'Export'"):
        store.revoke_bot("exprt")
    with pytest.raises(UsageError, match="`referee bot list` shows all"):
        store.revoke_bot("zzz")


@pytest.mark.parametrize("name", ["easy", "Normal", " EXPERT ", "easy/easy"])
def test_k15_the_name_of_a_house_bot_is_refused(store: Store, name: str) -> None:
    """Standings show house bots by these names, so nobody else may have them (K15)."""
    with pytest.raises(UsageError, match="is the name of a house bot"):
        store.add_bot(name)

    assert store.list_bots() == []


@pytest.mark.parametrize("owner", ["easy", " Expert", "a/b"])
def test_k15_nobody_owns_a_bot_as_a_house_bot_does(store: Store, owner: str) -> None:
    """Standings know house bots by the beginning of their ids, which is the owner (K15)."""
    with pytest.raises(UsageError, match=r"^owner "):
        store.add_bot("Ann", owner)

    assert store.list_bots() == []


@pytest.mark.parametrize("name", ["me/first", "easy2/easy2", "/", "me\N{FULLWIDTH SOLIDUS}first", "\u2100"])
def test_k15_no_registered_bot_has_the_id_of_a_launched_one(store: Store, name: str) -> None:
    """Launched bots play as `OWNER/NAME`, so a name holds no slash, in whatever typographic form (K15)."""
    with pytest.raises(UsageError, match="a name holds no '/'"):
        store.add_bot(name)

    assert store.list_bots() == []


def test_k15_the_name_of_a_seat_is_refused(store: Store) -> None:
    """Opponents without names are told as `seat N`; an owner may be called so (K15)."""
    with pytest.raises(UsageError, match="take another"):
        store.add_bot("Seat 1")
    store.add_bot("Ann", "seat 1")

    assert [bot.name for bot in store.list_bots()] == ["Ann"]

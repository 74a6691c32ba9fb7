"""Who may sit together: one bot of each owner at a rated table, and in a rated block."""

import pytest

from referee.errors import UsageError
from referee.tournament import owners

PARTIES = {
    "a1": owners.party("a1", "ann"),
    "a2": owners.party("a2", "ann"),
    "b": owners.party("b", "bob"),
    "easy": owners.party("easy", "easy", house=True),
    "spar": owners.party("spar", "easy", house=True),
    "own": owners.party("own", ""),
}


def test_house_bots_and_bots_without_an_owner_are_on_their_own() -> None:
    """They may sit beside any other; two of one owner may not."""
    assert owners.are_apart(["a1", "b", "easy", "spar", "own"], PARTIES)
    assert not owners.are_apart(["a1", "b", "a2"], PARTIES)


def test_a_bot_does_not_sit_beside_itself() -> None:
    """It has one owner as well."""
    assert not owners.are_apart(["b", "b"], PARTIES)


@pytest.mark.parametrize(
    "sittings",
    [[("a1", "a2")], [("easy", "a1"), ("easy", "a2")], [("a1", "b"), ("b", "spar"), ("own", "a2")]],
)
def test_s1_a_block_with_two_bots_of_one_owner_is_refused(sittings: list[tuple[str, ...]]) -> None:
    """At one table or at two: they meet the same deals."""
    with pytest.raises(UsageError, match="'a1' and 'a2' have one owner"):
        owners.check_block(sittings, PARTIES)


def test_s1_a_bot_may_have_several_matches_of_a_block() -> None:
    """As all have where a table rotates; whether it remembers is a question of how it is launched."""
    owners.check_block([("a1", "b"), ("b", "a1"), ("spar", "easy")], PARTIES)

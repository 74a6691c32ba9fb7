"""Blocks of two bots against each other: who sits where, and what comes of it."""

from collections import Counter

import pytest

from referee.tournament import duel


@pytest.mark.parametrize("seats", range(2, 9))
def test_s1_both_play_every_hand_equally_often(seats: int) -> None:
    """At an even table each hand is played once by either bot, at an odd one also once by the third."""
    for index in range(2):
        sittings = duel.sittings(seats, index, "new", "old", "third")
        each, thirds = (seats // 2, 1) if seats % 2 else (1, 0)

        assert len(sittings) == duel.matches(seats)
        for seat in range(seats):
            found = Counter(sitting[seat] for sitting in sittings)
            assert (found["new"], found["old"], found["third"]) == (each, each, thirds)


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_who_sits_behind_whom_changes_from_block_to_block(seats: int) -> None:
    """The next block has the two bots in each other's places."""
    swap = {"new": "old", "old": "new", "third": "third"}
    one, other = (duel.sittings(seats, index, "new", "old", "third") for index in range(2))

    assert [tuple(swap[bot] for bot in sitting) for sitting in one] == other


def test_a_difference_is_that_of_means_over_seats_and_matches() -> None:
    """The third bot counts for nothing."""
    block = [[("new", 1.0), ("old", 0.5), ("third", 0.0)], [("third", 1.0), ("new", 0.5), ("old", 0.0)]]

    assert duel.difference(block, "new", "old") == 0.5
    assert duel.difference(block, "old", "new") == -0.5

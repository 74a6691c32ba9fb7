"""What decisions come to."""

import msgspec
import pytest

from referee.tournament.decision import (
    Accepted,
    Bye,
    Decision,
    Disqualified,
    Opened,
    Paused,
    Returned,
    Ruling,
    Unplayed,
    Voided,
    Withdrawn,
    rulings,
)


def test_the_first_accepted_attempt_stays() -> None:
    """A second acceptance for a pairing changes nothing: whoever comes back late cannot count twice."""
    first = Accepted(at=1, pairing_id="cup/1", attempt=1, match_ids=("a",))
    second = Accepted(at=2, pairing_id="cup/1", attempt=2, match_ids=("b",))

    assert rulings([first, second]).accepted == {"cup/1": first}


@pytest.mark.parametrize(
    "away",
    [Disqualified(at=1, bot="x", why="w"), Withdrawn(at=1, bot="x", why="w"), Paused(at=1, bot="x", why="w")],
)
def test_who_is_away_does_not_play_until_it_returns(away: Decision) -> None:
    """Each kind of absence keeps a bot from matches, and a return ends it."""
    assert not rulings([away]).plays("x")
    assert rulings([away]).plays("y")
    assert rulings([away, Returned(at=2, bot="x", why="back")]).plays("x")


def test_byes_voids_and_unplayed_pairings_are_kept() -> None:
    """Each is found by what it is about; a bye told twice is one."""
    found = rulings(
        [
            Opened(at=0, tournament="cup", file=""),
            Bye(at=1, round=2, bot="x"),
            Bye(at=1, round=2, bot="x"),
            Voided(at=2, match_id="m", why="a power cut"),
            Unplayed(at=3, pairing_id="cup/4", why="x did not join", at_fault=("x",)),
        ]
    )

    assert found.byes == {2: ["x"]}
    assert found.voided == {"m": "a power cut"}
    assert found.unplayed["cup/4"].at_fault == ("x",)


@pytest.mark.parametrize(
    "ruling",
    [
        Disqualified(at=1, bot="x", why="w"),
        Withdrawn(at=1, bot="x", why="w"),
        Paused(at=1, bot="x", why="w"),
        Voided(at=1, match_id="x", why="w"),
    ],
)
def test_the_first_of_two_like_rulings_holds(ruling: Ruling) -> None:
    """It is found by what is decided once more, of the same kind about the same; a return ends it."""
    again = msgspec.structs.replace(ruling, at=2, why="again")
    found = rulings([ruling, again])

    assert found.holding(again) == ruling
    assert rulings([]).holding(again) is None
    back = rulings([ruling, Returned(at=2, bot="x", why="back")])
    assert back.holding(again) == (ruling if isinstance(ruling, Voided) else None)


def test_why_a_bot_is_away_is_told_by_the_gravest_decision() -> None:
    """Disqualified goes before withdrawn, and that before paused."""
    found = rulings([Paused(at=1, bot="x", why="loops"), Disqualified(at=2, bot="x", why="cheats")])

    assert found.away("x") == "disqualified: cheats"
    assert found.away("y") == ""

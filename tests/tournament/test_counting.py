"""Which matches count: attempts, blocks, and what an operator decided."""

import pytest

from referee.tournament.counting import (
    DISQUALIFIED,
    INCOMPLETE,
    NO_SHOW,
    SUPERSEDED,
    UNRATED,
    VOID,
    VOIDED,
    counted,
    judged,
)
from referee.tournament.decision import Accepted, Decision, Disqualified, Returned, Unplayed, Voided, rulings
from referee.tournament.result import MatchResult
from tests.tournament.samples import match_id, result

SCORES = {"ann": 9, "bob": 5}


def match(number: int, pairing: str, attempt: int = 1, *, parts: int = 1, group: str = "") -> MatchResult:
    """Returns a match of the tournament `cup`."""
    return result(
        number, SCORES, pairing=f"cup/{pairing}", attempt=attempt, parts=parts, group=group, tournament="cup"
    )


def block(first: int, attempt: int = 1, count: int = 3) -> list[MatchResult]:
    """Returns `count` matches of a block of three, the pairing `cup/0`, numbered from `first`."""
    return [match(first + part, f"0.{part}", attempt, parts=3, group=f"g{attempt}") for part in range(count)]


def apart(results: list[MatchResult], *decisions: Decision) -> dict[int, str]:
    """Returns why matches do not count, by number; the same whichever came first."""
    decided = {"cup": rulings(decisions)}
    found = {int(one.result.match_id[-4:], 16): one.apart for one in judged(results, decided)}
    backwards = {int(one.result.match_id[-4:], 16): one.apart for one in judged(results[::-1], decided)}
    assert found == backwards
    return found


def accepted(pairing: str, attempt: int, *numbers: int) -> Accepted:
    """Returns the decision that an attempt counts."""
    return Accepted(
        at=1, pairing_id=f"cup/{pairing}", attempt=attempt, match_ids=tuple(map(match_id, numbers))
    )


def test_the_latest_attempt_that_counts_stands() -> None:
    """An attempt that came to an end gives way to a later one that did, and not to a void one."""
    void = result(3, SCORES, pairing="cup/0", attempt=3, tournament="cup", termination="void")

    assert apart([match(1, "0"), match(2, "0", 2), void]) == {1: SUPERSEDED, 2: "", 3: VOID}


def test_the_accepted_attempt_stands_whatever_else_was_played() -> None:
    """A decision wins over the order of attempts, and only the matches that it names count."""
    played = [match(1, "0"), match(2, "0", 2)]

    assert apart(played, accepted("0", 1, 1)) == {1: "", 2: SUPERSEDED}
    assert apart(played, accepted("0", 2, 7)) == {1: SUPERSEDED, 2: SUPERSEDED}
    assert apart(played, accepted("0", 1, 1), accepted("0", 2, 2)) == {1: "", 2: SUPERSEDED}


def test_of_two_matches_for_one_attempt_one_is_there() -> None:
    """A host that comes back cannot count twice; the match that was accepted is the one, else the first."""
    rivals = [match(1, "0"), match(2, "0")]

    assert apart(rivals) == {1: ""}
    assert apart(rivals, accepted("0", 1, 2)) == {2: ""}


def test_a_pairing_that_was_given_up_counts_for_nobody() -> None:
    """A match that ends after its pairing was given up comes too late, unless it was accepted first."""
    given_up = Unplayed(at=1, pairing_id="cup/0", why="3 attempts")

    assert apart([match(1, "0")], given_up) == {1: SUPERSEDED}
    assert apart([match(1, "0")], accepted("0", 1, 1), given_up) == {1: ""}


def test_a_block_counts_whole_or_not_at_all() -> None:
    """All matches of a block count, none of one that lacks a match, has a void one or mixes deals."""
    spoiled = result(3, SCORES, pairing="cup/0.2", parts=3, group="g1", tournament="cup", termination="void")
    other_deals = match(3, "0.2", parts=3, group="other")

    assert apart(block(1)) == {1: "", 2: "", 3: ""}
    assert apart(block(1, count=2)) == {1: INCOMPLETE, 2: INCOMPLETE}
    assert apart([*block(1, count=2), spoiled]) == {1: INCOMPLETE, 2: INCOMPLETE, 3: VOID}
    assert apart([*block(1, count=2), other_deals]) == {1: INCOMPLETE, 2: INCOMPLETE, 3: INCOMPLETE}


def test_a_spoiled_attempt_at_a_block_gives_up_all_its_matches() -> None:
    """The next attempt counts with its own deals; the matches of the first do not mix with it."""
    played = [*block(1, count=2), *block(5, attempt=2)]

    assert apart(played) == {1: INCOMPLETE, 2: INCOMPLETE, 5: "", 6: "", 7: ""}
    assert set(apart([*block(1), *block(5, attempt=2)], accepted("0", 1, 1, 2, 3)).values()) == {
        "",
        SUPERSEDED,
    }
    assert apart(block(1, count=2), accepted("0", 1, 1, 2, 3)) == {1: INCOMPLETE, 2: INCOMPLETE}


def test_a_match_that_an_operator_made_void_takes_its_block_with_it() -> None:
    """No other attempt takes its place, and other pairings stand."""
    voided = Voided(at=2, match_id=match_id(2), why="the lights went out")

    assert apart([*block(1), match(4, "1")], voided) == {1: VOIDED, 2: VOIDED, 3: VOIDED, 4: ""}
    assert apart([match(1, "1"), match(2, "1", 2)], voided) == {1: SUPERSEDED, 2: VOIDED}


def test_no_match_of_a_disqualified_bot_counts_for_anybody() -> None:
    """What it played goes, also for those it beat, until it is back; other tournaments do not care."""
    out = Disqualified(at=2, bot="ann", why="two accounts")
    others = result(2, {"cyd": 1, "bob": 2}, pairing="cup/1", tournament="cup")
    elsewhere = result(3, SCORES, pairing="league/0", tournament="league")
    played = [match(1, "0"), others, elsewhere]

    assert apart(played, out) == {1: DISQUALIFIED, 2: "", 3: ""}
    assert apart(played, out, Returned(at=3, bot="ann", why="cleared")) == {1: "", 2: "", 3: ""}


def test_decisions_about_a_run_concern_its_matches_without_a_tournament() -> None:
    """Matches of a round robin name no tournament; their pairings name the run."""
    run = result(1, SCORES, pairing="cup/0")
    own = result(2, SCORES)

    assert apart([run, own], Disqualified(at=2, bot="ann", why="two accounts")) == {1: DISQUALIFIED, 2: ""}


@pytest.mark.parametrize(("termination", "said"), [("no_show", NO_SHOW), ("void", VOID)])
def test_what_came_to_no_end_is_called_by_its_end(termination: str, said: str) -> None:
    """Whatever else could be said of it: a match is apart for one reason."""
    spoiled = result(1, SCORES, pairing="cup/0", tournament="cup", termination=termination, rated=False)
    decisions = Voided(at=1, match_id=match_id(1), why="x"), Disqualified(at=1, bot="ann", why="x")

    assert apart([spoiled], *decisions) == {1: said}


def test_unrated_matches_do_not_count() -> None:
    """A match that was not meant to count is apart as such."""
    unrated = result(1, SCORES, rated=False)

    assert apart([unrated, result(2, SCORES)]) == {1: UNRATED, 2: ""}
    assert [one.match_id for one in counted([unrated, result(2, SCORES)])] == [match_id(2)]

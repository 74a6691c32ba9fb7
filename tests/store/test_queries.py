"""Reading some of the results: by tournament, game, run and match, and by page."""

from dataclasses import replace

import pytest

from referee.store.store import Store
from referee.tournament.result import MatchResult
from tests.tournament.samples import match_id, result


@pytest.fixture
def played(store: Store) -> list[MatchResult]:
    """Puts thirty results of two tournaments and two games into the store, two of one time."""
    made = []
    for number in range(30):
        one = result(
            number,
            {"ann": 1, ("bob" if number % 3 else "cyd"): 2},
            tournament=("", "cup", "cup2")[number % 3],
            pairing=("", "cup/", "cup2/")[number % 3] + str(number) if number % 3 else "",
            created=1_700_000_000_000_000 + number // 2,
        )
        made.append(replace(one, game=("block_dominoes", "guan_pai")[number % 2]))
    for each in made:
        store.add_result(each)
    return made


def test_results_of_a_tournament_a_game_or_a_run_are_read_alone(
    store: Store, played: list[MatchResult]
) -> None:
    """Each condition leaves out the others; a name that begins another name is not that one."""
    assert store.results(tournament="cup") == [each for each in played if each.tournament == "cup"]
    assert store.results(tournament="") == [each for each in played if not each.tournament]
    assert store.results(game="guan_pai") == played[1::2]
    assert store.results(run="cup") == [each for each in played if each.pairing_id.startswith("cup/")]
    assert store.results(run="cup", game="guan_pai") == [
        each for each in played[1::2] if each.tournament == "cup"
    ]
    assert store.results(tournament="c") == store.results(run="cu") == []
    assert (store.count(), store.result(match_id(7)), store.result("none")) == (30, played[7], None)


def test_results_are_read_as_they_are_asked_for(store: Store, played: list[MatchResult]) -> None:
    """What is added meanwhile is not seen by a reader that has begun, and does not disturb it."""
    reader = store.each_result()
    first = next(reader)
    store.add_result(result(99, {"ann": 1, "bob": 2}))

    assert [first, *reader] == played
    assert store.count() == 31


def test_pages_of_matches_are_newest_first_and_leave_none_out(
    store: Store, played: list[MatchResult]
) -> None:
    """Every match is on one page, whichever came in between; matches of one time are told apart by id."""
    pages: list[list[MatchResult]] = []
    after = None
    while page := store.matches(limit=7, after=after):
        pages.append(page)
        after = page[-1].order
        store.add_result(result(100 + len(pages), {"ann": 1, "bob": 2}))

    assert [len(page) for page in pages] == [7, 7, 7, 7, 2]
    assert [each for page in pages for each in page] == played[::-1]
    assert store.matches(limit=1)[0].match_id == match_id(105)


def test_pages_are_of_a_bot_a_game_or_a_tournament(store: Store, played: list[MatchResult]) -> None:
    """All conditions hold at once, and a page holds whole matches."""
    assert store.matches(limit=3, bot="cyd") == played[27::-3][:3]
    assert store.matches(limit=99, game="guan_pai", bot="cyd") == played[27::-6]
    assert store.matches(limit=99, tournament="cup2") == played[29::-3]
    assert store.matches(limit=99, bot="dee") == []


def test_pages_are_of_a_run(store: Store, played: list[MatchResult]) -> None:
    """The matches of a run are those whose pairings bear its name, whatever they count for."""
    found = store.matches(limit=3, run="cup")

    assert found == [one for one in reversed(played) if one.pairing_id.startswith("cup/")][:3]
    assert store.matches(limit=3, run="cu") == []


def test_versions_are_told_with_their_dates(store: Store) -> None:
    """Each has its first and last match that came to an end; others leave no trace, nor do other bots."""
    for number, (version, end) in enumerate(
        [("b", "completed"), ("a", "completed"), ("b", "adjudicated"), ("c", "void"), ("b", "no_show")]
    ):
        store.add_result(
            result(number, {"ann": 1, "bob": 2}, version=version, termination=end, created=number)
        )
    store.add_result(result(9, {"cyd": 1, "bob": 2}, version="z", created=9))

    assert store.versions("ann") == [("b", 2, 0, 2), ("a", 1, 1, 1)]
    assert store.versions("nobody") == []

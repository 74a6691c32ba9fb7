"""When enough was played: the rules over intervals, neighbours and candidates."""

import asyncio
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.engine.entrants import Entry
from referee.organiser.stopping import StopRule, of_candidates
from referee.organiser.tournament import Stop, Tournament
from referee.store.decision_log import DecisionLog
from referee.store.store import Store
from referee.tournament.decision import Disqualified, Opened, Rulings
from referee.tournament.formats.settings import GauntletSettings, RoundRobinSettings, Settings
from referee.tournament.result import MatchResult
from referee.tournament.sequential import Hypotheses
from tests.tournament.samples import result

BOTS = ("ann", "bob", "cyd")


def cup(stop: Stop, form: Settings | None = None) -> Tournament:
    """Returns a tournament of three bots."""
    return Tournament(
        name="cup",
        game="block_dominoes",
        options={},
        seats=2,
        bots=tuple(Entry(name, name, name, (name,), house=False) for name in BOTS),
        format=form or RoundRobinSettings(),
        stop=stop,
    )


def matches(count: int, chances: dict[str, float], seed: int = 1) -> Iterator[MatchResult]:
    """Yields matches of two, each won by chance: the higher, the more often."""
    rng = random.Random(seed)
    for number in range(count):
        pair = rng.sample(BOTS, 2)
        scores = {name: round(1000 * rng.random() * chances[name]) + number % 2 for name in pair}
        yield result(number, scores, pairing=f"cup/{number}", tournament="cup")


def judged(folder: Path, stop: Stop, played: list[MatchResult], form: Settings | None = None) -> str:
    """Returns what the rules say of results in a real store."""
    log = DecisionLog(folder / "tournaments" / "cup" / "decisions.jsonl")
    log.append(Opened(at=1, tournament="cup", file="00"))
    with Store.under(folder) as store:
        for one in played:
            store.add_result(one)
        rule = StopRule(cup(stop, form), store, log)
        return asyncio.run(rule.enough(len(played), len({one.deal_group for one in played})))


@pytest.mark.parametrize(
    ("count", "width", "told"), [(60, 0.1, ""), (300, 0.2, "no interval is wider than 0.2")]
)
def test_intervals_that_are_narrow_enough_end_it(tmp_path: Path, count: int, width: float, told: str) -> None:
    """All bots have to be known so well."""
    played = list(matches(count, {"ann": 1, "bob": 1, "cyd": 1}))

    assert judged(tmp_path, Stop(width=width), played) == told


def test_an_order_that_is_certain_ends_it(tmp_path: Path) -> None:
    """The lead of each over the next one has to be sure; equals go on for ever."""
    clear = list(matches(120, {"ann": 9, "bob": 3, "cyd": 1}))
    even = list(matches(120, {"ann": 1, "bob": 1, "cyd": 1}))

    assert judged(tmp_path / "a", Stop(certain=True), clear) == "the order of all neighbours is certain"
    assert judged(tmp_path / "b", Stop(certain=True), even) == ""
    assert judged(tmp_path / "c", Stop(certain=True, least=121), clear) == "", "not asked yet"


def test_least_counts_deal_groups(tmp_path: Path) -> None:
    """The matches of a block share their luck: eight of them are no eight samples."""
    played = [
        result(
            number, {"ann": 9, "bob": 3}, pairing=f"cup/{number}", tournament="cup", group=f"g{number // 8}"
        )
        for number in range(40)
    ]

    assert judged(tmp_path / "a", Stop(width=0.9, least=6), played) == ""
    assert judged(tmp_path / "b", Stop(width=0.9, least=5), played) == "no interval is wider than 0.9"


def test_candidates_of_a_gauntlet_are_judged_one_by_one() -> None:
    """It goes on until there is a verdict on each; what was decided is taken into account."""
    sprt = Hypotheses(gain=0.1)
    form = GauntletSettings(candidates=("ann", "bob"))
    plan = cup(Stop(sprt=sprt), form)
    played = list(matches(400, {"ann": 5, "bob": 1, "cyd": 2}))

    assert of_candidates(plan, form.candidates, sprt, played, Rulings()) == [
        "ann is better than the field, bob is not better than the field"
    ]
    assert of_candidates(plan, form.candidates, sprt, played[:10], Rulings()) == []
    gone = Rulings()
    gone.take(Disqualified(at=1, bot="cyd", why="x"))
    assert of_candidates(plan, ("cyd",), sprt, played, gone) == []


def test_so_many_matches_end_it(tmp_path: Path) -> None:
    """The count is exact, and needs no results."""
    assert judged(tmp_path, Stop(matches=5), list(matches(5, dict.fromkeys(BOTS, 1.0)))) == (
        "5 matches were played, as many as wanted"
    )

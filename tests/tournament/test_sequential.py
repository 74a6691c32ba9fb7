"""The sequential test of a comparison: how often it errs, and what it never does."""

import random
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from referee.errors import UsageError
from referee.tournament.sequential import FEWEST, Comparison, Hypotheses, Verdict

Draw = Callable[[random.Random], float]

REPEATS = 150
"""How often each comparison is simulated."""
MOST = 15
"""The most errors among so many: with a true rate of 5 % more come in less than 1 % of all seeds."""


def smooth(mean: float) -> Draw:
    """Returns differences of a spread as in blocks of two deals at a table of four."""
    return lambda rng: max(-1.0, min(1.0, round(rng.gauss(mean, 0.25) * 6) / 6))


def rare(mean: float) -> Draw:
    """Returns bots that differ in one block of ten, and then wholly."""
    return lambda rng: 0.0 if rng.random() > 0.1 else (1.0 if rng.random() < (1 + mean / 0.1) / 2 else -1.0)


def skewed(mean: float) -> Draw:
    """Returns a bot that mostly loses a little and sometimes wins a lot."""
    return lambda rng: 0.9 if rng.random() < mean + 0.1 else -0.1


def skewed_down(mean: float) -> Draw:
    """Returns a bot that mostly wins a little and sometimes loses a lot."""
    return lambda rng: 0.1 if rng.random() < mean + 0.9 else -0.9


def verdicts(draw: Draw, hypotheses: Hypotheses) -> Iterator[Verdict]:
    """Yields the verdicts of many comparisons, looked at after each block, later after every fifth."""
    rng = random.Random(11)
    for _ in range(REPEATS):
        comparison = Comparison(hypotheses)
        verdict = Verdict.GO_ON
        while verdict is Verdict.GO_ON:
            for _ in range(1 if comparison.blocks < 40 else 5):
                comparison.add(draw(rng))
            verdict = comparison.verdict
        yield verdict


@pytest.mark.parametrize("population", [smooth, rare, skewed, skewed_down])
def test_the_test_errs_no_more_often_than_it_says(population: Callable[[float], Draw]) -> None:
    """Equal bots are seldom found better, and a bot that is better by the gain is seldom missed."""
    hypotheses = Hypotheses(gain=0.08)
    equal = Counter(verdicts(population(0.0), hypotheses))
    better = Counter(verdicts(population(0.08), hypotheses))

    assert equal[Verdict.BETTER] <= MOST
    assert better[Verdict.NOT_BETTER] <= MOST
    assert equal.total() == better.total() == REPEATS


def test_a_worse_bot_is_found_out_soon_and_never_found_better() -> None:
    """A bot that is worse by twice the gain is never found better."""
    assert set(verdicts(smooth(-0.1), Hypotheses())) == {Verdict.NOT_BETTER}


@pytest.mark.parametrize(("mean", "most"), [(0.3, 60), (0.6, 25), (-0.6, 25)])
def test_a_huge_difference_is_found_soon(mean: float, most: int) -> None:
    """Though neither hypothesis explains it: for the ratio of the two alone it would take 60 to 70 blocks."""
    rng = random.Random(7)
    for _ in range(20):
        comparison = Comparison(Hypotheses())
        while comparison.verdict is Verdict.GO_ON:
            comparison.add(smooth(mean)(rng))

        assert comparison.verdict is (Verdict.BETTER if mean > 0 else Verdict.NOT_BETTER)
        assert comparison.blocks <= most


def test_quick_answers_are_seldom_wrong_when_every_block_is_won_or_lost() -> None:
    """The spread is the largest there is, and the bots are equal; it is looked at again and again."""
    rng = random.Random(9)
    wrong = 0
    for _ in range(300):
        comparison = Comparison(Hypotheses())
        while comparison.blocks < 60 and comparison.verdict is Verdict.GO_ON:
            for _ in range(4):
                comparison.add(rng.choice((-1.0, 1.0)))
        wrong += comparison.verdict is Verdict.BETTER

    assert wrong <= 6, "1.6 are to be expected at the most"


def test_bots_that_play_alike_are_not_better_after_some_blocks() -> None:
    """Differences of nothing but zeros come to an end too, and not at once."""
    comparison = Comparison(Hypotheses())
    while comparison.verdict is Verdict.GO_ON:
        comparison.add(0.0)

    assert comparison.verdict is Verdict.NOT_BETTER
    assert FEWEST < comparison.blocks < 200


def test_nothing_is_decided_by_a_few_blocks_that_agree() -> None:
    """Before `FEWEST` blocks there is no verdict, whatever they hold."""
    assert Comparison(Hypotheses(), [1.0] * (FEWEST - 1)).verdict is Verdict.GO_ON
    assert Comparison(Hypotheses(gain=0.5), [1.0] * FEWEST).verdict is Verdict.BETTER


def test_the_verdict_depends_on_the_differences_not_on_their_order() -> None:
    """A comparison that goes on after a restart, with its blocks in any order, knows the same."""
    rng = random.Random(3)
    seen = [smooth(0.02)(rng) for _ in range(50)]
    first = Comparison(Hypotheses(), seen)
    rng.shuffle(seen)
    again = Comparison(Hypotheses(), seen)

    assert (first.evidence, first.mean, first.error) == (again.evidence, again.mean, again.error)
    assert first.blocks == 50
    assert first.error == pytest.approx(0.25 / 50**0.5, rel=0.3)


def test_swapping_the_bots_turns_the_evidence_round() -> None:
    """Under hypotheses that mirror each other the evidence only changes its sign."""
    seen = [0.5, -1.0, 1.0, 0.25, 0.0, 1.0, -0.75, 0.5, 0.5]
    hypotheses = Hypotheses(null=-0.1, gain=0.1)

    one = Comparison(hypotheses, seen).evidence
    assert one == pytest.approx(-Comparison(hypotheses, [-value for value in seen]).evidence)
    assert one > 0


def test_a_comparison_without_blocks_knows_nothing() -> None:
    """Nothing has been seen, and nothing is divided by it."""
    empty = Comparison(Hypotheses())

    assert (empty.verdict, empty.evidence, empty.mean, empty.error) == (Verdict.GO_ON, 0.0, 0.0, None)


@pytest.mark.parametrize(
    "hypotheses",
    [
        Hypotheses(gain=0.0),
        Hypotheses(null=0.2, gain=0.1),
        Hypotheses(gain=1.5),
        Hypotheses(gain=1e-7),
        Hypotheses(null=0.3, gain=0.3001),
        Hypotheses(alpha=0.5),
    ],
)
def test_hypotheses_that_cannot_be_told_apart_are_refused(hypotheses: Hypotheses) -> None:
    """A gain of nothing, and error rates as those of a coin, are refused in one line."""
    with pytest.raises(UsageError, match=r"must|name at least"):
        Comparison(hypotheses)


@pytest.mark.parametrize("difference", [1.5, -2.0, float("nan")])
def test_what_is_no_difference_of_points_is_refused(difference: float) -> None:
    """Placement points lie between 0 and 1, so their difference between -1 and 1."""
    with pytest.raises(ValueError, match="no difference"):
        Comparison(Hypotheses()).add(difference)

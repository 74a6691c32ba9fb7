"""Says when a comparison of two bots has gone on for long enough: a sequential probability ratio test.

The unit is the block of duplicate play: both bots meet the same deals from the same seats, and the
mean placement points of the one less those of the other, a number from -1 to 1, is one difference.
Two hypotheses about the mean of all differences are weighed after every block:

    H0  it is `Hypotheses.null`, by default 0: the new bot is no better
    H1  it is `Hypotheses.gain`, by default 0.05: the new bot is better

Nothing else is known about how the differences are spread, so the test is the generalised one: each
hypothesis is represented by the distribution over the values seen that makes them likeliest among
those with its mean, and the evidence is the logarithm of the ratio of the two likelihoods. The
comparison ends as better at ln((1 - beta) / alpha) or above, as not better at
ln(beta / (1 - alpha)) or below. A bot that is no better than `null` is then found better in about
`alpha` of all comparisons, or less, and one that is better by `gain` is missed in about `beta`, or
less; in between both answers are right enough. A few blocks that happen to agree would look like
proof: `_PRIOR` of a difference of -1 and of 1 each is put beside those that were seen, and nothing
is decided before `FEWEST` blocks.

Two hypotheses that lie close together explain a huge difference nearly as badly as each other, so that
it would take many blocks to choose. Therefore fair bets are made against each of them too: while the
mean is not above `null`, what a bet on every difference has grown to is above 1 / p at any time in at
most p of all comparisons, whatever the spread. `_SHARE` of the error rates is spent on these bets, and
where they have won that much they are the evidence.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import exp, fsum, log, log1p

from referee.errors import UsageError

LEAST_GAIN = 0.001
"""The least difference between the two hypotheses; it takes some million blocks to tell them apart."""
FEWEST = 8
"""The fewest blocks that decide anything."""
_PRIOR = 0.25
_SHARE = 0.1
_STAKES = (0.25, 0.5, 0.9)
"""The bets, as shares of the largest stake that no difference can ruin; the capital is split among them."""
_DIGITS = 9
"""Differences that agree to so many digits are equal: what is left is the rounding of sums."""
_HALVINGS = 60


class Verdict(StrEnum):
    """What a comparison has come to."""

    BETTER = "better"
    NOT_BETTER = "not_better"
    GO_ON = "go_on"


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """What is weighed, in placement points per match; see the module.

    Attributes:
        null: the mean difference under H0.
        gain: the mean difference under H1, above `null`; the closer the two, the more blocks it takes.
        alpha: how often a bot as under H0 may be found better, as a share of comparisons.
        beta: how often a bot as under H1 may be found not better.
    """

    null: float = 0.0
    gain: float = 0.05
    alpha: float = 0.05
    beta: float = 0.05

    def check(self) -> None:
        """Raises `UsageError` for hypotheses that no test can tell apart."""
        if not -1 < self.null < self.gain < 1:
            raise UsageError(
                f"differences of {self.null:g} and {self.gain:g} points cannot be told apart;"
                " the first must be the smaller, and both lie between -1 and 1"
            )
        if round(self.gain - self.null, _DIGITS) < LEAST_GAIN:
            raise UsageError(
                f"a gain of {self.gain - self.null:g} points takes more matches than can be played;"
                f" name at least {LEAST_GAIN:g}"
            )
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise UsageError(
                f"error rates of {self.alpha:g} and {self.beta:g}: each must lie between 0 and 0.5"
            )

    @property
    def bounds(self) -> tuple[float, float]:
        """The evidence at or below which it ends as not better, and at or above which as better."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)


class Comparison:
    """The differences seen so far and what they come to; their order does not matter to it."""

    def __init__(self, hypotheses: Hypotheses, differences: Iterable[float] = ()) -> None:
        hypotheses.check()
        self.hypotheses = hypotheses
        self._seen: Counter[float] = Counter()
        for difference in differences:
            self.add(difference)

    def add(self, difference: float) -> None:
        """Takes the difference of a block; raises `ValueError` for one that is none of points."""
        if not -1 <= difference <= 1:
            raise ValueError(f"{difference} is no difference of placement points")
        self._seen[round(difference, _DIGITS)] += 1

    @property
    def blocks(self) -> int:
        """How many differences there are."""
        return self._seen.total()

    @property
    def mean(self) -> float:
        """Their mean; 0 where there is none."""
        return fsum(value * count for value, count in self._seen.items()) / max(1, self.blocks)

    @property
    def error(self) -> float | None:
        """The standard error of the mean; None for fewer than two differences."""
        if self.blocks < 2:
            return None
        mean = self.mean
        squares = fsum(count * (value - mean) ** 2 for value, count in self._seen.items())
        return float((squares / (self.blocks - 1) / self.blocks) ** 0.5)

    @property
    def evidence(self) -> float:
        """How strongly the differences speak for H1, or below 0 for H0; 0 before the first of them.

        It is the logarithm of the likelihood ratio, or where that is more what bets have won against the
        one hypothesis and not against the other.
        """
        if not self._seen:
            return 0.0
        ratio = self._ratio()
        above = self._won(self.hypotheses.null, 1)
        below = self._won(self.hypotheses.gain, -1)
        if above > 0 >= below:
            return max(ratio, above)
        return min(ratio, -below) if below > 0 >= above else ratio

    def _ratio(self) -> float:
        weights: dict[float, float] = {-1.0: _PRIOR, 1.0: _PRIOR}
        for value, count in sorted(self._seen.items()):
            weights[value] = weights.get(value, 0.0) + count
        under = (_log_likelihood(weights, mean) for mean in (self.hypotheses.gain, self.hypotheses.null))
        return next(under) - next(under)

    def _won(self, mean: float, side: int) -> float:
        """Returns the logarithm of the gain of bets that the mean is above this one, or with -1 below it.

        It is less by what `_SHARE` asks for.
        """
        stakes = [share / (1 + side * mean) for share in _STAKES]
        logs = [
            fsum(count * log1p(side * stake * (value - mean)) for value, count in self._seen.items())
            for stake in stakes
        ]
        most = max(logs)
        return most + log(fsum(exp(one - most) for one in logs) / len(logs)) + log(_SHARE)

    @property
    def verdict(self) -> Verdict:
        """What the differences come to."""
        if self.blocks < FEWEST:
            return Verdict.GO_ON
        found = self.evidence
        low, high = self.hypotheses.bounds
        if found >= high:
            return Verdict.BETTER
        return Verdict.NOT_BETTER if found <= low else Verdict.GO_ON


def _log_likelihood(weights: Mapping[float, float], mean: float) -> float:
    """Returns the greatest log-likelihood of a distribution with this mean, up to a constant.

    The likeliest one gives value x the probability w / (1 + t (x - mean)), up to a factor, where the
    multiplier t makes its mean right. The values reach from -1 to 1, so the t that is looked for
    lies between the two at which a probability would be infinite.
    """
    low, high = -1 / (1 - mean), 1 / (1 + mean)
    for _ in range(_HALVINGS):
        at = (low + high) / 2
        slope = sum(weight * (value - mean) / (1 + at * (value - mean)) for value, weight in weights.items())
        low, high = (at, high) if slope > 0 else (low, at)
    at = (low + high) / 2
    return -fsum(weight * log1p(at * (value - mean)) for value, weight in weights.items())

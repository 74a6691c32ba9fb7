"""Options of games as people, bots and logs give them."""

from typing import Any

import pytest

from referee.errors import OptionError
from referee.games.info import Bounds, GameInfo, Option, OptionValue

INFO = GameInfo(
    "made_up",
    "1",
    2,
    4,
    (Option("goal", 5, "A number.", low=0, high=20), Option("mode", "a", "A word.", choices=("a", "b"))),
    lower_is_better=False,
    zero_sum=False,
    bounds=lambda _: Bounds(0, 1, 1),
    summary="For tests.",
)


@pytest.mark.parametrize(("given", "value"), [("7", 7), (7, 7), ("007", 7), ("0", 0), ("000", 0), (20, 20)])
def test_a_number_is_taken_as_it_is_or_spelled(given: OptionValue, value: int) -> None:
    """A whole number in range comes out as a number."""
    assert INFO.resolve({"goal": given}) == {"goal": value, "mode": "a"}


@pytest.mark.parametrize("name", ["goal", "mode", "unknown" * 500], ids=["goal", "mode", "unknown"])
def test_any_other_value_is_refused_in_a_short_line(name: str) -> None:
    """Whatever is given, it is an option error, and not shown at full length."""
    words: list[OptionValue] = ["", "21", "-1", "+1", "1.0", " 1", "\u0661", "9" * 5000, "x" * 5000]
    fraction: Any = 1.5
    for given in [*words, -1, 21, True, 10**5000, -(10**5000), fraction]:
        with pytest.raises(OptionError) as refused:
            INFO.resolve({name: given})

        assert len(str(refused.value)) < 150
        assert "\n" not in str(refused.value)

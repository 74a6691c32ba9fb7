"""What is made once and kept."""

from referee.games.memo import Memo


def test_a_value_is_made_once_and_never_more_are_kept_than_wanted() -> None:
    """Values come out right however often they are forgotten."""
    made: list[int] = []

    def square(number: int) -> int:
        made.append(number)
        return number * number

    memo = Memo(square, 10)
    assert [memo[number % 4] for number in range(40)] == [(number % 4) ** 2 for number in range(40)]
    assert made == [0, 1, 2, 3]
    assert [memo[number] for number in range(100)] == [number * number for number in range(100)]
    assert len(memo) <= 10
    assert memo.get(1_000) is None

"""Facts about a game as data: its name, its seats, its options, what a deal can come to."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from referee.errors import OptionError

OptionValue: TypeAlias = int | str
Options: TypeAlias = Mapping[str, OptionValue]

_DIGITS = 18
"""Of a number with more digits none is read: no option is that large."""
_SHOWN = 40
"""Characters of a refused value that are shown."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a game: a word out of `choices`, or a whole number in `low`..`high`."""

    name: str
    default: OptionValue
    summary: str
    choices: tuple[str, ...] = ()
    low: int = 0
    high: int = 0

    def parse(self, value: OptionValue) -> OptionValue:
        """Returns the value in its canonical type, or raises `OptionError`."""
        if self.choices:
            if value in self.choices:
                return value
            raise OptionError(f"option {self.name}: {_shown(value)} is not one of {', '.join(self.choices)}")
        number = _whole(value)
        if number is None or not self.low <= number <= self.high:
            raise OptionError(
                f"option {self.name}: {_shown(value)} is no whole number {self.low}..{self.high}"
            )
        return number


class Bounds(NamedTuple):
    """What one deal can come to under given options.

    A seat scores `low`..`high` in it, and at most `plies` actions are played.
    """

    low: int
    high: int
    plies: int


@dataclass(frozen=True, slots=True)
class GameInfo:
    """Facts about a game, as data beside its rules.

    With `zero_sum` the scores of a deal add up to 0. `bounds` tells what a deal can come to under
    resolved options, with any number of seats. `agree` settles options that depend on each other: it
    gets the ones that were given and all that would be in force, changes the latter, or raises
    `OptionError`.
    """

    name: str
    rules_version: str
    min_seats: int
    max_seats: int
    options: tuple[Option, ...]
    lower_is_better: bool
    zero_sum: bool
    bounds: Callable[[Options], Bounds]
    summary: str
    agree: Callable[[Options, dict[str, OptionValue]], None] | None = None

    def seats(self) -> str:
        """Returns how many the game seats, in words: `4`, or `2 to 8`."""
        few, many = self.min_seats, self.max_seats
        return str(few) if few == many else f"{few} to {many}"

    def resolve(self, given: Options) -> dict[str, OptionValue]:
        """Returns all options with their values in force, by name; raises `OptionError`."""
        known = {option.name: option for option in self.options}
        for name in given:
            if name not in known:
                raise OptionError(
                    f"{self.name} has no option {_shown(name)}; it has {', '.join(sorted(known))}"
                )
        resolved = {n: known[n].parse(given.get(n, known[n].default)) for n in sorted(known)}
        if self.agree:
            self.agree(given, resolved)
        return resolved


def _whole(value: OptionValue) -> int | None:
    """Returns the whole number that a value is or spells, None for any other value."""
    if isinstance(value, str):
        digits = value.lstrip("0") or value[:1]
        return int(digits) if len(digits) <= _DIGITS and digits.isascii() and digits.isdigit() else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _shown(value: OptionValue) -> str:
    """Returns a value for an error, cut to what a line can hold."""
    if isinstance(value, str):
        return repr(value) if len(value) <= _SHOWN else f"{value[:_SHOWN]!r}..."
    return str(value) if abs(value) < 10**_SHOWN else f"a number of more than {_SHOWN} digits"

"""Tables that are sorted by any column: by the address without JavaScript, by a click with it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, NamedTuple, TypeAlias, TypeVar
from urllib.parse import urlencode

T = TypeVar("T")
Value: TypeAlias = float | str | None
ASCENDING: Final = "ascending"
DESCENDING: Final = "descending"


@dataclass(frozen=True, slots=True)
class Column(Generic[T]):
    """A column: `value` is what rows are sorted by, None where there is nothing, which comes last.

    Attributes:
        name: its name in addresses.
        label: its heading.
        hint: what it means, in a few words.
        best_last: whether the order that is wanted first is the descending one.
    """

    name: str
    label: str
    value: Callable[[T], Value]
    hint: str = ""
    best_last: bool = False
    number: bool = True


class Heading(NamedTuple):
    """A heading as it is drawn: `sorted` is empty, or how the rows stand by this column."""

    name: str
    label: str
    hint: str
    number: bool
    href: str
    first: str
    sorted: str


class Sorting(Generic[T]):
    """How the address of a page asks for its rows: `?sort=points&order=descending`."""

    def __init__(self, columns: Sequence[Column[T]], query: Mapping[str, str], path: str) -> None:
        """An unknown column is none; without one the rows stay as they are, by the first column."""
        self.columns = columns
        self._path = path
        self._rest = {name: value for name, value in query.items() if name not in {"sort", "order"}}
        self._by = next((one for one in columns if one.name == query.get("sort")), None)
        order = query.get("order", "")
        self._order = order if order in {ASCENDING, DESCENDING} else _first(self._by or columns[0])

    def headings(self) -> list[Heading]:
        """Returns the headings, each with the address that sorts by it, or turns the order around."""
        by = self._by or self.columns[0]
        found = []
        for column in self.columns:
            first = _first(column)
            turned = column is by and self._order == first
            order = _other(first) if turned else first
            query = {**self._rest, "sort": column.name, "order": order}
            found.append(
                Heading(
                    name=column.name,
                    label=column.label,
                    hint=column.hint,
                    number=column.number,
                    href=f"{self._path}?{urlencode(query)}",
                    first=first,
                    sorted=self._order if column is by else "",
                )
            )
        return found

    def sort(self, rows: Iterable[T]) -> list[T]:
        """Returns rows in the order that is asked for; those without a value come last."""
        if self._by is None:
            return list(rows)
        value = self._by.value
        with_value = [(value(row), row) for row in rows]
        told = [one for one in with_value if one[0] is not None]
        told.sort(key=lambda one: one[0], reverse=self._order == DESCENDING)  # type: ignore[arg-type,return-value]
        return [row for _, row in told] + [row for found, row in with_value if found is None]

    def values(self, row: T) -> dict[str, Value]:
        """Returns what a row is sorted by, for each column by its name."""
        found = {column.name: column.value(row) for column in self.columns}
        return {name: "" if value is None else value for name, value in found.items()}


def _first(column: Column[T]) -> str:
    return DESCENDING if column.best_last else ASCENDING


def _other(order: str) -> str:
    return ASCENDING if order == DESCENDING else DESCENDING

"""Which pairing comes next, around bots that are busy, slow, away or paused."""

from collections.abc import Iterator
from itertools import combinations, count

from referee.organiser.window import Window
from referee.tournament.formats.base import Pairing

BOTS = ("a", "b", "c", "d", "e")


def pairings(size: int = 2) -> Iterator[Pairing]:
    """Yields all tables of the bots."""
    for index, table in enumerate(combinations(BOTS, size)):
        yield Pairing(index, 0, (table,))


def endless(made: list[int]) -> Iterator[Pairing]:
    """Yields tables for ever, and notes which were made."""
    for index in count():
        made.append(index)
        yield Pairing(index, 0, ((BOTS[index % 5], BOTS[(index + 1) % 5]),))


def window(schedule: Iterator[Pairing], most: int = 100, **rooms: int | None) -> Window:
    """Returns a window in which bots have plenty of room unless it is said otherwise."""
    return Window(schedule, lambda name: rooms.get(name, 100), lambda _: True, most)


def taken(source: Window, *, idle: bool = False) -> list[str]:
    """Takes all that can start and returns the tables."""
    found = []
    while (pairing := source.take(idle=idle)) is not None:
        found.append("".join(pairing.sittings[0]))
        idle = False
    return found


def test_pairings_start_in_the_order_of_the_schedule() -> None:
    """Where all bots are free nothing is left out or turned round."""
    assert taken(window(pairings())) == ["ab", "ac", "ad", "ae", "bc", "bd", "be", "cd", "ce", "de"]


def test_s11_a_busy_bot_is_passed_over_and_comes_later() -> None:
    """Others play on while a bot has no room; its pairings keep their places in the queue."""
    capacities: dict[str, int | None] = {"a": 0}
    source = Window(pairings(), lambda name: capacities.get(name, 100), lambda _: True, 100)

    assert taken(source) == ["bc", "bd", "be", "cd", "ce", "de"]
    capacities["a"] = 4
    assert taken(source) == ["ab", "ac", "ad", "ae"]
    assert source.is_empty


def test_s11_no_bot_holds_more_than_its_share_of_the_places() -> None:
    """A bot that never answers in time holds up no more than its share of what runs at once."""
    source = window(pairings(), most=1)

    assert taken(source) == ["ab", "cd"]
    source.done(Pairing(7, 0, (("c", "d"),)))
    assert taken(source) == ["ce"], "a and b are still at their tables"


def test_d13_a_bot_that_is_away_is_missed_at_one_table_at_a_time() -> None:
    """All others start first; then one pairing waits for it, so that its absence shows."""
    source = window(pairings(), a=None)

    assert taken(source) == ["bc", "bd", "be", "cd", "ce", "de", "ab"]
    source.done(Pairing(0, 0, (("a", "b"),)))
    assert taken(source) == ["ac"]


def test_when_nothing_runs_something_starts() -> None:
    """A pairing whose bots have no room is tried when there is nothing else to wait for."""
    source = window(pairings(4), a=0, b=0)

    assert taken(source) == []
    assert taken(source, idle=True) == ["abcd"]


def test_paused_bots_are_given_nothing() -> None:
    """Not even where nothing else is left."""
    source = Window(pairings(), lambda _: 100, lambda name: name not in "ab", 100)

    assert taken(source, idle=True) == ["cd", "ce", "de"]
    assert source.take(idle=True) is None
    assert not source.is_empty


def test_c1_an_endless_schedule_is_looked_at_a_little_ahead() -> None:
    """No more pairings are made than the window holds, however many there are."""
    made: list[int] = []
    source = Window(endless(made), lambda _: 100, lambda _: True, 100, size=16)
    for _ in range(10):
        source.take(idle=True)

    assert len(made) <= 10 + 16


def test_what_is_put_back_waits_behind_the_others() -> None:
    """A spoiled attempt makes nobody wait."""
    source = window(pairings())
    first = source.take(idle=True)
    assert first is not None
    source.done(first)
    source.put_back(first)

    assert taken(source)[-1] == "ab"


def test_hopeless_pairings_are_taken_out() -> None:
    """Those of a bot that has left come back to whoever gives them up."""
    source = window(pairings())
    out = source.drop(lambda pairing: "a" in pairing.entrants)

    assert [pairing.index for pairing in out] == [0, 1, 2, 3]
    assert taken(source) == ["bc", "bd", "be", "cd", "ce", "de"]

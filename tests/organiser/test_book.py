"""What was decided and what was played: every pairing settled once, whatever was cut off."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from referee.engine.entrants import Entry
from referee.organiser.book import Book
from referee.organiser.tournament import Tournament
from referee.store.decision_log import DecisionLog
from referee.tournament.decision import Accepted, Disqualified, Opened, Paused, Returned, Voided, Withdrawn
from referee.tournament.formats.base import Bye, Meeting, Pairing
from referee.tournament.result import MatchResult
from tests.tournament.samples import match_id, result

SCORES = {"ann": 4, "bob": 3}
CUP = Tournament(
    name="cup",
    game="block_dominoes",
    options={},
    seats=2,
    bots=tuple(Entry(name, name, name, (name,), house=False) for name in ("ann", "bob", "cyd")),
)


@pytest.fixture
def log(tmp_path: Path) -> DecisionLog:
    """Returns the decisions of a tournament that was opened."""
    opened = DecisionLog(tmp_path / "decisions.jsonl")
    opened.append(Opened(at=1, tournament="cup", file="00"))
    return opened


@pytest.fixture
def book(log: DecisionLog) -> Iterator[Book]:
    """Returns a book on it."""
    made = Book(CUP, DecisionLog(log.path), lambda: 5)
    yield made
    made.close()


def block(*, attempt: int = 1, parts: Sequence[int] = (0, 1), group: str = "g") -> list[MatchResult]:
    """Returns the matches of a block of two."""
    return [
        replace(
            result(10 * attempt + part, SCORES, pairing=f"cup/4.{part}", attempt=attempt, group=group),
            parts=2,
        )
        for part in parts
    ]


def accepted(log: DecisionLog) -> list[tuple[str, int, tuple[str, ...]]]:
    """Returns what was accepted, from the file itself."""
    found = DecisionLog(log.path).read()
    return [(one.pairing_id, one.attempt, one.match_ids) for one in found if isinstance(one, Accepted)]


def test_p2_a_match_that_ended_before_its_decision_is_accepted_on_the_next_start(
    log: DecisionLog, book: Book
) -> None:
    """The log is the truth: what it tells counts once, however often it is read."""
    played = [
        result(1, SCORES, pairing="cup/0", termination="void"),
        result(2, SCORES, pairing="cup/0", attempt=2),
        result(3, SCORES, pairing="cup/1", termination="no_show"),
    ]

    assert book.load(played) == 1
    assert book.load(played) == 0
    assert accepted(log) == [("cup/0", 2, (match_id(2),))]
    assert (book.settled, book.matches) == ({0}, 1)
    assert book.next_attempt(1) == 2


def test_s8_only_whole_blocks_are_accepted(log: DecisionLog, book: Book) -> None:
    """A block that was cut off is played anew with fresh deals; its matches do not count."""
    assert book.load(block(parts=(0,))) == 0
    assert book.next_attempt(4) == 2
    mixed = [*block(attempt=2, parts=(0,), group="x"), *block(attempt=2, parts=(1,), group="y")]
    assert book.load(mixed) == 0
    assert book.load(block(attempt=3)) == 1
    assert accepted(log) == [("cup/4", 3, (match_id(30), match_id(31)))]


def test_s8_the_first_attempt_that_is_accepted_stays(log: DecisionLog, book: Book) -> None:
    """A second process that was cut off and comes back cannot count twice."""
    other = Book(CUP, DecisionLog(log.path), lambda: 6)

    async def both() -> tuple[bool, bool]:
        first = await other.accept(0, 1, ["m1"], {})
        return first, await book.accept(0, 2, ["m2"], {})

    assert asyncio.run(both()) == (True, False)
    other.close()
    assert book.rulings.accepted["cup/0"].match_ids == ("m1",)
    assert (book.matches, book.settled) == (1, {0})


def test_s13_who_has_left_is_known_from_what_others_decided(log: DecisionLog, book: Book) -> None:
    """An operator's decisions are taken in; a paused bot waits and has not left."""
    log.append(Disqualified(at=2, bot="ann", why="cheats"), Withdrawn(at=3, bot="bob", why="home"))
    log.append(Paused(at=4, bot="cyd", why="lunch"))

    assert asyncio.run(book.refresh())
    assert [book.left(name) for name in ("ann", "bob", "cyd")] == [
        "ann is disqualified: cheats",
        "bob is withdrawn: home",
        "",
    ]
    assert not any(map(book.plays, ("ann", "bob", "cyd")))
    assert book.gone() == {"ann", "bob"}
    log.append(Returned(at=5, bot="bob", why="back"))
    asyncio.run(book.refresh())
    assert book.gone() == {"ann"}


def test_a_drawn_round_stays_whatever_is_decided_later(log: DecisionLog, book: Book) -> None:
    """Pairings, numbers that were left out and byes come back as they were drawn."""
    drawn: list[Pairing | Bye] = [
        Bye(1, "cyd"),
        Pairing(5, 1, (("ann", "bob"),)),
        Pairing(7, 1, (("bob", "ann"),)),
    ]
    assert book.drawn(1) is None
    asyncio.run(book.draw(1, drawn))
    again = Book(CUP, DecisionLog(log.path), lambda: 9)
    again.close()

    assert again.drawn(1) == drawn
    assert again.rulings.byes == {1: ["cyd"]}


def test_meetings_tell_what_came_of_a_pairing(log: DecisionLog, book: Book) -> None:
    """Points by name, none of a match that was made void, and who was missed where none was played."""
    first, second, third = (Pairing(index, 0, (("ann", "bob"),)) for index in range(3))
    book.load([result(1, SCORES, pairing="cup/0"), result(2, SCORES, pairing="cup/1")])
    log.append(Voided(at=3, match_id=match_id(2), why="the power failed"))
    asyncio.run(book.give_up({2: "cyd never came"}, ["bob"]))

    assert book.meeting(first) == Meeting(first, {"ann": 1.0, "bob": 0.0})
    assert book.meeting(second) == Meeting(second, {})
    assert book.meeting(third) == Meeting(third, {}, ["bob"])
    assert (book.matches, book.unplayed) == (2, 1)

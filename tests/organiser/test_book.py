"""What was decided and what was played: every pairing settled once, whatever was cut off."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from referee.engine.entrants import Entry
from referee.organiser.book import Book
from referee.organiser.tournament import Tournament
from referee.store.decision_log import DecisionLog
from referee.tournament.counting import counted
from referee.tournament.decision import Accepted, Disqualified, Opened, Paused, Returned, Voided, Withdrawn
from referee.tournament.formats import make
from referee.tournament.formats.base import Bye, Meeting, Pairing
from referee.tournament.formats.settings import SwissSettings
from referee.tournament.result import MatchResult
from tests.tournament.samples import match_id, result

CUP = Tournament(
    name="cup",
    game="block_dominoes",
    options={},
    seats=2,
    bots=tuple(Entry(name, name, name, (name,), house=False) for name in ("ann", "bob", "cyd")),
)
BLOCKS = replace(CUP, duplicate="rotate")
SWISS = replace(CUP, format=SwissSettings(rounds=3))


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


def played(number: int, index: int, part: int | None = None, **more: Any) -> MatchResult:
    """Returns the result of a match of a pairing, or of its block, as the schedule has it: the first wins."""
    cup = CUP if part is None else BLOCKS
    pairings = [one for one in make(cup.format, cup.field).pairings(0) if isinstance(one, Pairing)]
    sitting = pairings[index].sittings[part or 0]
    name = f"cup/{index}" if part is None else f"cup/{index}.{part}"
    scores = {bot: 9 - seat for seat, bot in enumerate(sitting)}
    return result(number, scores, pairing=name, parts=len(pairings[index].sittings), **more)


def block(*, attempt: int = 1, parts: Sequence[int] = (0, 1), group: str = "g") -> list[MatchResult]:
    """Returns the matches of a block of two."""
    return [played(10 * attempt + part, 2, part, attempt=attempt, group=group) for part in parts]


def accepted(log: DecisionLog) -> list[tuple[str, int, tuple[str, ...]]]:
    """Returns what was accepted, from the file itself."""
    found = DecisionLog(log.path).read()
    return [(one.pairing_id, one.attempt, one.match_ids) for one in found if isinstance(one, Accepted)]


def test_p2_a_match_that_ended_before_its_decision_is_accepted_on_the_next_start(
    log: DecisionLog, book: Book
) -> None:
    """The log is the truth: what it tells counts once, however often it is read."""
    known = [
        played(1, 0, termination="void"),
        played(2, 0, attempt=2),
        played(3, 1, termination="no_show"),
    ]

    assert book.load(known) == 1
    assert book.load(known) == 0
    assert accepted(log) == [("cup/0", 2, (match_id(2),))]
    assert (book.settled, book.matches) == ({0}, 1)
    assert book.next_attempt(1) == 2


def test_s8_only_whole_blocks_are_accepted(log: DecisionLog) -> None:
    """A block that was cut off is played anew with fresh deals; its matches do not count."""
    book = Book(BLOCKS, DecisionLog(log.path), lambda: 5)
    assert book.load(block(parts=(0,))) == 0
    assert book.next_attempt(2) == 2
    mixed = [*block(attempt=2, parts=(0,), group="x"), *block(attempt=2, parts=(1,), group="y")]
    assert book.load(mixed) == 0
    assert book.load(block(attempt=3)) == 1
    book.close()
    assert accepted(log) == [("cup/2", 3, (match_id(30), match_id(31)))]


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


@pytest.mark.parametrize(
    ("cup", "stray", "why"),
    [
        (CUP, result(1, {"ann": 9, "dan": 1}, pairing="cup/0"), "dan does not play in cup"),
        (CUP, result(1, {"ann": 9, "bob": 1}, pairing="cup/0"), "its seats are not those of cup/0: ann, cyd"),
        (CUP, result(1, {"cyd": 9, "ann": 1}, pairing="cup/0"), "its seats are not those of cup/0: ann, cyd"),
        (CUP, replace(played(1, 0), game="guan_pai"), "it is of guan_pai, and cup is of block_dominoes"),
        (CUP, replace(played(1, 0), pairing_id="cup/00"), "cup/00 is none of the pairings so far"),
        (CUP, replace(played(1, 0), pairing_id="cup/6"), "cup/6 is none of the pairings so far"),
        (CUP, replace(played(1, 0), pairing_id="cup/final"), "cup/final is none of the pairings so far"),
        (CUP, played(1, 0, 0), "cup/0.0 is none of the pairings so far"),
        (BLOCKS, replace(played(1, 0, 0), parts=1), "cup/0.0 is one of 2 matches"),
        (SWISS, played(1, 0), "cup/0 is none of the pairings so far"),
    ],
)
def test_s16_a_result_that_is_none_of_the_tournament_is_made_void(
    log: DecisionLog, cup: Tournament, stray: MatchResult, why: str
) -> None:
    """Unknown bots, other seats or game, a pairing of no round or of a later one: once, with a reason."""
    book = Book(cup, DecisionLog(log.path), lambda: 5)
    assert [book.load([stray]) for _ in range(2)] == [0, 0]
    book.close()

    assert accepted(log) == []
    assert book.strays == {stray.match_id: why}
    assert [one for one in DecisionLog(log.path).read() if isinstance(one, Voided)] == [
        Voided(at=5, match_id=stray.match_id, why=why)
    ]
    assert counted([replace(stray, tournament="cup")], {"cup": book.rulings}) == []


def test_s16_a_stray_takes_no_result_from_its_pairing(log: DecisionLog, book: Book) -> None:
    """The next attempt is another one, so that both have a number of their own."""
    stray = result(1, {"ann": 9, "bob": 1}, pairing="cup/0", attempt=4)

    assert book.load([stray, played(2, 0, attempt=3)]) == 1
    assert accepted(log) == [("cup/0", 3, (match_id(2),))]


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
    first, second, third = (Pairing(index, 0, (("ann", "cyd"),)) for index in range(3))
    book.load([played(1, 0), played(2, 1)])
    log.append(Voided(at=3, match_id=match_id(2), why="the power failed"))
    asyncio.run(book.give_up({2: "cyd never came"}, ["bob"]))

    assert book.meeting(first) == Meeting(first, {"ann": 1.0, "cyd": 0.0})
    assert book.meeting(second) == Meeting(second, {})
    assert book.meeting(third) == Meeting(third, {}, ["bob"])
    assert (book.matches, book.unplayed) == (2, 1)

"""What a run of many matches shows of itself."""

import io

import pytest
from rich.console import Console

from referee.cli import run_progress
from referee.cli.run_progress import line, shown, span
from referee.match.events import End, Place
from referee.organiser.tally import Table, Tally
from referee.server.request import MatchOutcome
from referee.tournament.formats.base import Pairing


def outcome(*faults: dict[str, int]) -> MatchOutcome:
    """Returns a match in which each seat had these faults."""
    places = tuple(
        Place(
            seat=seat, rank=seat + 1, score=0, points=0.0, forfeited=bool(each), strikes=0, faults=dict(each)
        )
        for seat, each in enumerate(faults)
    )
    end = End(
        n=1, t=1, termination="completed", note="", at_fault=(), places=places, plies=0, secret="",
        contributions=(),
    )  # fmt: skip
    return MatchOutcome(match_id="m", replay=None, termination="completed", note="", end=end, missing=())


@pytest.fixture
def clock() -> list[float]:
    """Returns the clock of the run, in its only element."""
    return [0.0]


@pytest.fixture
def tally(clock: list[float]) -> Tally:
    """Returns a run that has played 11 of 40 matches in 10 seconds, by a clock of its own."""
    made = Tally(now=lambda: clock[0], total=40, before=4)
    for second in range(11):
        clock[0] = second
        played = [outcome({"late": 2}, {})]
        made.see(played)
        made.count(played)
    made.tables[17] = Table(Pairing(17, 0, (("ann", "bob"),)), 2, 7.0)
    made.spoiled = 1
    return made


def test_a_plain_line_tells_all_that_matters(tally: Tally) -> None:
    """Done and total, speed, the time that is left, tables, faults."""
    assert line(tally) == (
        "15/40 matches, 1.0/s, about 25 s left, 1 running, faults: 22 late, 11 forfeited, 1 spoiled attempts"
    )


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.2, "0 s"), (59.4, "59 s"), (61, "1 min"), (7260, "2 h 01 min"), (200_000, "2 days 7 h")],
)
def test_spans_are_told_as_people_say_them(seconds: float, text: str) -> None:
    """Short ones to the second, long ones roughly."""
    assert span(seconds) == text


def test_a_terminal_shows_the_running_tables(tally: Tally) -> None:
    """Each with its bots, for how long it runs, and at which attempt it is."""
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=100)
    with shown(console, quiet=False, plain=True) as told:
        told(tally)
        picture = run_progress._picture(tally, console)
    plain = Console(file=io.StringIO(), width=100)
    plain.print(picture)
    text = plain.file.getvalue()  # type: ignore[attr-defined]

    assert "15/40 1.0/s, about 25 s left" in text
    assert "  17: ann bob, 3 s, attempt 2" in text
    assert "faults: 22 late" in text


@pytest.mark.parametrize(("quiet", "plain", "lines"), [(False, True, 2), (True, True, 0), (False, False, 0)])
def test_elsewhere_lines_come_at_a_bounded_rate(
    tally: Tally, clock: list[float], *, quiet: bool, plain: bool, lines: int
) -> None:
    """However often something changes; none at all where none is wanted."""
    out = io.StringIO()
    with shown(Console(file=out), quiet=quiet, plain=plain) as told:
        for moment in (10, 11, 19.9, 20.1, 20.2, 30, 30.2):
            clock[0] = moment
            told(tally)

    assert out.getvalue().count("\n") == lines

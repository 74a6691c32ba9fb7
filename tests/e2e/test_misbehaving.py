"""Each misbehaving sample bot in a real match beside three honest ones, at default penalties."""

import json
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any, NamedTuple

import pytest

from referee.match import events as ev
from referee.replay.reader import Log, read
from tests.e2e.commands import Command

FOLDER = Path(__file__).parents[2] / "sample_bots" / "misbehaving"
HONEST = ("easy", "normal", "expert")
SEAT = 3
"""Where the misbehaving bot sits."""
CALM = ("--time", "20s+0,bank=0", "--option", "target=30")
"""Nobody is late by chance, and a bot that has lost its stream has the time to come back."""
LONG = (*CALM[:2], "--option", "target=200")
"""There are questions enough for a forfeit."""
DEAF = ("--time", "1s+0,bank=5s", "--option", "target=50")
"""A bot that does not answer uses up its bank once; an honest one would need 6 s for a turn to be late."""
KEPT = 128 * 1024
"""Bytes of a bot's output that are kept."""


class Case(NamedTuple):
    """A bot, and what has to come of it: the kinds of its faults, and of those it may have besides.

    `forfeited` is None where that depends on how quick it is. `told` has to stand in what the bot or
    the referee's operator got to read.
    """

    bot: str
    shows: frozenset[str] = frozenset()
    may: frozenset[str] = frozenset()
    words: tuple[str, ...] = CALM
    forfeited: bool | None = False
    termination: str = "completed"
    status: int = 0
    told: str = ""


def kinds(*names: str) -> frozenset[str]:
    """Returns kinds of faults."""
    return frozenset(names)


CASES = (
    # Those that wait come first: the others play meanwhile.
    Case(
        "noread --at 3 --window 64",
        kinds("late", "dropped"),
        words=(*DEAF[:2], "--option", "target=500"),
        forfeited=True,
        told="too many frames wait to be read",
    ),
    Case("noread --at 3", kinds("late"), words=DEAF, forfeited=True),
    Case("late", kinds("late"), kinds("stale"), words=DEAF, forfeited=True),
    Case("silent", kinds("late"), words=DEAF, forfeited=True),
    Case(
        "no_show",
        kinds("no_show"),
        words=("--time", "20s+0,start=8s"),
        termination="no_show",
        status=3,
        told="match_started",
    ),
    Case(
        "noread --at 0",
        kinds("no_show"),
        words=("--time", "20s+0,start=8s"),
        termination="no_show",
        status=3,
    ),
    Case("illegal", kinds("illegal"), words=LONG, forfeited=True),
    Case("slow"),
    Case(
        "garbage",
        kinds("malformed", "dropped"),
        told="INVALID_ARGUMENT these bytes are no PlayRequest of referee.v1",
    ),
    Case("chatty"),
    Case("stale --back 2", kinds("stale")),
    Case("stale --back 1", kinds("stale", "conflicting")),
    # Where all others have to pass an act for the turn to come may arrive when that turn is open.
    Case("pipeline", kinds("not_your_turn"), kinds("future", "stale", "conflicting")),
    Case("dup --kinds different", kinds("conflicting")),
    Case("dup --kinds same"),
    Case("meddler", kinds("not_your_turn"), kinds("rate_limited", "dropped"), words=LONG, forfeited=None),
    Case("flood", kinds("stale", "rate_limited"), kinds("dropped"), words=LONG, forfeited=True),
    Case("flap", kinds("dropped"), told="CANCELLED"),
    Case("big --times 4", kinds("dropped"), told="RESOURCE_EXHAUSTED"),
    Case(
        "crash --at 2",
        may=kinds("dropped"),
        forfeited=True,
        told="crash, as ordered, at turn 2",
    ),
    Case("hang_on_term"),
    Case("child"),
    Case("brittle"),
    Case("unicode", told="🁣 骨牌 доми́но"),
)
ABSENT = (
    Case(
        "no_show --absent",
        words=("--time", "20s+0,join=2s"),
        termination="no_show",
        status=3,
        told="did not join in time: ",
    ),
    Case(
        "crash --at 0",
        termination="no_show",
        status=3,
        told="crash never joined: it exited with",
    ),
)


class Played(NamedTuple):
    """A match that is over; `left` are the processes alive after it, `verified` is None without a log."""

    referee: Command
    done: CompletedProcess[str]
    left: list[str]
    verified: CompletedProcess[str] | None

    @property
    def result(self) -> dict[str, Any]:
        """The result as JSON."""
        found: dict[str, Any] = json.loads(self.done.stdout)
        return found

    @property
    def log(self) -> Log:
        """The replay log."""
        return read(self.referee.folder / self.result["replay"])

    def told(self) -> str:
        """Returns all that the bot printed and the operator was told."""
        files = sorted(self.referee.folder.glob("output/*/*"))
        return (
            "".join([path.read_text("utf-8", "replace") for path in files if path.is_file()])
            + self.done.stderr
        )


def play(case: Case, folder: Path) -> Played:
    """Plays the match of a case."""
    referee = Command(folder)
    done = referee.run("match", *HONEST, f"misbehaving/{case.bot}", *case.words, "--seed", "5", "--json")
    left = referee.left()
    logs = map(str, referee.logs())
    return Played(referee, done, left, next((referee.run("replay", "verify", log) for log in logs), None))


@pytest.fixture(scope="module")
def played(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Future[Played]]]:
    """Returns the matches of all cases that are asked for, by bot; several are played at once."""
    calls = [getattr(item, "callspec", None) for item in request.session.items if item.path == request.path]
    asked = {call.params["case"].bot for call in calls if call and "case" in call.params}
    with ThreadPoolExecutor(6) as pool:
        yield {
            case.bot: pool.submit(play, case, tmp_path_factory.mktemp("match"))
            for case in (*CASES, *ABSENT)
            if case.bot in asked
        }


def named(*bots: str) -> pytest.MarkDecorator:
    """Returns the cases of some bots as the parameters of a test."""
    return pytest.mark.parametrize("case", [case for case in CASES if case.bot in bots], ids=bots)


@pytest.mark.parametrize("case", CASES, ids=[case.bot for case in CASES])
def test_sin_costs_its_own_seat_by_name(case: Case, played: dict[str, Future[Played]]) -> None:
    """Each sin is the fault that it is called, at no cost to anybody else, and its log is good."""
    match = played[case.bot].result()
    assert match.done.returncode == case.status, match.done.stderr
    assert "Traceback" not in match.done.stderr or case.bot.startswith("crash")
    assert match.result["termination"] == case.termination

    *others, place = match.result["placements"]
    assert all(other["faults"] == {} and not other["forfeited"] for other in others)
    assert set(place["faults"]) >= case.shows
    assert set(place["faults"]) <= case.shows | case.may
    assert case.forfeited in {None, place["forfeited"]}
    assert not place["forfeited"] or place["rank"] == len(match.result["placements"])
    assert case.told in match.told()

    assert match.verified
    assert match.verified.returncode == 0, match.verified.stdout + match.verified.stderr
    assert match.left == []


@pytest.mark.parametrize("case", ABSENT, ids=[case.bot for case in ABSENT])
def test_d15_bot_that_never_joins_is_no_match(case: Case, played: dict[str, Future[Played]]) -> None:
    """A bot that does not connect ends the wait with its name; there is no match and no log."""
    match = played[case.bot].result()

    assert match.done.returncode == case.status
    assert match.result["termination"] == case.termination
    assert case.told in match.result["note"]
    assert case.bot.split()[0] in match.result["note"]
    assert match.result["placements"] == []
    assert match.result["replay"] is None
    assert match.referee.logs() == match.referee.logs("*.part") == []
    assert match.left == []


def test_every_sin_is_in_the_table() -> None:
    """No misbehaving sample bot is without a match here."""
    assert {case.bot.split()[0] for case in (*CASES, *ABSENT)} == {
        path.stem for path in FOLDER.glob("*.py") if path.stem != "raw"
    }


@pytest.mark.parametrize(
    ("case", "line"),
    [
        (case, line)
        for case in CASES
        for bot, line in (
            ("hang_on_term", "bot hang_on_term had to be killed: it did not end within 2 s of SIGTERM\n"),
            ("child", "bot child left 3 processes behind, killed\n"),
            ("chatty", "bot chatty printed much: output cut at 128 KiB: output/"),
        )
        if case.bot == bot
    ],
    ids=["chatty", "hang_on_term", "child"],
)
def test_what_was_survived_is_told(case: Case, line: str, played: dict[str, Future[Played]]) -> None:
    """What the referee had to do about a bot is one line on stderr that names it, and no more is said."""
    stderr = played[case.bot].result().done.stderr

    assert line in stderr
    assert stderr.count("\n") == 1


@named("chatty")
def test_d11_200_mb_of_output_are_taken_and_capped(case: Case, played: dict[str, Future[Played]]) -> None:
    """All that a bot prints is drained before its answer can come; head, tail and a marker are kept."""
    match = played[case.bot].result()
    (path,) = match.referee.folder.glob("output/*/*-chatty.txt")
    kept = path.read_bytes()
    _, marker, tail = kept.partition(b"\n... truncated ")

    assert marker
    assert int(tail.split()[0]) > 2 * 100 * 1024 * 1024 - KEPT - 1024
    assert len(kept) < KEPT + 1024


@named("slow")
def test_t6_slow_answers_are_measured_and_cost_nothing(case: Case, played: dict[str, Future[Played]]) -> None:
    """A bot that takes 100 ms for each answer has that in the log of its seat, less the referee's delay."""
    acts = [r for r in played[case.bot].result().log.records if isinstance(r, ev.Act) and r.seat == SEAT]

    assert max(act.think for act in acts) >= 100_000


@named("late")
def test_t3_late_answers_are_never_applied(case: Case, played: dict[str, Future[Played]]) -> None:
    """A bot that is always late has only default actions, each with budget and measured time."""
    records = played[case.bot].result().log.records
    late = [r for r in records if isinstance(r, ev.Default) and r.seat == SEAT and r.cause == "late"]

    assert not [r for r in records if isinstance(r, ev.Act) and r.seat == SEAT]
    assert len(late) == 5
    assert all(default.think >= default.budget > 0 for default in late)


@named("unicode")
def test_k15_odd_names_are_kept_as_they_are(case: Case, played: dict[str, Future[Played]]) -> None:
    """Version and instance outside ASCII stand in the log, and bytes that are no text in the output."""
    match = played[case.bot].result()
    seat = match.log.setup.seats[SEAT]
    (path,) = match.referee.folder.glob("output/*/*-unicode.txt")

    assert (seat.version, seat.instance) == ("1.0 🁣 骨牌", "доми́но Ünïcode")
    assert b"\xff\xfe\x1b[31m\x00\r\n" in path.read_bytes()

"""`referee play`: a person at a terminal, or whatever types like one."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from referee.cli.play_terminal import rules
from referee.games import REGISTRY, find, names
from referee.games.base import Game
from referee.match.config import SECOND
from referee.match.events import DealResult
from referee.replay.reader import read, scan, unfinished
from referee.store.store import Store
from tests.e2e.commands import Command, short
from tests.patience import PATIENCE
from tests.web.serving import serve

PROMPT = "number or text: "


class Terminal:
    """A command on a terminal of its own."""

    def __init__(self, running: subprocess.Popen[bytes], ours: int, encoding: str) -> None:
        self.running = running
        self.shown = ""
        self._ours = ours
        self._encoding = encoding
        self._seen = 0

    def until(self, text: str) -> bool:
        """Reads on until a text is shown; says whether it was before the command ended."""
        while True:
            at = self.shown.find(text, self._seen)
            if at >= 0:
                self._seen = at + len(text)
                return True
            ready, _, _ = select.select([self._ours], [], [], PATIENCE)
            assert ready, self.shown[-2000:]
            try:
                data = os.read(self._ours, 65536)
            except OSError:  # so Linux says that the last process has closed the terminal
                return False
            self.shown += data.decode(self._encoding)

    def type(self, text: str) -> None:
        """Types a text."""
        os.write(self._ours, text.encode())


@contextmanager
def terminal(referee: Command, *words: str, encoding: str = "utf-8", columns: int = 80) -> Iterator[Terminal]:
    """Runs a command on a terminal."""
    ours, theirs = pty.openpty()
    environment = {
        **referee.environment,
        "TERM": "xterm",
        "COLUMNS": str(columns),
        "PYTHONIOENCODING": encoding,
    }
    with subprocess.Popen(
        [sys.executable, "-m", "referee", *words],
        cwd=referee.folder,
        env=environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    ) as running:
        os.close(theirs)
        try:
            yield Terminal(running, ours, encoding)
        finally:
            running.kill()
            os.close(ours)


def play_on(shown: Terminal, choose: Callable[[str], str] = lambda _: "1") -> str:
    """Answers every question until the command ends, and returns all that was shown."""
    while shown.until(PROMPT):
        shown.type(choose(shown.shown) + "\n")
    assert shown.running.wait(PATIENCE) == 0, shown.shown[-2000:]
    return shown.shown


@pytest.mark.parametrize("game", REGISTRY, ids=lambda game: game.info.name)
def test_a_whole_match_is_played_at_a_terminal(tmp_path: Path, game: Game) -> None:
    """Every deal has its score table, equal to the log's, and the places are told at the end."""
    referee = Command(tmp_path)
    with terminal(referee, "play", "--game", game.info.name, *short(game)) as shown:
        text = play_on(shown)

    (log,) = map(read, scan(tmp_path))
    deals = [record for record in log.records if isinstance(record, DealResult)]
    assert len(re.findall(r"Deal \d+ is over", text)) == len(deals)
    rows = [[int(one) for one in row] for row in re.findall(r"\) +(-?\d+) +(-?\d+)", text)]
    seats = len(log.setup.seats)
    own = next(at for at, seat in enumerate(log.setup.seats) if seat.name == "You")
    told = [rows[at : at + seats] for at in range(0, len(rows), seats)]
    for deal, table in zip(deals, told, strict=True):
        by_seat = [table[(seat - own) % seats] for seat in range(seats)]
        assert [row[0] for row in by_seat] == list(deal.scores)
        assert [row[1] for row in by_seat] == list(deal.totals)
    assert log.end
    place = log.end.places[own].rank
    assert f"place {place}" in text or "ranking points against" in text
    assert "referee replay show" in text
    assert not log.setup.rated


def test_what_is_typed_is_explained(tmp_path: Path) -> None:
    """Help, rules, the table again; a wrong number, a text that is refused and why, one that is taken."""
    with terminal(Command(tmp_path), "play") as shown:
        shown.until(PROMPT)
        for typed, answer in (
            ("?", "leaves the match"),
            ("rules", "Whoever can play has to"),
            ("t", "Your hand"),
            ("999", "there is no 999"),
            ("play 9-9 left", "refused: "),
            ("castle", "type 1 to "),
            ("", PROMPT),
        ):
            shown.type(f"{typed}\n")
            assert shown.until(answer), typed
            assert answer == PROMPT or shown.until(PROMPT)
        listed = re.findall(r"\d+\. (play \d-\d(?: left| right)?)", shown.shown)
        shown.type(f"{listed[0]}\n")
        assert shown.until("South plays")
        shown.type("q\n")
        shown.until("you have left the match")
        assert shown.running.wait(PATIENCE) == 0
    assert shown.shown.rstrip().endswith("you have left the match")
    assert "Traceback" not in shown.shown


@pytest.mark.parametrize("key", ["\x04", "\x03", "q\n"])
def test_a_match_is_left_with_one_line(tmp_path: Path, key: str) -> None:
    """By the end of the input, by an interrupt, or by q; the match is void, and nothing is left running."""
    with terminal(Command(tmp_path), "play") as shown:
        shown.until(PROMPT)
        if key == "\x03":
            shown.running.send_signal(signal.SIGINT)
        else:
            shown.type(key)
        shown.until("you have left the match")
        assert shown.running.wait(PATIENCE) == 0
    (log,) = map(read, scan(tmp_path))
    assert log.end
    assert log.end.termination == "void"
    assert not list(unfinished(tmp_path))


def test_a_train_is_chosen_by_whose_it_is(tmp_path: Path) -> None:
    """What stands in the list may be typed, and so may the referee's own text."""
    with terminal(Command(tmp_path), "play", "--game", "mexican_train") as shown:
        while shown.until(PROMPT):
            listed = re.findall(r" 1\. (.*?)\r?\n", shown.shown)[-1]
            shown.type(f"{listed.upper()}\n")
            if re.fullmatch(r"play \d+-\d+ on (.*) train", listed):
                break
        assert shown.until("South plays ")
    assert "refused" not in shown.shown


def test_a_program_may_type(tmp_path: Path) -> None:
    """On a pipe there are no codes of a terminal, and the end of the input leaves the match."""
    referee = Command(tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "referee", "play", "--game", "ding_niu", "--option", "deals=1"],
        cwd=referee.folder,
        env=referee.environment,
        input="1\n" * 20,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    assert "Deal 1 is over" in done.stdout


def test_u6_a_terminal_may_be_narrow_and_old(tmp_path: Path) -> None:
    """With forty columns and code page 437 nothing is wider, and a name it lacks is escaped."""
    referee = Command(tmp_path)
    words = ("play", "--option", "target=1", "--name", "Zoë \N{GAME DIE}")
    with terminal(referee, *words, encoding="cp437", columns=40) as shown:
        text = play_on(shown)
    assert "\\U0001f3b2" in text
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text)
    told = [line for line in plain.splitlines() if PROMPT not in line and "replay show" not in line]
    assert max(map(len, told)) <= 40


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("--level", "grand"), "easy, normal, expert"),
        (("--game", "chess"), "chess"),
        (("--option", "target=0"), "target"),
        (("--name", "easy"), "house bot"),
        (("--server", "127.0.0.1:1"), "token"),
    ],
)
def test_what_cannot_be_had_is_told_in_one_line(tmp_path: Path, words: tuple[str, ...], part: str) -> None:
    """Nothing is started for it."""
    done = Command(tmp_path).run("play", *words)
    assert done.returncode == 2
    assert part in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_server_that_does_not_answer_is_told_at_once(tmp_path: Path) -> None:
    """With for how long it goes on to try; an interrupt ends it before that."""
    with terminal(Command(tmp_path), "play", "--server", "127.0.0.1:1", "--token", "abc") as shown:
        assert shown.until("127.0.0.1:1 does not answer; trying again for 30 s")
        shown.running.send_signal(signal.SIGINT)
        assert shown.until("you have left the match")
        assert shown.running.wait(PATIENCE) == 0
    assert shown.shown.count("does not answer") == 1


@pytest.mark.parametrize("game", names())
def test_the_rules_are_at_hand(game: str) -> None:
    """They are the page of the game, up to where it speaks of messages."""
    text = "\n".join(rules(game))
    assert find(game).info.options[0].name in text
    assert "proto" not in text


def test_a_person_plays_on_a_server(tmp_path: Path) -> None:
    """With the token of a registered bot, where the server seats people; what is refused is told."""
    data, referee = tmp_path / "arena", Command(tmp_path)
    with Store.under(data) as store:
        token = store.add_bot("ann")
    words = ("--game", "guan_pai", "--option", "deals=1", "--token")
    with serve(data) as served:
        played = ("play", "--server", served.address, *words)
        with terminal(referee, *played, token) as shown:
            assert "Deal 1 is over" in play_on(shown)
        wrong = referee.run(*played, "wrong")
    assert (wrong.returncode, len(wrong.stderr.splitlines())) == (1, 1)
    assert "valid token" in wrong.stderr
    (log,) = map(read, scan(data))
    assert [seat.name for seat in log.setup.seats if seat.owner == "ann"] == ["ann"]
    assert log.setup.time_control.base == 600 * SECOND

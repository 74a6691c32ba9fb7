"""The server killed at random moments, and started again: no match is lost, doubled, or blamed on a bot."""

import contextlib
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from referee.games import names
from referee.match import events as ev
from referee.match.config import SECOND
from referee.replay.reader import Log, header, read, scan
from referee.replay.verify import verify
from referee.store.store import Store
from tests.server.launching import eventually_sync

BOTS = 9
WINDOW = 60 * SECOND


@dataclass
class Wreck:
    """A server that is killed and started again on one data root, and a crew that plays on it."""

    data: Path
    tokens: list[str]
    source: "subprocess.Popen[str]"
    address: str = "127.0.0.1:0"
    server: int = 0
    crew: "list[subprocess.Popen[bytes]]" = field(default_factory=list)

    @property
    def told(self) -> Path:
        """What the crew was told."""
        return self.data / "told.txt"

    def start(self, window: int = WINDOW) -> None:
        """Starts the next server; does not wait until it listens."""
        assert self.source.stdin
        print(self.address.rpartition(":")[2], window, file=self.source.stdin, flush=True)
        while not (line := self._line()).isdigit():
            assert line.startswith("LISTENING")  # of a server that was killed before it was asked
        self.server = int(line)

    def listening(self) -> None:
        """Waits until the server listens, and for the first one starts the crew."""
        _, self.address = self._line().split()
        if not self.crew:
            command = [sys.executable, "-m", "tests.server.crew", self.address, str(self.told), *self.tokens]
            self.crew.append(subprocess.Popen(command, stderr=subprocess.DEVNULL))

    def goes_on(self) -> None:
        """Waits until the crew has heard more."""
        before = self._heard()
        eventually_sync(lambda: self._heard() > before)

    def kill(self) -> None:
        """Kills the server, and waits until it is gone."""
        psutil.Process(self.server).kill()
        self.gone()

    def gone(self) -> None:
        """Waits until the server is gone."""
        eventually_sync(lambda: not psutil.pid_exists(self.server))

    def facts(self) -> list[list[str]]:
        """Returns what the crew wrote down."""
        return [line.split() for line in self.told.read_text().splitlines()]

    def _heard(self) -> int:
        return self.told.stat().st_size if self.told.exists() else 0

    def _line(self) -> str:
        assert self.source.stdout
        line = self.source.stdout.readline().strip()
        assert line, (self.data / "server.log").read_text()[-2000:]
        return line


@contextlib.contextmanager
def wreck(data: Path) -> Iterator[Wreck]:
    """Makes the data root and the process that servers are forked from; ends all at the end."""
    with Store.under(data) as store:
        tokens = [store.add_bot(f"bot{number}") for number in range(BOTS)]
    with (data / "server.log").open("wb") as log:
        source = subprocess.Popen(
            [sys.executable, "-m", "tests.server.doomed_server", str(data)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
    made = Wreck(data, tokens, source)
    try:
        yield made
    finally:
        with contextlib.suppress(psutil.NoSuchProcess):
            psutil.Process(made.server).kill()
        for crew in made.crew:
            crew.kill()
            crew.wait()
        source.kill()
        source.communicate()


def ordeal(data: Path, kills: int, seed: int) -> list[list[str]]:
    """Kills a server so many times at random moments, some while it starts; returns what the crew heard.

    In the end one server plays until there was a match of each game, and finishes what runs.
    """
    choice = random.Random(seed)
    with wreck(data) as made:
        for kill in range(kills):
            made.start(WINDOW if choice.random() < 0.9 else 0)
            if kill == 0 or choice.random() < 0.8:
                made.listening()
                if kill == 0 or choice.random() < 0.9:  # however long a busy machine takes for that
                    made.goes_on()
                time.sleep(choice.uniform(0.0, 0.6))
            else:
                time.sleep(choice.uniform(0.0, 0.15))
            made.kill()
        made.start()
        made.listening()
        made.goes_on()
        eventually_sync(lambda: {header(path).game for path in scan(data)} == set(names()))
        psutil.Process(made.server).terminate()
        made.gone()
        return made.facts()


def check_log(log: Log) -> None:
    """Demands of a log that it is whole, and that no outage stands on the clock of any seat."""
    assert log.end
    assert all(not place.faults for place in log.end.places)
    assert verify(log).ok, log.setup.match_id
    asked, out = 0, 0
    for record in log.records:
        match record:
            case ev.Turn():
                asked, out = record.t, 0
            case ev.Resumed():
                out += record.duration
            case ev.Act():
                assert record.think <= record.t - asked - out, record
            case ev.Default() | ev.Strike() | ev.Forfeit():
                raise AssertionError(f"{log.setup.match_id}: {record}")


def check(data: Path, facts: list[list[str]]) -> Counter[str]:
    """Demands that nothing was lost, doubled or charged; returns how the matches ended."""
    logs = {path.stem: read(path) for path in scan(data)}
    assert {path.suffix for path in data.glob("replays/**/*") if path.is_file()} == {".jsonl"}
    for log in logs.values():
        check_log(log)
    asked = {
        (log.setup.match_id, one.seat, one.turn)
        for log in logs.values()
        for one in log.records
        if isinstance(one, ev.Turn)
    }
    for kind, match_id, *more in facts:
        if kind == "rejected":  # a `Ready` for a match that was told again and ended meanwhile
            assert more == ["FAULT_KIND_UNKNOWN_MATCH"], match_id
            assert match_id in logs
            continue
        assert kind in {"turn", "again", "ended"}, (kind, match_id, *more)
        if kind == "ended":
            end = logs[match_id].end
            assert end
            assert [end.termination] == more
        else:
            assert (match_id, *map(int, more)) in asked
    with Store.under(data) as store:
        assert sorted(result.match_id for result in store.results()) == sorted(logs)
    return Counter(log.end.termination for log in logs.values() if log.end)


@pytest.mark.parametrize("kills", [24, pytest.param(400, marks=pytest.mark.soak)])
def test_p1_a_server_killed_at_random_moments_loses_nothing(tmp_path: Path, kills: int) -> None:
    """Over all games, with bots of all kinds: what was told is in the logs, and all logs come to an end."""
    facts = ordeal(tmp_path, kills, seed=kills)
    ends = check(tmp_path, facts)
    logs = [read(path) for path in scan(tmp_path)]
    outages = Counter(sum(isinstance(one, ev.Resumed) for one in log.records) for log in logs)
    heard = Counter(kind for kind, *_ in facts)

    assert {log.setup.game for log in logs} == set(names())
    assert ends.keys() == {"completed", "void"}
    assert sum(count for times, count in outages.items() if times) > kills / 4
    assert heard["again"] > 0
    print(f"\n{kills} kills: {dict(ends)}; outages per match: {dict(sorted(outages.items()))}; {dict(heard)}")

"""What the tests of tournaments share: a folder with a file, and what became of it."""

import json
import random
import time
from collections import Counter
from collections.abc import Callable, Sized
from typing import Any

from referee.replay.reader import read
from referee.store.decision_log import DecisionLog, decisions_path
from referee.store.store import Store
from referee.tournament.decision import Accepted
from tests.e2e.commands import FIRST, Command
from tests.patience import PATIENCE

HOUSE = "[bots.easy]\n[bots.normal]\n[bots.expert]\n"
FIVE = HOUSE + '[bots.spar]\nhouse = "easy"\n[bots.mine]\ncommand = "./mine.py"\n'
SEEDED = "seed = 5\nrated = false"
"""Makes a tournament of bots that always play alike come to the same results every time."""
SLOW = FIRST.replace("lambda turn: ", "lambda turn: __import__('time').sleep(0.03) or ")
"""A bot that takes its time."""
_PICKS = (
    *("0", "-1", "len(turn.legal_actions) // 2", "1 % len(turn.legal_actions)"),
    *("turn.turn_id % 2 - 1", "-(turn.turn_id % 2)"),
)


class Cup(Command):
    """A folder with a tournament file and the bot of whoever runs it."""

    def write(
        self,
        bots: str = FIVE,
        more: str = "",
        matches: int = 20,
        head: str = "",
        form: str = 'kind = "round_robin"',
        game: str = "block_dominoes",
        option: str = "target = 10",
    ) -> None:
        """Writes the file."""
        form += f"\nmatches = {matches}" if matches else ""
        self.bot("mine.py", FIRST)
        text = f"""[tournament]
name = "cup"
game = "{game}"
{head}
[options]
{option}
[format]
{form}
{more}
{bots}"""
        (self.folder / "cup.toml").write_text(text, encoding="utf-8")

    def steady(self, count: int = 5, pause: float = 0.0) -> str:
        """Writes bots that always play alike, and returns their tables; each thinks for some seconds."""
        for number, pick in enumerate(_PICKS[:count]):
            code = FIRST.replace("[0]", f"[{pick}]")
            code = code.replace("turn: ", f"turn: __import__('time').sleep({pause}) or ") if pause else code
            self.bot(f"b{number}.py", code)
        return "".join(f'[bots.b{number}]\ncommand = "./b{number}.py"\n' for number in range(count))

    def played(self, *words: str) -> tuple[int, Any, str]:
        """Runs the tournament and returns status, JSON and what went to stderr."""
        done = self.run("tournament", "run", "cup.toml", "--json", "--quiet", *words)
        print(done.stderr)  # for whoever looks for what went wrong
        return done.returncode, json.loads(done.stdout or "null"), done.stderr

    def told(self, *words: str) -> Any:
        """Returns what a command that starts nothing tells as JSON."""
        return json.loads(self.here(*words, "--json").stdout)

    def register(self, name: str) -> str:
        """Registers a bot and returns its token."""
        with Store.under(self.folder) as store:
            return store.add_bot(name)

    def decisions(self) -> list[Any]:
        """Returns all that was decided."""
        return DecisionLog(decisions_path(self.folder, "cup")).read()

    def accepted(self) -> dict[str, tuple[str, ...]]:
        """Returns the matches that count, by pairing; fails where one was accepted twice."""
        found = [one for one in self.decisions() if isinstance(one, Accepted)]
        assert len({one.pairing_id for one in found}) == len(found)
        return {one.pairing_id: one.match_ids for one in found}

    def counting(self) -> Counter[str]:
        """Returns the pairings of the accepted matches by their logs, all of which have to be sound."""
        ids = {match for matches in self.accepted().values() for match in matches}
        logs = [read(path) for path in self.logs() if path.stem in ids]
        assert len(logs) == len(ids)
        assert all(log.end and log.end.termination in {"completed", "forfeited"} for log in logs)
        return Counter(log.setup.pairing_id for log in logs)

    def results(self) -> dict[str, list[tuple[str, int]]]:
        """Returns by pairing who sat where in the match that counts, and the scores."""
        ids = {match for matches in self.accepted().values() for match in matches}
        logs = [read(path) for path in self.logs() if path.stem in ids]
        return {
            log.setup.pairing_id: [
                (info.name, place.score) for info, place in zip(log.setup.seats, log.end.places, strict=True)
            ]
            for log in logs
            if log.end
        }


def everything(matches: int) -> dict[str, int]:
    """Returns every pairing once."""
    return {f"cup/{index}": 1 for index in range(matches)}


def kill_at_random(cup: Cup, rng: random.Random, kills: int) -> int:
    """Plays the cup and kills the runner at so many random moments, if it takes that long; counts them."""
    done = 0
    while done < kills:
        more, pause = rng.randrange(3), rng.random() / 20
        status = kill_after(cup, more, rng.random() if more == 0 else PATIENCE, pause)
        done += status is None
        if status == 0:
            break
    return done


def kill_after(
    cup: Cup,
    more: int,
    limit: float = PATIENCE,
    pause: float = 0.0,
    there_are: Callable[[Cup], Sized] = Cup.logs,
) -> int | None:
    """Plays the cup and kills the runner once there are more logs than so many more, or after a limit.

    `limit` and `pause`, how much later it is killed, are in seconds; `there_are` is what is counted, if
    that is not logs. Returns None, or the status of a runner that ended by itself.
    """
    with cup.start("tournament", "run", "cup.toml", "--parallel", "2", "--quiet", "--json") as running:
        before, end = len(there_are(cup)), time.monotonic() + limit
        while running.poll() is None and time.monotonic() < end and len(there_are(cup)) <= before + more:
            time.sleep(0.005)
        time.sleep(pause)
        status = running.poll()
        running.kill()
    return status

"""Checks a replay log by playing it again; trusts nothing that can be worked out.

Checked are the chain, the commitment and every shuffle, the legality of every action, clocks, lag
credits, refusals, strikes, forfeits, scores, the hash of the state after each deal, places and that
the one end record stands last. What only the host saw (when something arrived, what an unreadable
answer held, who dropped, names in the header) is as good as the hash of the last line, which has to
be compared with one that was kept elsewhere. The name of a file that is a match id is one more thing to
compare with: see `misnamed`.
"""

import re
from dataclasses import dataclass, replace

from referee.errors import OptionError, UsageError, in_one_line
from referee.games import find
from referee.games.base import Game
from referee.match.config import Setup
from referee.match.events import Act, Deal, Default
from referee.match.shuffle import commit
from referee.replay import branches
from referee.replay.reader import Log
from referee.replay.resimulate import Divergence, Resimulation

_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a check.

    Attributes:
        ok: whether the log is whole and every line follows from those before it.
        records: how many records are right, up to the first bad line.
        line: the first bad line, counted from 1; 0 if there is none, or the file as a whole is meant.
        problem: what is wrong, in one line; empty if nothing is.
        expected: the record that must stand there, as JSON, where that is known.
        found: the record that stands there, as JSON, where it could be read.
        deal: the deal that was played when it came to the first bad line, 0 before the first.
        ply: how many actions were played before it.
    """

    ok: bool
    records: int
    line: int = 0
    problem: str = ""
    expected: str = ""
    found: str = ""
    deal: int = 0
    ply: int = 0

    def __str__(self) -> str:
        place = f" (deal {self.deal}, after {self.ply} actions)" if self.deal else ""
        return f"line {self.line}: {self.problem}{place}" if self.line else self.problem


def verify(log: Log, game: Game | None = None) -> Verdict:
    """Returns what a full check of a log gives; the game is looked up by name if it is not given."""
    try:
        game = game or find(log.setup.game)
        log.setup.check(game.info)
    except (OptionError, UsageError) as error:
        return _bad(1, f"{error}{_written_by(log, game)}")
    verdict = _played_again(log, game)
    if not 1 < verdict.line < len(log.records) + (3 if log.fault else 2):
        return verdict
    deal, ply = _place(log, verdict)
    return replace(verdict, deal=deal, ply=ply)


def misnamed(name: str, setup: Setup) -> str:
    """Returns how a log is not the one that its file is named by; empty where it is, or the name is no id.

    The id of a match is a UUIDv7 of the millisecond in which it was created. A copy may have any other name.
    """
    called = name.partition(".")[0].lower()
    found = _ID.fullmatch(called)
    if found is None:
        return ""
    if called != setup.match_id:
        return f"line 1: it holds match {setup.match_id}, which is not its name"
    millis = int(called.replace("-", "")[:12], 16)
    if found[1] == "7" and millis != setup.created // 1000:
        return f"line 1: created is {setup.created}, and the match id is of millisecond {millis}"
    return ""


def _written_by(log: Log, game: Game | None) -> str:
    """Returns which referee has the rules of a log, where those here are others."""
    if game is None or game.info.name != log.setup.game or game.info.rules_version == log.setup.rules_version:
        return ""
    return f"; referee {log.setup.engine_version!r}, which wrote it, can check it"


def _place(log: Log, verdict: Verdict) -> tuple[int, int]:
    """Returns the deal and the number of actions before the first bad line."""
    before = log.records[: verdict.line - 2]
    deals = [record.deal for record in before if isinstance(record, Deal)]
    plies = [record.ply for record in before if isinstance(record, Act | Default)]
    return deals[-1] if deals else 0, plies[-1] if plies else 0


def _played_again(log: Log, game: Game) -> Verdict:
    if log.secret is None:
        return _faulty(log) or _whole(0, "unfinished, and not to be checked without its secret")
    divergence = _diverges(log, log.secret, game)
    opens = commit(log.setup.deal_group, log.secret) == log.setup.commitment
    if divergence and (log.fault is None or divergence.line <= log.fault.line):
        if not opens and log.ended and isinstance(log.records[divergence.line - 2], Deal):
            return _bad(len(log.records) + 1, "the secret opens neither the commitment nor the deals")
        return _bad(*divergence)
    if log.fault is None and not opens:
        return _bad(1, "the commitment is not that of the secret")
    return _faulty(log) or _cut_off(log) or Verdict(ok=True, records=len(log.records))


def _diverges(log: Log, secret: bytes, game: Game) -> Divergence | None:
    line = 1
    try:
        simulation = Resimulation(log.setup, secret, game)
        for line, record in enumerate(log.records, start=2):
            divergence = simulation.step(record)
            problem = "" if divergence else branches.problem(simulation.match, record)
            if problem:
                return Divergence(line, problem, "", "")
            if divergence:
                return divergence
    except Exception as error:  # noqa: BLE001  whatever a forged log breaks, it is the log that is bad
        return Divergence(line, f"cannot be played again: {in_one_line(error)}", "", "")
    return None


def _faulty(log: Log) -> Verdict | None:
    """Returns the verdict on a log with a line that could not be read."""
    return _bad(log.fault.line, log.fault.problem) if log.fault else None


def _cut_off(log: Log) -> Verdict | None:
    """Returns the verdict on a log that stops before, or goes on after, its end record."""
    count = len(log.records)
    if log.torn:
        what = "bytes follow the end record" if log.ended else "the last line is torn, the match unfinished"
        return _bad(count + 2, what)
    return None if log.ended else _whole(count, f"unfinished: no end record after {count} good records")


def _bad(line: int, problem: str, expected: str = "", found: str = "") -> Verdict:
    return Verdict(
        ok=False, records=max(0, line - 2), line=line, problem=problem, expected=expected, found=found
    )


def _whole(count: int, problem: str) -> Verdict:
    return Verdict(ok=False, records=count, problem=problem)

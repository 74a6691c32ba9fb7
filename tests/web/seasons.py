"""Data for pages of standings: tournaments that were really played, and large tables that were made up."""

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from referee.store.decision_log import DecisionLog, decisions_path
from referee.store.store import Store
from referee.tournament.decision import Bye, Disqualified, NoShow, Opened, Unplayed, Voided, Withdrawn
from referee.tournament.result import DAY, MatchResult
from tests.tournament.samples import match_id, result
from tests.web.serving import referee

ROOT = Path(__file__).resolve().parents[2]
CUP = """
[tournament]
name = "cup"
game = "block_dominoes"
[options]
target = 15
[format]
kind = "round_robin"
matches = 12
[bots.easy]
[bots.normal]
[bots.expert]
[bots.spar]
house = "easy"
[bots.second]
house = "normal"
"""
CLIMB = f"""
[tournament]
name = "climb"
game = "block_dominoes"
[options]
target = 15
[format]
kind = "challenge"
level = "easy"
matches = 11
[bots.mine]
command = "{ROOT / "sample_bots/python/first_bot.py"}"
owner = "me"
"""
HOSTILE = (
    "<script>alert(1)</script>",
    "\u202e\u2067evil\u202d name " + "x" * 200,
    "../../etc/passwd",
    "a\"on='&",
)
"""Names that somebody may try."""
ODD = '../<i>odd</i>/x?y#z&"%2e'
"""A tournament whose name would lead elsewhere."""
BEGAN = 20_000 * DAY


def season(name: str, bots: int, matches: int, days: int, start: int) -> Iterator[MatchResult]:
    """Yields results of a ladder of made-up bots; later matches of some are of a second version."""
    rng = random.Random(start)
    strength = {f"bot{number:03d}": rng.gauss(0, 1) for number in range(bots)}
    for number in range(matches):
        here = sorted(strength)[4 * number : 4 * number + 4] or rng.sample(sorted(strength), 4)
        found = result(
            start + number,
            {bot: max(0, round(100 + 40 * strength[bot] + rng.gauss(0, 60))) for bot in here},
            pairing=f"{name}/{number}",
            tournament=name,
            created=BEGAN + number * days // matches * DAY + number * 1000,
            options={"block_score": "others", "max_deals": 1000, "target": 100, "tie_opener": "same"},
            think=[rng.randrange(200, 90_000) for _ in range(20)],
            faults={here[0]: {"late": 2, "illegal": 1}} if number % 17 == 0 else None,
            forfeits=here[:1] if number % 51 == 0 else (),
            causes={here[0]: "late"} if number % 51 == 0 else None,
            termination="void" if number % 40 == 39 else "completed",
        )
        if number < matches // 2:
            yield found
        else:
            later = (replace(seat, version="2") if seat.bot < "bot006" else seat for seat in found.seats)
            yield replace(found, seats=tuple(later))


def build(data: Path) -> None:
    """Fills a data folder."""
    for name, text in {"cup": CUP, "climb": CLIMB}.items():
        file = data / f"{name}.toml"
        file.write_text(text, encoding="utf-8")
        referee("tournament", "run", str(file), "--data", str(data), "--quiet")
    with Store.under(data) as store:
        for one in season("winter", 24, 240, 5, 1000):
            store.add_result(one)
        for one in season("huge", 200, 300, 3, 100_000):
            store.add_result(one)
        hostile = result(900_000, {name: score for score, name in enumerate(HOSTILE)})
        for number, name in enumerate((ODD, "all", "..")):
            store.add_result(
                replace(
                    hostile, tournament=name, match_id=match_id(900_000 + number), deal_group=f"g{number}"
                )
            )
    decisions(data)


def decisions(data: Path) -> None:
    """Has an operator decide some things about the ladder `winter`."""
    DecisionLog(decisions_path(data, "winter")).append(
        Opened(at=BEGAN, tournament="winter", file="0" * 64),
        Bye(at=BEGAN + 1, round=0, bot="bot007"),
        NoShow(at=BEGAN + 1, pairing_id="winter/998", attempt=1, bots=("bot009",), why="was asleep"),
        NoShow(at=BEGAN + 1, pairing_id="winter/999", attempt=1, bots=("bot008",), why="was away"),
        Unplayed(at=BEGAN + 2, pairing_id="winter/999", why="nobody <b>came</b>", at_fault=("bot008",)),
        Voided(at=BEGAN + 3, match_id=match_id(1003), why="the power failed"),
        Withdrawn(at=BEGAN + 4, bot="bot010", why="its author left"),
        Disqualified(at=BEGAN + 5, bot="bot011", why="two owners in one"),
    )

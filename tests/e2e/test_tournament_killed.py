"""Tournaments whose runner or bots are killed: what was played stays, and every pairing counts once."""

import json
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest

from referee.match.events import Resumed
from referee.organiser.run import RESTARTS
from referee.replay.reader import read
from referee.tournament.decision import Bye, Drawn, Unplayed
from tests.e2e.commands import eventually
from tests.e2e.cups import HOUSE, SEEDED, Cup, everything, kill_after, kill_at_random
from tests.patience import PATIENCE
from tests.ports import free_port

HOLDS = """
import os, pathlib, time
from referee.bot import main
questions = []
def choose(turn):
    questions.append(turn)
    while WHEN:
        pathlib.Path(f"held-{os.getpid()}").touch()
        time.sleep(0.01)
    return turn.legal_actions[0]
main(choose, games=["block_dominoes"], version="1")
"""
"""A bot that gives no answer for as long as something holds."""


def undisturbed(folder: Path, bots: str, form: str, matches: int) -> Cup:
    """Returns the same tournament, played without an interruption."""
    cup = Cup(folder / "undisturbed")
    cup.folder.mkdir()
    cup.steady(bots.count("command"))
    cup.write(bots, matches=matches, head=SEEDED, form=form)
    status, _, stderr = cup.played()
    assert status == 0, stderr
    return cup


def drawn(cup: Cup) -> list[Drawn]:
    """Returns the rounds that were drawn so far."""
    return [one for one in cup.decisions() if isinstance(one, Drawn)]


def held(cup: Cup) -> set[str]:
    """Returns the processes of bots that have held an answer back."""
    return {path.name.removeprefix("held-") for path in cup.folder.glob("held-*")}


@pytest.mark.timeout(400)
def test_s8_killed_at_20_random_points_every_pairing_counts_once(cup: Cup) -> None:
    """Runner and bots are killed without warning; the final results are those of an unbroken run."""
    bots = cup.steady()
    cup.write(bots, matches=40, head=SEEDED)
    kills = kill_at_random(cup, random.Random(8), 20)
    status, told, stderr = cup.played()
    unbroken = undisturbed(cup.folder, bots, 'kind = "round_robin"', 40)

    assert (status, told["status"]["accepted"]) == (0, 40), stderr
    assert cup.counting() == everything(40)
    assert cup.results() == unbroken.results()
    assert cup.logs("*.part") == []
    assert kills > 5


@pytest.mark.soak
def test_s8_killed_hundreds_of_times(cup: Cup) -> None:
    """The same over a long tournament; there is nothing else that hundreds of kills may change."""
    cup.write(matches=600)
    kills = kill_at_random(cup, random.Random(88), 300)
    status, told, stderr = cup.played()
    print(f"{kills} kills, {len(cup.logs())} logs, {told['status']['accepted']} matches count")

    assert (status, told["status"]["accepted"]) == (0, 600), stderr
    assert cup.counting() == everything(600)
    assert cup.logs("*.part") == []


def test_s8_a_gauntlet_whose_runner_is_killed_comes_to_the_same_results(cup: Cup) -> None:
    """Every pairing of the candidate is played once, as in an unbroken run."""
    form, bots = 'kind = "gauntlet"\ncandidates = ["b0"]', cup.steady(pause=0.02)
    cup.write(bots, matches=8, head=SEEDED, form=form)
    killed = kill_after(cup, 1)
    status, told, stderr = cup.played()

    assert (status, told["ending"], killed) == (0, "finished", None), stderr
    assert cup.counting() == everything(8)
    assert cup.results() == undisturbed(cup.folder, bots, form, 8).results()
    assert all("b0" in dict(table) for table in cup.results().values())


def test_s8_a_round_that_was_drawn_stays_whenever_the_runner_is_killed(cup: Cup) -> None:
    """Rounds of a Swiss tournament depend on results; killed and resumed they are drawn once each."""
    form, bots = 'kind = "swiss"\nrounds = 6', cup.steady(6, pause=0.02)
    cup.write(bots, matches=0, head=SEEDED, form=form)
    kept = []
    for more in (0, 1):
        assert kill_after(cup, more, pause=0.1, there_are=drawn) is None
        kept.append(drawn(cup))
    status, told, stderr = cup.played()
    unbroken = undisturbed(cup.folder, bots, form, 0)

    assert (status, told["ending"]) == (0, "finished"), stderr
    assert [one.round for one in drawn(cup)] == list(range(6))
    assert 0 < len(kept[0]) < len(kept[1]) < 6
    assert all(drawn(cup)[: len(before)] == before for before in kept)
    tables = {
        f"cup/{one.first + at}": list(table) for one in drawn(cup) for at, (table,) in enumerate(one.pairings)
    }
    assert {pairing: [name for name, _ in seats] for pairing, seats in cup.results().items()} == tables
    assert cup.results() == unbroken.results()
    byes = Counter(one.bot for one in cup.decisions() if isinstance(one, Bye))
    assert set(byes.values()) == {2}, "12 byes of 6 bots"


def test_s8_only_whole_blocks_count_whenever_the_runner_is_killed(cup: Cup) -> None:
    """The matches of a block share their deals: one that was cut off is given up as a whole."""
    head = 'seats = 2\nduplicate = "rotate"'
    cup.write(HOUSE, matches=6, head=head, game="mexican_train", option="deals = 2")
    kills = kill_at_random(cup, random.Random(4), 2)
    status, told, stderr = cup.played()

    assert (status, told["status"]["accepted"], kills) == (0, 6, 2), stderr
    groups = {path.stem: read(path).setup.deal_group for path in cup.logs()}
    blocks = [{groups[match] for match in matches} for matches in cup.accepted().values()]
    assert [len(block) for block in blocks] == [1] * 3
    assert len(set.union(*blocks)) == 3
    assert cup.logs("*.sealed") == []
    assert cup.counting() == {f"cup/{index}.{part}": 1 for index in range(3) for part in range(2)}


def test_s8_a_bot_that_is_killed_again_and_again_costs_the_others_nothing(cup: Cup) -> None:
    """It is started again, and in the end no more; every pairing has a result, or a reason to have none."""
    cup.write(matches=20)
    cup.bot("mine.py", HOLDS.replace("WHEN", "len(questions) == 5"))
    killed: list[str] = []
    with cup.start("tournament", "run", "cup.toml", "--json", "--quiet", "--parallel", "2") as running:
        for _ in range(RESTARTS + 1):
            eventually(lambda: len(held(cup)) > len(killed))
            (pid,) = held(cup).difference(killed)
            os.kill(int(pid), signal.SIGKILL)
            killed.append(pid)
        stdout, stderr = running.communicate(timeout=PATIENCE)

    assert running.returncode == 0, stderr
    told = json.loads(stdout)
    assert told["ending"] == "finished"
    assert [(one["bot"], one["exit"]["signal"]) for one in told["reports"]] == [
        ("mine", signal.SIGKILL)
    ] * len(killed)
    unplayed = {one.pairing_id: one.why for one in cup.decisions() if isinstance(one, Unplayed)}
    assert Counter([*cup.accepted(), *unplayed]) == everything(20)
    assert all(why.startswith("mine ") for why in unplayed.values())
    charged = [
        (info.name, "dropped" in place.faults, place.forfeited)
        for log in map(read, cup.logs())
        if log.end
        for info, place in zip(log.setup.seats, log.end.places, strict=True)
        if place.faults or place.forfeited
    ]
    assert set(charged) == {("mine", True, False), ("mine", True, True)}
    assert sum(forfeited for *_, forfeited in charged) == 1
    assert len(cup.accepted()) >= 4 + len(charged), "the tables without it, and those that it sat at"
    assert cup.left() == []


def test_p1_a_match_of_registered_bots_goes_on_after_the_runner_was_killed(cup: Cup) -> None:
    """They come back by themselves to the same address; the match that was cut off is played to its end."""
    cup.bot("far.py", HOLDS.replace("WHEN", "len(questions) > 2 and os.path.exists('hold')"))
    (cup.folder / "hold").touch()
    port = str(free_port())
    bots, environments = "", []
    for name in "abcd":
        token = cup.register(name)
        bots += f'[bots.{name}]\nregistered = "{name}"\n'
        address = {"REFEREE_ADDRESS": f"127.0.0.1:{port}", "REFEREE_TOKEN": token}
        environments.append({**cup.environment, **address})
    cup.write(bots, matches=2)
    with ExitStack() as stack:
        for environment in environments:
            bot = subprocess.Popen([sys.executable, "far.py"], cwd=cup.folder, env=environment)
            stack.enter_context(bot)
            stack.callback(bot.terminate)
        with cup.start("tournament", "run", "cup.toml", "--quiet", "--port", port) as running:
            eventually(lambda: held(cup))
            running.kill()
        (cut,) = cup.logs("*.part")
        (cup.folder / "hold").unlink()
        status, told, stderr = cup.played("--port", port)

    assert (status, told["status"]["accepted"]) == (0, 2), stderr
    logs = {path.stem: read(path) for path in cup.logs()}
    ended = logs[cut.name.removesuffix(".jsonl.part")]
    assert ended.end
    assert ended.end.termination == "completed"
    assert any(isinstance(record, Resumed) for record in ended.records)
    assert len(logs) == 2, "no attempt was given up"

"""Tournaments with bots that are slow, away, broken, removed, or come from elsewhere."""

import json
import subprocess
import sys

from referee.replay.reader import read
from referee.tournament.decision import NoShow, Unplayed, Withdrawn
from tests.e2e.commands import HOPELESS, eventually
from tests.e2e.cups import FIVE, HOUSE, SLOW, Cup, everything
from tests.patience import PATIENCE


def test_s11_a_slow_bot_holds_up_nobody(cup: Cup) -> None:
    """It takes one match at a time: the others play at the other tables, and most of its own come last."""
    cup.bot("slow.py", SLOW)
    bots = FIVE.replace("./mine.py", "./mine.py --matches 8") + '[bots.slow]\ncommand = "./slow.py"\n'
    cup.write(bots, matches=30, more="[running]\nconcurrency = 3\n")
    status, told, stderr = cup.played()

    assert (status, told["status"]["accepted"]) == (0, 30), stderr
    spans = []
    for log in map(read, cup.logs()):
        assert log.end
        at_it = any(seat.name == "slow" for seat in log.setup.seats)
        spans.append((log.setup.created, log.setup.created + log.end.t, at_it))
    assert all(
        sum(other_start <= start < other_end for other_start, other_end, it in spans if it) == 1
        for start, _, at_it in spans
        if at_it
    )
    last = max(start for start, _, at_it in spans if not at_it)
    assert sum(start > last for start, _, at_it in spans if at_it) >= 5, "most of its tables are left over"


def test_s13_removed_bots_leave_a_defined_result_for_every_pairing(cup: Cup) -> None:
    """While it runs one bot is disqualified and one withdrawn: what is left of theirs is given up."""
    cup.write(FIVE + '[bots.slow]\ncommand = "./slow.py"\n', matches=60)
    cup.bot("slow.py", SLOW)
    with cup.start("tournament", "run", "cup.toml", "--json", "--quiet") as running:
        eventually(lambda: cup.logs() and cup.logs("*.part"))
        why = ("--why", "it cheats")
        assert cup.here("tournament", "disqualify", "cup", "slow", *why).returncode == 0
        assert cup.here("tournament", "withdraw", "cup", "mine", "--why", "went home").returncode == 0
        stdout, stderr = running.communicate(timeout=PATIENCE)

    assert running.returncode == 0, stderr
    status = json.loads(stdout)["status"]
    given_up = [one for one in cup.decisions() if isinstance(one, Unplayed)]
    assert status["disqualified"] == {"slow/slow": "it cheats"}
    assert status["withdrawn"] == {"mine/mine": "went home"}
    assert {*cup.accepted(), *(one.pairing_id for one in given_up)} == set(everything(60))
    assert any("slow is disqualified: it cheats" in one.why for one in given_up)


def test_s5_nobody_is_there_and_no_match_is_made_up(cup: Cup) -> None:
    """Registered bots that are all offline: the tournament pauses and says who is missing."""
    for name in "abcd":
        cup.register(name)
    bots = "".join(f'[bots.{name}]\nregistered = "{name}"\n' for name in "abcd")
    cup.write(bots, head='time = "1s+0,join=300ms"', matches=4)
    status, told, _ = cup.played()

    assert (status, told["ending"]) == (3, "paused")
    assert "not enough players: did not join in time: " in told["why"]
    assert cup.logs() == []
    assert [type(one).__name__ for one in cup.decisions()] == ["Opened", "NoShow"]


def test_d13_a_bot_that_stays_away_is_withdrawn_and_the_others_play(cup: Cup) -> None:
    """After so many matches that it missed nobody waits for it any more."""
    cup.register("far")
    bots = FIVE + '[bots.far]\nregistered = "far"\n'
    more = "[running]\nno_shows = 2\nconcurrency = 2\nattempts = 2\n"
    cup.write(bots, head='time = "1s+0,join=300ms"', more=more, matches=30)
    status, told, stderr = cup.played()

    assert (status, told["ending"]) == (0, "finished"), stderr
    (left,) = [one for one in cup.decisions() if isinstance(one, Withdrawn)]
    assert left.bot == "far"
    assert left.why.startswith("it missed 2 matches in a row; did not join in time: far")
    unplayed = {one.pairing_id for one in cup.decisions() if isinstance(one, Unplayed)}
    assert {*cup.accepted(), *unplayed} == set(everything(30))
    assert len(cup.accepted()) == 10, "the tables without it"


def test_registered_and_launched_bots_play_together(cup: Cup) -> None:
    """A bot from elsewhere dials in to the address that is printed; it plays under its registered id."""
    token = cup.register("far")
    cup.write(HOUSE + '[bots.far]\nregistered = "far"\n', matches=4)
    with cup.start("tournament", "run", "cup.toml", "--quiet") as running:
        assert running.stdout is not None
        address = running.stdout.readline().removeprefix("LISTENING ").strip()
        environment = {**cup.environment, "REFEREE_ADDRESS": address, "REFEREE_TOKEN": token}
        with subprocess.Popen([sys.executable, "mine.py"], cwd=cup.folder, env=environment) as bot:
            stdout, stderr = running.communicate(timeout=PATIENCE)
            bot.terminate()

    assert running.returncode == 0, stderr
    assert "cup finished: 4 of 4 matches played" in stdout
    assert {seat.bot for path in cup.logs() for seat in read(path).setup.seats} == {
        "easy/easy",
        "normal/normal",
        "expert/expert",
        "far",
    }


def test_what_goes_on_listens_where_the_bots_look_for_it(cup: Cup) -> None:
    """The command that is printed names the port that was taken, and all else that was asked for."""
    for name in "abcd":
        cup.register(name)
    bots = "".join(f'[bots.{name}]\nregistered = "{name}"\n' for name in "abcd")
    cup.write(bots, head='time = "1s+0,join=300ms"', matches=4)
    done = cup.run("tournament", "run", "cup.toml", "--quiet", "--parallel", "2")
    port = done.stdout.partition("LISTENING 127.0.0.1:")[2].split()[0]

    assert f"tournament resume cup --parallel 2 --port {port}\n" in done.stderr


def test_s17_repeated_start_failures_pause_the_tournament(cup: Cup) -> None:
    """Bots that fall over before they connect are no reason to go through the whole schedule."""
    cup.bot("broken.py", HOPELESS)
    broken = "".join(f'[bots.b{number}]\ncommand = "./broken.py"\n' for number in range(2))
    cup.write(HOUSE + '[bots.spar]\nhouse = "easy"\n' + broken, more="[running]\nstart_failures = 2\n")
    status, told, _ = cup.played()

    assert (status, told["ending"]) == (3, "paused")
    assert told["why"].startswith("2 matches in a row could not start; the last: ")
    assert "never joined: it exited with status 1" in told["why"]


def test_s14_a_bot_that_cannot_start_costs_only_its_own_tables(cup: Cup) -> None:
    """Its pairings are given up by name, and all others are played."""
    cup.bot("broken.py", HOPELESS)
    cup.write(HOUSE + '[bots.spar]\nhouse = "easy"\n[bots.broken]\ncommand = "./broken.py"\n', matches=10)
    status, told, _ = cup.played()

    assert (status, told["ending"], told["status"]["accepted"]) == (0, "finished", 2)
    assert all("broken never joined" in why for why in told["status"]["unplayed"])
    assert {report["bot"] for report in told["reports"]} == {"broken"}
    missed = [one for one in cup.decisions() if isinstance(one, NoShow)]
    assert {(one.bots, one.attempt) for one in missed} == {(("broken/broken",), 1)}
    assert len(missed) == told["status"]["no_shows"]["broken/broken"] > 0


def test_a_tournament_whose_last_match_could_not_start_is_finished(cup: Cup) -> None:
    """There is nothing to go on with, so it does not pause for one more failure."""
    cup.bot("broken.py", HOPELESS)
    bots = HOUSE + '[bots.spar]\nhouse = "easy"\n[bots.broken]\ncommand = "./broken.py"\n'
    for seed in range(20):
        cup.write(
            bots, matches=1, head=f"seed = {seed}\nrated = false", more="[running]\nstart_failures = 1\n"
        )
        if "broken" in json.dumps(cup.told("tournament", "plan", "cup.toml")["pairings"]):
            break
    status, told, _ = cup.played()

    assert (status, told["ending"], told["status"]["settled"]) == (3, "finished", 1)


def test_k9_where_nobody_is_ready_there_is_no_draw(cup: Cup) -> None:
    """Such a match is tried again and given up; nobody gets anything for it."""
    bots = "".join(f'[bots.b{seat}]\ncommand = "sample_bots/misbehaving/no_show.py"\n' for seat in range(4))
    cup.write(
        bots, matches=1, head='time = "1s+0,start=300ms"', more="[running]\nattempts = 2\nno_shows = 9\n"
    )
    status, told, _ = cup.played()

    assert (status, told["ending"], told["status"]["accepted"]) == (3, "finished", 0)
    ends = [log.end for log in map(read, cup.logs())]
    assert [end.termination for end in ends if end] == ["no_show", "no_show"]
    assert sum(told["status"]["unplayed"].values()) == 1
    assert all(row["points"] is None for table in told["standings"] for row in table["rows"])

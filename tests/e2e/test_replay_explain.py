"""`referee replay explain`: what the author of a bot is told of a match, played by real processes."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from referee.games import names
from referee.replay import processes, reader
from tests.e2e.commands import FIRST, Command

GOLDEN = Path(__file__).parents[2] / "replays" / "golden"
BREAKS = """
import sys
from referee.bot import main

def choose(turn):
    print("turn", turn.turn_id, file=sys.stderr)
    if turn.turn_id == 2 and turn.observation.WhichOneof("game") and not asked:
        asked.append(turn.turn_id)
        return "play 99-99"
    if turn.turn_id == 3:
        raise ValueError("the third turn")
    return turn.legal_actions[0]

asked = []
main(choose, games=["block_dominoes", "guan_pai", "mexican_train", "ding_niu"], version="1")
"""
"""A bot with a bad answer in its second turn, that crashes in its third."""
HOUSE = ("easy", "normal", "expert")


@pytest.mark.parametrize("game", names())
def test_p5_a_crashed_bot_is_explained(game: str, tmp_path: Path) -> None:
    """Raw answer, the turn as the bot saw it, its traceback, and the one command that asks it again."""
    referee = Command(tmp_path)
    house = HOUSE[:2] if game == "guan_pai" else HOUSE
    done = referee.run("match", "--game", game, *house, referee.bot("breaks.py", BREAKS), "--json")
    replay = json.loads(done.stdout)["replay"]
    seat = len(house)
    told = referee.here("replay", "explain", replay, "--seat", str(seat))
    whole = json.loads(referee.here("replay", "explain", replay, "--seat", str(seat), "--json").stdout)
    (process,) = whole["processes"]
    bad = whole["faults"][0]

    assert told.returncode == 0
    assert (bad["kind"], bad["raw"], bad["turn"]) == ("malformed", "play 99-99", 2)
    assert bad["shown"]["legal"]
    assert bad["shown"]["seen"][1].startswith("only it saw: hand ")
    assert process["code"] == 1
    assert "ValueError: the third turn" in process["head"]
    assert whole["gone_at"] is not None
    assert whole["place"]["forfeited"] is True
    for part in ("text 'play 99-99'", "  | ValueError: the third turn", whole["reproduce"], "(forfeited)"):
        assert part in told.stdout
    assert f"{tmp_path / replay} --seat {seat} --data {tmp_path} -- " in whole["reproduce"]
    assert process["command"] in whole["reproduce"]


def test_what_is_kept_of_a_process_is_private_and_its_own(tmp_path: Path) -> None:
    """Each seat leads to its own process; the files are readable by their owner only; the log is as ever."""
    referee = Command(tmp_path)
    done = referee.run("match", *HOUSE, referee.bot("breaks.py", BREAKS), "--json")
    replay = tmp_path / json.loads(done.stdout)["replay"]
    match_id = reader.read(replay).setup.match_id
    kept = list(tmp_path.glob("output/*/reports/*"))
    found = [processes.find(tmp_path, match_id, seat) for seat in range(5)]

    assert processes.data_root(replay) == tmp_path
    assert {path.stat().st_mode & 0o077 for path in kept} == {0}
    assert [[Path(one.output).stem[4:] for one in of_seat] for of_seat in found] == [
        ["easy"],
        ["normal"],
        ["expert"],
        ["breaks"],
        [],
    ]
    assert [one.stopped for of_seat in found for one in of_seat] == [True, True, True, False]
    assert found[3][0].head.startswith("turn 1\nturn 2\n")
    assert processes.find(tmp_path, f"../{match_id}", 3) == ()


def test_s8_a_later_run_in_the_same_folder_is_no_earlier_process(tmp_path: Path) -> None:
    """What another launcher wrote under the name of a process is not told as that of the match before."""
    referee = Command(tmp_path)
    done = referee.run("match", *HOUSE, referee.bot("breaks.py", BREAKS), "--json")
    match_id = reader.read(tmp_path / json.loads(done.stdout)["replay"]).setup.match_id
    (path,) = tmp_path.glob("output/*/reports/004-breaks.json")
    path.write_text(path.read_text("utf-8").replace('"launcher": "', '"launcher": "0'), encoding="utf-8")

    assert processes.find(tmp_path, match_id, 3) == ()
    assert len(processes.find(tmp_path, match_id, 2)) == 1


@pytest.mark.parametrize("name", ["restart", "compare"])
def test_other_commands_that_launch_bots_lead_to_their_stderr_too(name: str, tmp_path: Path) -> None:
    """A round robin has one process over many matches, a comparison one for each match."""
    referee = Command(tmp_path)
    bot = referee.bot("breaks.py", BREAKS)
    words = (
        ("round-robin", *HOUSE, bot, "--matches", "1")
        if name == "restart"
        else ("compare", f"old={bot}", f"new={referee.bot('new.py', FIRST)}", "--blocks", "1")
    )
    referee.run(*words)
    logs = [reader.read(path) for path in tmp_path.rglob("*.jsonl") if "replays" in path.parts]
    told = {
        log.setup.match_id: [
            one.head
            for seat, who in enumerate(log.setup.seats)
            if who.name in {"breaks", "old"}
            for one in processes.find(tmp_path, log.setup.match_id, seat)
        ]
        for log in logs
    }

    assert told
    assert all(heads and "ValueError: the third turn" in "".join(heads) for heads in told.values())


def _explain(tmp_path: Path, game: str, name: str, seat: int) -> Any:
    done = Command(tmp_path).here(
        "replay", "explain", str(GOLDEN / game / f"{name}.jsonl"), "--seat", str(seat), "--json"
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("game", names())
def test_a_seat_without_faults_is_told_where_it_fell_behind(game: str, tmp_path: Path) -> None:
    """The scores by deal add up, the place after the last deal is the result, and nothing more is claimed."""
    log = reader.read(GOLDEN / game / "plain.jsonl")
    assert log.end is not None
    for place in log.end.places:
        told = _explain(tmp_path, game, "plain", place.seat)

        assert sum(lap["scores"][place.seat] for lap in told["deals"]) == place.score
        assert told["deals"][-1]["place"] == place.rank
        assert told["processes"] == []
        if place.rank > 1:
            assert any("lost most on the winner" in line for line in told["findings"])
            assert any("the log does not tell" in line for line in told["findings"])


def test_a_match_that_does_not_count_cost_nobody_points(tmp_path: Path) -> None:
    """A void match has no place, and says so."""
    told = _explain(tmp_path, "ding_niu", "void", 0)

    assert told["place"] is None
    assert told["findings"][0].startswith("The match does not count (void: ")


def test_u6_a_name_with_an_escape_commands_no_console(tmp_path: Path) -> None:
    """What a file holds is shown, never obeyed; a seat that there is not is wrong usage."""
    log = (GOLDEN / "ding_niu" / "faults.jsonl").read_bytes()
    path = tmp_path / "odd.jsonl"
    path.write_bytes(log)
    done = Command(tmp_path).here("replay", "explain", str(path), "--seat", "9")

    assert done.returncode == 2
    assert "the match has the seats 0 to 3" in done.stderr


@pytest.mark.parametrize("name", ["-rf\x1b", "it's \\ é", "b\udcff"])
def test_the_command_that_is_printed_runs_from_anywhere(name: str, tmp_path: Path) -> None:
    """As it stands, in a shell: with a bot that lies where it ran, and in a folder of any name."""
    home = tmp_path / name
    home.mkdir()
    referee = Command(home)
    done = referee.run("match", *HOUSE, referee.bot("breaks.py", BREAKS), "--json")
    assert done.returncode == 0, done.stderr
    replay = json.loads(done.stdout)["replay"]
    whole = json.loads(referee.run("replay", "explain", replay, "--seat", "3", "--json").stdout)
    line = whole["reproduce"]
    (tmp_path / "elsewhere").mkdir()
    again = subprocess.run(
        ["bash", "-c", line],
        cwd=tmp_path / "elsewhere",
        env=referee.environment,
        capture_output=True,
        check=False,
    )

    assert again.returncode == 0, again.stderr
    assert b"1 malformed" in again.stdout
    assert list(home.glob("output/drill-*"))
    assert not list((tmp_path / "elsewhere").iterdir())


def test_no_command_is_printed_where_the_secret_is_not(tmp_path: Path) -> None:
    """A log without its end cannot be dealt again, which is said instead."""
    log = tmp_path / "cut.jsonl"
    lines = (GOLDEN / "block_dominoes" / "faults.jsonl").read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:-1]))
    referee = Command(tmp_path)
    told = referee.here("replay", "explain", str(log), "--seat", "0").stdout

    assert (
        json.loads(referee.here("replay", "explain", str(log), "--seat", "0", "--json").stdout)["reproduce"]
        == ""
    )
    assert "replay drill" not in told
    assert "cannot be dealt again without the secret" in told

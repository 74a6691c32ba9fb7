"""`referee replay drill`: real bots before the turns of a log, at a real endpoint."""

import json
from pathlib import Path
from typing import Any

import pytest

from referee.games import find, names
from referee.match import events as ev
from referee.replay import reader
from referee.server.retell import retell
from referee.v1 import play_service_pb2 as pb
from tests.e2e.commands import Command, short

GOLDEN = Path(__file__).parents[2] / "replays" / "golden"
FIRST = "python/first_bot"
SEEN = """
import sys
from referee.bot import main

def choose(turn):
    with open(sys.argv[1], "ab") as file:
        message = turn.message.SerializeToString(deterministic=True)
        file.write(len(message).to_bytes(4, "big") + message)
    return turn.legal_actions[-1]

main(choose, games=["block_dominoes", "guan_pai", "mexican_train", "ding_niu"], version="1")
"""
"""A bot that writes down each turn that it is told, and answers the last legal action."""


def drilled(folder: Path, log: Path, seat: int, *bot: str) -> Any:
    """Returns what a drill came to, as JSON."""
    done = Command(folder).run("replay", "drill", str(log), "--seat", str(seat), "--json", "--", *bot)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def turns_told(log: Path, seat: int) -> list[bytes]:
    """Returns the turns that a seat was told in the match, as bytes."""
    frames = [
        frame
        for heard in retell(reader.read(log))
        if heard.seat == seat
        for frame in pb.PlayResponse.FromString(heard.data).frames
    ]
    return [one.turn.SerializeToString(deterministic=True) for one in frames if one.HasField("turn")]


@pytest.mark.parametrize("game", names())
def test_p13_a_drilled_bot_is_told_each_turn_to_the_byte(game: str, tmp_path: Path) -> None:
    """Observation, events, legal actions and clock are those of the match, whatever it answers."""
    log = GOLDEN / game / "options.jsonl"
    path = tmp_path / "seen"
    done = drilled(tmp_path, log, 1, Command(tmp_path).bot("seen.py", SEEN), str(path))
    data, told = path.read_bytes(), []
    while data:
        end = 4 + int.from_bytes(data[:4], "big")
        told.append(data[4:end])
        data = data[end:]

    assert done["counts"]["differs"] > 0
    assert told == turns_told(log, 1)


@pytest.mark.parametrize("game", names())
def test_the_same_bot_answers_as_in_the_log(game: str, tmp_path: Path) -> None:
    """A bot without chance, drilled in the match that it played, gives no answer to look at."""
    referee = Command(tmp_path)
    seats = find(game).info.min_seats
    house = ["easy", "normal", "expert"][: max(seats, 3) - 1]
    played = referee.run("match", "--game", game, *house, FIRST, *short(find(game)), "--json")
    replay = tmp_path / json.loads(played.stdout)["replay"]
    done = referee.run("replay", "drill", str(replay), "--seat", str(len(house)), "--json")
    told = json.loads(done.stdout)
    own = [
        record.action
        for record in reader.read(replay).records
        if isinstance(record, ev.Act) and record.seat == len(house)
    ]

    assert told["ended"] == ""
    assert [row["answer"] for row in told["rows"]] == own
    assert told["counts"]["same"] == told["turns"] == len(own)
    assert all(0 < row["think"] < row["budget"] for row in told["rows"])


@pytest.mark.parametrize(
    ("bot", "verdict"), [("misbehaving/illegal", "illegal"), ("misbehaving/late", "late")]
)
def test_p5_a_fault_in_a_drill_is_named(bot: str, verdict: str, tmp_path: Path) -> None:
    """What the referee would refuse has its reason; what is late is so by the budget of the log."""
    log = _quick_match(tmp_path)
    told = drilled(tmp_path, log, 0, bot)
    found = [row for row in told["rows"] if row["verdict"] == verdict]

    assert found
    for row in found:
        assert (row["reason"] != "") == (verdict == "illegal")
        assert (row["think"] > row["budget"]) == (verdict == "late")


def test_t11_a_silent_bot_is_given_up(tmp_path: Path) -> None:
    """After three turns in a row without an answer the rest is not asked, and the line says so."""
    log = _quick_match(tmp_path)
    done = Command(tmp_path).run("replay", "drill", str(log), "--seat", "0", "--", "misbehaving/silent")

    assert done.returncode == 0
    assert ": 3 of " in done.stdout
    assert " 3 missing" in done.stdout
    assert "not asked: the bot answered none of the last 3 turns" in done.stdout


def test_u7_a_bot_that_crashes_in_a_drill_is_told_with_its_traceback(tmp_path: Path) -> None:
    """The turn at which it ended is missing, the rest is not asked, and its stderr stands there."""
    crash = (
        "from referee.bot import main\n"
        "def choose(turn):\n"
        "    if turn.turn_id == 3:\n"
        "        raise ValueError('third')\n"
        "    return turn.legal_actions[0]\n"
        "main(choose, games=['ding_niu'], version='1')\n"
    )
    told = drilled(tmp_path, GOLDEN / "ding_niu" / "plain.jsonl", 1, Command(tmp_path).bot("crash.py", crash))

    assert [row["verdict"] for row in told["rows"]][2:] == ["missing"]
    assert told["ended"] == "the bot exited with status 1"
    assert any("ValueError: third" in line for line in told["stderr"])


def test_a_bot_that_differs_hears_what_was_played_instead(tmp_path: Path) -> None:
    """It is `Rejected` with the action that the log has, as when a default action was played for it."""
    heard = (
        "import sys\n"
        "from referee.bot import main\n"
        "def on_rejected(told):\n"
        "    print(told.answered_turn_id, told.HasField('played_action'), told.reason, file=sys.stderr)\n"
        "def choose(turn):\n"
        "    return turn.legal_actions[-1]\n"
        "main(choose, games=['guan_pai'], version='1', on_rejected=on_rejected)\n"
    )
    log = GOLDEN / "guan_pai" / "options.jsonl"
    told = drilled(tmp_path, log, 2, Command(tmp_path).bot("heard.py", heard))
    (path,) = tmp_path.glob("output/drill-*/reports/*.err")
    lines = path.read_text("utf-8").splitlines()

    assert [line.split()[0] for line in lines] == [
        str(row["turn"]) for row in told["rows"] if row["verdict"] != "same"
    ]
    assert all(" True this is a drill: " in line for line in lines)


def test_m1_a_turn_that_was_lost_by_a_fault_is_asked_again(tmp_path: Path) -> None:
    """Where the log has a default action, a mended bot's answer differs from it, and the cause is told."""
    log = GOLDEN / "block_dominoes" / "faults.jsonl"
    defaults = {
        (record.seat, record.turn): record.cause
        for record in reader.read(log).records
        if isinstance(record, ev.Default) and record.turn
    }
    (seat, turn), cause = next(iter(defaults.items()))
    told = drilled(tmp_path, log, seat, FIRST)
    row = next(row for row in told["rows"] if row["turn"] == turn)

    assert row["cause"] == cause
    assert row["answer"]


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (("--seat", "7", "--", FIRST), 2, "seats 0 to 3"),
        (("--seat", "0"), 2, "was not launched here"),
        (("--seat", "0", "--", "nonesuch.py"), 2, "nonesuch.py"),
        (("--seat", "0", "--", "./hopeless.py"), 3, "No module named 'nonesuch'"),
        (("--seat", "0", "--", "./other.py"), 3, "it plays guan_pai, and not ding_niu"),
    ],
)
def test_u4_a_drill_that_cannot_start_says_why(
    words: tuple[str, ...], status: int, told: str, tmp_path: Path
) -> None:
    """Wrong usage is 2, a bot that does not come is 3, as everywhere; no traceback of the referee."""
    referee = Command(tmp_path)
    referee.bot("hopeless.py", "import nonesuch\n")
    referee.bot(
        "other.py", "from referee.bot import main\nmain(lambda t: 0, games=['guan_pai'], version='1')\n"
    )
    done = referee.run("replay", "drill", str(GOLDEN / "ding_niu" / "plain.jsonl"), *words)

    assert (done.returncode, told in done.stderr) == (status, True), done.stderr
    assert "/referee/cli/" not in done.stderr


def _quick_match(folder: Path) -> Path:
    """Plays a match whose turns are short, and not too few for any seat; returns its log."""
    words = ("match", FIRST, "easy", "normal", "expert", "--time", "300ms+0,bank=0", "--option", "target=10")
    done = Command(folder).run(*words, "--seed", "3", "--json")
    return folder / str(json.loads(done.stdout)["replay"])

"""`referee match` from the command line: real bots, a real server, real logs."""

import json
import re
import signal
from pathlib import Path
from typing import Any

import pytest

from referee.replay.reader import read
from referee.replay.verify import verify
from tests.e2e.commands import FIRST, HOPELESS, Command, eventually
from tests.patience import PATIENCE

HOUSE = ("easy", "normal", "expert")
SHORT = ("--option", "target=10")


@pytest.fixture
def referee(tmp_path: Path) -> Command:
    """Returns the command in an empty folder."""
    return Command(tmp_path)


def placements(output: str) -> list[dict[str, Any]]:
    """Returns the placements of a JSON result."""
    found: list[dict[str, Any]] = json.loads(output)["placements"]
    return found


def test_match_of_house_bots_and_a_file(referee: Command) -> None:
    """Four bots play, the result is JSON, the replay verifies, and no process is left."""
    mine = referee.bot("mybot.py", FIRST)

    done = referee.run("match", "--game", "block_dominoes", *HOUSE, mine, "--json")

    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    log = read(referee.folder / result["replay"])
    assert log.setup.match_id == result["match_id"]
    assert verify(log).ok
    assert result["termination"] == "completed"
    assert result["reports"] == []
    assert [place["bot"] for place in result["placements"]] == [*HOUSE, "mybot"]
    assert [place["seat"] for place in result["placements"]] == [0, 1, 2, 3]
    assert min(place["rank"] for place in result["placements"]) == 1
    expected = {"seat", "bot", "rank", "score", "points", "forfeited", "strikes", "faults"}
    assert all(set(place) == expected for place in result["placements"])
    assert referee.left() == []


def test_seed_repeats_the_match(referee: Command) -> None:
    """The same seed gives the same deals and the same choices of house bots, so the same result."""
    words = ("match", "easy", *HOUSE, "--seed", "7", "--option", "target=50", "--json")

    first, second = (referee.run(*words) for _ in range(2))

    assert placements(first.stdout)
    assert placements(first.stdout) == placements(second.stdout)
    assert [place["bot"] for place in placements(first.stdout)] == ["easy", "easy-2", "normal", "expert"]
    assert not read(referee.logs()[0]).setup.provable


def test_result_for_people(referee: Command) -> None:
    """Without --json there is a table, where the replay lies, and the command that plays it again."""
    done = referee.run("match", *HOUSE, "easy", "--seed", "3", *SHORT)

    assert done.returncode == 0
    assert done.stderr == ""
    assert re.search(r"easy-2", done.stdout)
    assert f"replay: {referee.logs()[0].relative_to(referee.folder)}" in done.stdout
    assert (
        "referee match --game block_dominoes easy normal expert easy --seed 3 --option target=10"
        in done.stdout
    )


def test_u4_typo_is_told_before_anything_starts(referee: Command) -> None:
    """A misspelt bot is one line with bot, path, folder and hint; nothing was made or started."""
    referee.bot("mybot.py", FIRST)

    done = referee.run("match", *HOUSE, "./mybto.py")

    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "bot ./mybto.py" in done.stderr
    assert f"working folder {referee.folder}" in done.stderr
    assert "did you mean ./mybot.py?" in done.stderr
    assert [path.name for path in referee.folder.iterdir()] == ["mybot.py"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--game", "block_domino", "easy"), "did you mean block_dominoes?"),
        (("easy", "normal"), "seats 4 bots, and not 2"),
        (("easy", "easy", "easy", "easy", "--option", "goal=5"), "no option 'goal'"),
        (("easy", "easy", "easy", "easy", "--option", "target"), "NAME=VALUE"),
        (("easy", "easy", "easy", "easy", "--time", "5"), "write it like 5s+0,bank=60s"),
    ],
)
def test_wrong_usage_is_one_line_and_status_2(words: tuple[str, ...], message: str, referee: Command) -> None:
    """What cannot be had is refused with what to do, and nothing is made."""
    done = referee.run("match", *words)

    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(referee.folder.iterdir()) == []


@pytest.mark.parametrize("encoding", ["ascii", "cp437"])
def test_u6_names_that_the_console_cannot_write(encoding: str, referee: Command) -> None:
    """A bot with an odd name plays, and a poor console shows its name in escapes."""
    odd = referee.bot("🤖 бот.py", FIRST)

    done = referee.run("match", *HOUSE, f"'{odd}'", *SHORT, PYTHONIOENCODING=encoding)

    assert done.returncode == 0, done.stderr
    assert r"\U0001f916" in done.stdout
    assert "Traceback" not in done.stderr


def test_u7_import_error_at_start(referee: Command) -> None:
    """A bot that cannot start ends the wait at once, with its exit status, stderr and command."""
    broken = referee.bot("broken.py", HOPELESS)
    words = ("match", *HOUSE, broken, "--time", "5s,join=1h")

    for_people = referee.run(*words)
    for_programs = referee.run(*words, "--json")

    assert for_people.returncode == for_programs.returncode == 3
    assert (
        "no match could start: broken never joined: it exited with status 1; what it printed: output/"
        in for_people.stderr
    )
    assert "ModuleNotFoundError: No module named 'nonesuch'" in for_people.stderr
    assert f"{referee.folder}/broken.py" in for_people.stderr
    assert "REFEREE_GAME=block_dominoes" in for_people.stderr
    assert "REFEREE_TOKEN" not in for_people.stderr
    result = json.loads(for_programs.stdout)
    assert (result["termination"], result["match_id"], result["replay"]) == ("no_show", None, None)
    assert [(report["bot"], report["exit"]["code"]) for report in result["reports"]] == [("broken", 1)]
    assert referee.logs() == []
    assert referee.left() == []


def test_d5_bot_that_crashes_in_the_match_is_reported(referee: Command) -> None:
    """A crash in the match costs its seat alone, and its author reads why."""
    done = referee.run("match", *HOUSE, "misbehaving/crash", *SHORT, "--json")

    assert done.returncode == 0, done.stderr
    assert placements(done.stdout)[3]["forfeited"]
    assert [report["bot"] for report in json.loads(done.stdout)["reports"]] == ["crash"]
    assert "bot crash exited by itself with" in done.stderr
    assert referee.left() == []


def test_u3_interrupt_voids_the_match_and_closes_its_log(referee: Command) -> None:
    """One interrupt: the log gets its end, the bots go, and the command to play again is printed."""
    with referee.start("match", *HOUSE, "misbehaving/silent", "--time", "1h") as running:
        eventually(lambda: referee.logs("*.part"))
        running.send_signal(signal.SIGINT)
        _, stderr = running.communicate(timeout=PATIENCE)

    assert running.returncode == 130
    assert "stopping, press again to force" in stderr
    assert "referee match --game block_dominoes easy normal expert misbehaving/silent --time 1h" in stderr
    assert "Traceback" not in stderr
    assert [read(path).end.termination for path in referee.logs()] == ["void"]  # type: ignore[union-attr]
    assert referee.logs("*.part") == []
    assert referee.left() == []


def test_data_folder_that_cannot_be_is_one_line(referee: Command) -> None:
    """A data root that cannot be made is told with what to do; no match could start."""
    (referee.folder / "file").touch()

    done = referee.run("match", *HOUSE, "easy", "--data", "file/data")

    assert done.returncode == 3
    assert "name another folder with --data" in done.stderr
    assert done.stderr.count("\n") == 1


def test_u3_second_interrupt_stops_at_once(referee: Command) -> None:
    """The second interrupt ends the command without waiting for bots that will not go."""
    deaf = referee.bot(
        "deaf.py",
        "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: time.sleep(1)\n",
    )
    with referee.start("match", deaf, deaf, deaf, deaf, "--time", "1h") as running:
        eventually(lambda: len(referee.left()) >= 6)
        running.send_signal(signal.SIGINT)
        assert running.stderr is not None
        assert "stopping, press again to force" in running.stderr.readline()
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=PATIENCE)

    assert running.returncode == 130
    eventually(lambda: not referee.left())


def test_k15_named_bots_keep_their_ids_in_any_order(referee: Command) -> None:
    """A name makes the id; without one another command is another owner, whatever the order."""
    (referee.folder / "a").mkdir()
    one, other = referee.bot("bot.py", FIRST), referee.bot("a/bot.py", FIRST)
    words = ("match", "easy", *SHORT, "--json")
    for bots in ((one, other, f"mine={one}"), (other, f"mine={one}", one)):
        assert referee.run(*words, *bots).returncode == 0

    first, second = ({seat.bot: seat for seat in read(path).setup.seats} for path in referee.logs())
    assert set(first) == set(second)
    assert first["mine/mine"].name == "mine"
    assert {seat.name for seat in first.values()} == {"easy", "bot", "bot-2", "mine"}
    assert len({seat.owner for seat in first.values()}) == 4
    assert read(referee.logs()[0]).setup.rated


@pytest.mark.parametrize(
    ("bots", "message"),
    [
        (("Easy=./bot.py",), "the name of a house bot"),
        (("a=./bot.py", "A=./bot.py -x"), "another command has this name"),
    ],
)
def test_k15_names_that_would_mislead_are_refused(
    bots: tuple[str, ...], message: str, referee: Command
) -> None:
    """Nobody gets the name of a house bot, and no two commands get one name."""
    referee.bot("bot.py", FIRST)

    done = referee.run("match", *("easy", "normal", "expert", "easy")[len(bots) :], *bots)

    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_unrated_matches_stay_out_of_the_standings(referee: Command) -> None:
    """The log says that the match is not rated, and the command to play it again says so too."""
    done = referee.run("match", *HOUSE, "misbehaving/illegal", *SHORT, "--unrated")

    assert done.returncode == 0, done.stderr
    assert not read(referee.logs()[0]).setup.rated
    assert "--option target=10 --unrated\n" in done.stdout
    (output,) = referee.folder.glob("output/*/*-illegal.txt")
    assert f"what illegal printed: {output.relative_to(referee.folder)}\n" in done.stdout
    assert "what easy printed" not in done.stdout


def test_d5_an_exit_in_the_match_is_told_at_once(referee: Command) -> None:
    """While the match goes on a line says who left, how, and where its output lies."""
    raiser = referee.bot("raiser.py", FIRST.replace("turn.legal_actions[0]", "1 / 0"))
    with referee.start("match", "misbehaving/slow", *HOUSE[1:], raiser, "--time", "1h") as running:
        assert running.stderr is not None
        line = running.stderr.readline()
        alive = running.poll() is None
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=PATIENCE)

    (output,) = referee.folder.glob("output/*/*-raiser.txt")
    assert line == (
        f"bot raiser exited with status 1; what it printed: {output.relative_to(referee.folder)}\n"
    )
    assert alive


def test_a_bot_of_another_game_is_told_at_once(referee: Command) -> None:
    """Nobody waits for a bot that is here and does not play the game."""
    other = referee.bot("other.py", FIRST.replace("block_dominoes", "dominoes"))

    done = referee.run("match", *HOUSE, other, "--time", "5s,join=1h")

    assert done.returncode == 3
    assert "other plays dominoes, not block_dominoes" in done.stderr


def test_u3_an_interrupted_match_blames_nobody(referee: Command) -> None:
    """The result says that it was interrupted; no bot is reported, and nothing is given up as played."""
    with referee.start("match", *HOUSE, "misbehaving/silent", "--time", "1h") as running:
        eventually(lambda: referee.logs("*.part"))
        running.send_signal(signal.SIGINT)
        stdout, stderr = running.communicate(timeout=PATIENCE)

    assert "void: interrupted" in stdout
    assert "to play it again: " in stderr
    assert "bot " not in stderr

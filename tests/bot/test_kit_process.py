"""The bot kit as a process: environment, signals, errors, imports."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from referee.v1 import play_service_pb2 as play
from tests.bot.scripted_referee import (
    PATIENCE,
    Requests,
    ScriptedReferee,
    goodbye,
    heard,
    hung_up,
    say,
    turn,
    welcome,
)

BOT = """
from referee.bot import main
def choose(turn):
    {body}
main(choose, games=["block_dominoes"])
"""


def launch(address: str, tmp_path: Path, body: str, *argv: str) -> subprocess.Popen[str]:
    """Starts a bot of one line as a process."""
    script = tmp_path / "bot.py"
    script.write_text(BOT.format(body=body))
    environment = {**os.environ, "REFEREE_ADDRESS": address, "REFEREE_TOKEN": "secret"}
    return subprocess.Popen(
        [sys.executable, str(script), *argv], env=environment, stderr=subprocess.PIPE, text=True
    )


def test_a_bot_that_raises_ends_with_its_traceback(tmp_path: Path) -> None:
    """An error in choose ends the process with a status and a traceback that names the turn."""

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        heard(requests, "hello")
        yield say(welcome(), turn("match-1", 3, 0x11))
        assert hung_up(requests)

    with ScriptedReferee(script) as referee:
        bot = launch(referee.address, tmp_path, "return turn.no_such_thing")
        _, stderr = bot.communicate(timeout=PATIENCE)
    assert bot.returncode == 1
    assert "AttributeError: 'Turn' object has no attribute 'no_such_thing'" in stderr
    assert "match match-1, seat 0, turn 3" in stderr


def test_no_answer_at_all_is_an_error(tmp_path: Path) -> None:
    """A choose that forgets to return ends the process by name instead of going silent."""

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        heard(requests, "hello")
        yield say(welcome(), turn("m", 1, 0x11))
        assert hung_up(requests)

    with ScriptedReferee(script) as referee:
        bot = launch(referee.address, tmp_path, "turn.legal_actions[0]")
        _, stderr = bot.communicate(timeout=PATIENCE)
    assert bot.returncode == 1
    assert "TypeError: None is no answer" in stderr


def test_command_line_and_environment(tmp_path: Path) -> None:
    """Address and token come from the environment, the command line wins."""
    hellos: list[play.Hello] = []

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        hellos.extend(heard(requests, "hello"))
        yield say(welcome(), goodbye())

    with ScriptedReferee(script) as referee:
        argv = ("--server", referee.address, "--instance", "left", "--matches", "5")
        bot = launch("127.0.0.1:1", tmp_path, "return 0", *argv)
        bot.communicate(timeout=PATIENCE)
    assert bot.returncode == 0
    assert referee.authorizations == ["Bearer secret"]
    assert [(hello.instance_id, hello.matches_at_once) for hello in hellos] == [("left", 5)]


def test_a_missing_address_is_explained(tmp_path: Path) -> None:
    """Without an address the bot says in one line what to do."""
    bot = launch("", tmp_path, "return 0")
    _, stderr = bot.communicate(timeout=PATIENCE)
    assert bot.returncode == 1
    assert stderr == "bot: REFEREE_ADDRESS is not set; set it, or give --server HOST:PORT\n"


def test_sigterm_is_a_leave(tmp_path: Path) -> None:
    """After SIGTERM the bot asks to leave, goes on answering, and ends with status 0 when let go."""

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        heard(requests, "hello")
        yield say(welcome())
        bot.send_signal(signal.SIGTERM)
        heard(requests, "leave")
        yield say(turn("m", 1, 0x11))
        heard(requests, "act")
        yield say(goodbye())

    with ScriptedReferee(script) as referee:
        bot = launch(referee.address, tmp_path, "return 0")
        _, stderr = bot.communicate(timeout=PATIENCE)
    assert (bot.returncode, stderr) == (0, "")


def test_a_second_signal_ends_at_once(tmp_path: Path) -> None:
    """A second signal ends the process without waiting for the referee, even inside choose."""

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        heard(requests, "hello")
        yield say(welcome())
        bot.send_signal(signal.SIGTERM)
        heard(requests, "leave")
        yield say(turn("m", 1, 0x11))
        bot.send_signal(signal.SIGTERM)
        assert hung_up(requests)

    with ScriptedReferee(script) as referee:
        bot = launch(referee.address, tmp_path, "import time; time.sleep(3600)")
        bot.communicate(timeout=PATIENCE)
    assert bot.returncode == -signal.SIGTERM


def test_sigterm_without_a_referee(tmp_path: Path) -> None:
    """A bot that finds nobody says so once, and leaves at the first signal."""
    bot = launch("127.0.0.1:1", tmp_path, "return 0")
    assert bot.stderr is not None
    line = bot.stderr.readline()
    bot.send_signal(signal.SIGTERM)
    _, rest = bot.communicate(timeout=PATIENCE)
    assert "127.0.0.1:1" in line
    assert "trying again" in line
    assert (bot.returncode, rest) == (0, "")


def test_the_kit_imports_little() -> None:
    """Importing the kit brings in nothing of the package but errors-free stubs, and no big library."""
    program = "import sys, referee.bot, referee.bot.tiles; print(*sorted(sys.modules))"
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    modules = out.split()
    ours = {name for name in modules if name.split(".")[0] == "referee"}
    stubs = ("referee.v1", "referee.bot")
    assert {name for name in ours if not name.startswith(stubs)} == {"referee"}
    big = {"typer", "rich", "sqlalchemy", "msgspec", "structlog", "openskill", "numpy", "uvloop"}
    assert big.isdisjoint(modules)

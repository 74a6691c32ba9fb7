"""The bot kit as a process: environment, signals, errors, imports."""

import os
import pty
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import grpc

import referee as package
from referee.v1 import fault_pb2, match_pb2
from referee.v1 import play_service_pb2 as play
from tests.bot.scripted_referee import (
    Refusal,
    Requests,
    ScriptedReferee,
    ended,
    goodbye,
    heard,
    hung_up,
    say,
    started,
    turn,
    welcome,
)
from tests.patience import PATIENCE

BOT = """
from referee.bot import main
def choose(turn):
    {body}
main(choose, games=["block_dominoes"])
"""


def launch(
    address: str, tmp_path: Path, body: str, *argv: str, stderr: int = subprocess.PIPE, **more: str
) -> subprocess.Popen[str]:
    """Starts a bot of one line as a process."""
    script = tmp_path / "bot.py"
    script.write_text(BOT.format(body=body))
    environment = {**os.environ, "REFEREE_ADDRESS": address, "REFEREE_TOKEN": "secret", **more}
    return subprocess.Popen([sys.executable, str(script), *argv], env=environment, stderr=stderr, text=True)


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


def test_bots_that_raise_end_whatever_is_under_way(tmp_path: Path) -> None:
    """Ten bots that raise while the referee goes on telling all end with status and traceback."""

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        heard(requests, "hello")
        yield say(welcome(), started("m"))
        heard(requests, "ready")
        yield say(turn("m", 1, 0x11))
        yield say(turn("m", 2, 0x11))
        assert hung_up(requests)

    folders = [tmp_path / str(number) for number in range(10)]
    for folder in folders:
        folder.mkdir()
    with ScriptedReferee(*[script] * 10) as referee:
        bots = [launch(referee.address, folder, "raise RuntimeError('as ordered')") for folder in folders]
        ends = [(bot.communicate(timeout=PATIENCE)[1], bot.returncode) for bot in bots]
    assert [status for _, status in ends] == [1] * 10
    assert all("RuntimeError: as ordered" in stderr for stderr, _ in ends)


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


def test_arguments_of_the_bots_own_are_left_to_it(tmp_path: Path) -> None:
    """Options that the kit does not know are no error, and the bot finds them in sys.argv."""

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        assert heard(requests, "hello")[0].instance_id == "left"
        yield say(welcome(), turn("m", 1, 0x11))
        assert heard(requests, "act")[0].index == 3
        yield say(goodbye())

    with ScriptedReferee(script) as referee:
        body = 'import sys; return int(sys.argv[sys.argv.index("--in") + 1])'
        bot = launch(referee.address, tmp_path, body, "--in", "3", "--instance", "left", "more")
        _, stderr = bot.communicate(timeout=PATIENCE)
    assert (bot.returncode, stderr) == (0, "")


def one_match(requests: Requests) -> Iterator[play.PlayResponse]:
    """Plays a match in which the bot comes second, and a void one."""
    heard(requests, "hello")
    yield say(welcome(), started("m", seat=1))
    heard(requests, "ready")
    over = ended("m")
    for seat, rank in enumerate((1, 2)):
        over.match_ended.placements.add(seat=seat, rank=rank, score=100 - 60 * seat, forfeited=seat == 1)
    over.match_ended.faults.add(kind=fault_pb2.FAULT_KIND_LATE, fault_count=5)
    void = ended("n")
    void.match_ended.termination = match_pb2.TERMINATION_VOID
    yield say(over, void, goodbye())


TOLD = """\
bot: connected to {} as bot
bot: match m: completed, place 2 of 2, score 40, forfeited, late 5
bot: match n: void
"""


def test_verbose_tells_of_the_connection_and_of_each_match(tmp_path: Path) -> None:
    """With --verbose the bot says where it is connected and how its matches ended."""
    with ScriptedReferee(one_match) as referee:
        bot = launch(referee.address, tmp_path, "return 0", "--verbose")
        _, stderr = bot.communicate(timeout=PATIENCE)
    assert (bot.returncode, stderr) == (0, TOLD.format(referee.address))


def test_without_a_terminal_the_bot_tells_nothing(tmp_path: Path) -> None:
    """A bot whose stderr is a file or a pipe, as that of a launched one, prints nothing of its own."""
    with ScriptedReferee(one_match) as referee:
        bot = launch(referee.address, tmp_path, "return 0")
        _, stderr = bot.communicate(timeout=PATIENCE)
    assert (bot.returncode, stderr) == (0, "")


def test_on_a_terminal_the_bot_tells_what_verbose_tells(tmp_path: Path) -> None:
    """A person who starts the bot in a terminal sees that it works without asking for it."""
    master, terminal = pty.openpty()
    with ScriptedReferee(one_match) as referee:
        bot = launch(referee.address, tmp_path, "return 0", stderr=terminal)
        assert bot.wait(PATIENCE) == 0
    os.close(terminal)
    told = b""
    with suppress(OSError):  # so Linux says that the last process has closed the terminal
        while data := os.read(master, 4096):
            told += data
    os.close(master)
    assert told.decode().replace("\r\n", "\n") == TOLD.format(referee.address)


def test_a_server_that_stops_is_told_of_when_it_is_gone(tmp_path: Path) -> None:
    """A Goodbye of a draining server is no news; that nobody is there afterwards is told."""
    sent_away = threading.Event()

    def draining(requests: Requests) -> Iterator[play.PlayResponse]:
        with suppress(grpc.RpcError):  # of a bot that comes once more while the server ends
            next(requests)
            yield say(welcome(), goodbye(play.GOODBYE_REASON_DRAINING, "the server stops"))
            sent_away.set()
        raise Refusal(grpc.StatusCode.UNAVAILABLE, "the server stops")

    with ScriptedReferee(*[draining] * 1000) as referee:
        bot = launch(referee.address, tmp_path, "return 0")
        assert sent_away.wait(PATIENCE)
    assert bot.stderr is not None
    line = bot.stderr.readline()
    bot.send_signal(signal.SIGTERM)
    _, rest = bot.communicate(timeout=PATIENCE)
    assert "the server stops" not in line
    assert line.endswith("; trying again, at least every 5 s\n")
    assert (bot.returncode, rest) == (0, "")


def test_a_missing_address_is_explained(tmp_path: Path) -> None:
    """Without an address the bot says in one line what to do."""
    bot = launch("", tmp_path, "return 0")
    _, stderr = bot.communicate(timeout=PATIENCE)
    assert bot.returncode == 2
    assert stderr == "bot: REFEREE_ADDRESS is not set; set it, or give --server HOST:PORT\n"


def test_a_keepalive_that_is_no_time_is_explained(tmp_path: Path) -> None:
    """An option or a variable that is no time ends the bot with status 2 and says what it should be."""
    bot = launch("127.0.0.1:1", tmp_path, "return 0", "--keepalive", "0")
    _, stderr = bot.communicate(timeout=PATIENCE)
    assert bot.returncode == 2
    assert "argument --keepalive: invalid seconds value: '0'" in stderr
    bot = launch("127.0.0.1:1", tmp_path, "return 0", REFEREE_KEEPALIVE="often")
    _, stderr = bot.communicate(timeout=PATIENCE)
    assert bot.returncode == 2
    assert stderr == "bot: REFEREE_KEEPALIVE is 'often'; set it to the seconds between two pings\n"


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


def test_a_signal_wakes_a_bot_that_waits(tmp_path: Path) -> None:
    """A signal that does not end the wait for the network is a leave at once, not at the next frame.

    So does one that comes just before that wait. Here another thread takes it, to the same effect.
    """

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        heard(requests, "hello")
        yield say(welcome(), turn("m", 1, 0x11))
        heard(requests, "act")
        heard(requests, "leave")
        yield say(goodbye())

    body = """
    import signal, threading, time
    def hear():
        time.sleep(0.3)
        signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
    threading.Thread(target=hear).start()
    return 0"""
    with ScriptedReferee(script) as referee:
        bot = launch(referee.address, tmp_path, body)
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


def without_packages(tmp_path: Path, program: str) -> "subprocess.CompletedProcess[str]":
    """Runs a program with a Python that finds the source tree and no installed package."""
    (tmp_path / "referee").symlink_to(Path(package.__file__).parent)
    find = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {program}"
    command = [sys.executable, "-I", "-S", "-c", find]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_source_tree_that_is_not_installed_can_be_imported(tmp_path: Path) -> None:
    """A Python that finds the source folder, but no installed package, imports it as a version unknown."""
    done = without_packages(tmp_path, "import referee; print(referee.__version__)")
    assert (done.stdout, done.stderr) == ("0+unknown\n", "")


def test_a_python_without_grpc_is_told_which_one_to_use(tmp_path: Path) -> None:
    """A bot that is started with the wrong Python ends with the missing module and what to do."""
    done = without_packages(tmp_path, "import referee.bot")
    assert done.stderr.splitlines()[-2:] == [
        "ModuleNotFoundError: No module named 'grpc'",
        "start the bot with a Python that has the referee; in a clone that is .venv/bin/python",
    ]

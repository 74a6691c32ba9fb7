"""Each misbehaving bot, as a process, against a scripted referee: decent first, then its sin."""

import importlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from referee.v1 import fault_pb2
from referee.v1 import play_service_pb2 as play
from tests.bot.scripted_referee import (
    Requests,
    Script,
    ScriptedReferee,
    goodbye,
    heard,
    hung_up,
    rejected,
    say,
    started,
    turn,
    welcome,
)
from tests.patience import PATIENCE

FOLDER = Path(__file__).parents[2] / "sample_bots" / "misbehaving"


def start(name: str, *options: str, address: str) -> subprocess.Popen[bytes]:
    """Starts a bot that dials an address."""
    environment = {**os.environ, "REFEREE_ADDRESS": address, "REFEREE_TOKEN": "secret"}
    command = [sys.executable, str(FOLDER / f"{name}.py"), *options]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, start_new_session=True)


@contextmanager
def misbehaving(name: str, *options: str, script: Script) -> Iterator[subprocess.Popen[bytes]]:
    """Starts a bot against the script; kills it at the end if it still lives."""
    with ScriptedReferee(script) as referee, start(name, *options, address=referee.address) as bot:
        try:
            yield bot
        finally:
            bot.kill()


def after_a_decent_turn(then: Callable[[Requests], Iterator[play.PlayResponse]]) -> Script:
    """Returns a script that sees a decent turn 1, asks turn 2 and goes on with `then`."""

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        heard(requests, "hello")
        yield say(welcome(), started("m"))
        heard(requests, "ready")
        yield say(turn("m", 1, 0x25, 0x66))
        assert next_act(requests) == (1, 0)
        yield say(turn("m", 2, 0x25, 0x66))
        yield from then(requests)
        yield say(goodbye())

    return script


def next_act(requests: Requests) -> tuple[int, Any]:
    """Returns turn and answer of the act that comes next."""
    (act,) = heard(requests, "act")
    return act.turn_id, getattr(act, act.WhichOneof("answer"))


def played(name: str, then: Callable[[Requests], Iterator[play.PlayResponse]], *options: str) -> int:
    """Returns the status of a bot whose sin begins at its second question."""
    with misbehaving(name, "--at", "2", *options, script=after_a_decent_turn(then)) as bot:
        bot.communicate(timeout=PATIENCE)
    return bot.returncode


def test_m10_illegal_plays_what_it_does_not_hold_until_its_sins_are_spent() -> None:
    """Illegal names a tile outside its (here empty) hand, obstinately, and then plays legally."""

    def then(requests: Requests) -> Iterator[play.PlayResponse]:
        for left in (2, 1):
            turn_id, action = next_act(requests)
            assert (turn_id, action.block_dominoes.tile) == (2, 0x00)
            yield say(rejected("m", 2, fault_pb2.FAULT_KIND_ILLEGAL, retries_left=left))
        assert next_act(requests) == (2, 0)

    assert played("illegal", then, "--times", "2") == 0


def test_m9_stale_answers_the_turn_before_and_then_the_right_one() -> None:
    """Stale names turn 1 when turn 2 is asked, and turn 2 after the refusal."""

    def then(requests: Requests) -> Iterator[play.PlayResponse]:
        assert next_act(requests)[0] == 1
        refusal = rejected("m", 2, fault_pb2.FAULT_KIND_STALE)
        refusal.rejected.answered_turn_id = 1
        yield say(refusal)
        assert next_act(requests) == (2, 0)

    assert played("stale", then, "--back", "1") == 0


def test_m6_pipeline_answers_three_turns_at_once() -> None:
    """Pipeline sends acts for this turn and the two after it."""

    def then(requests: Requests) -> Iterator[play.PlayResponse]:
        assert [next_act(requests)[0] for _ in range(3)] == [2, 3, 4]
        yield from ()

    assert played("pipeline", then) == 0


@pytest.mark.parametrize(("kind", "index"), [("same", 0), ("different", 1)])
def test_dup_answers_twice(kind: str, index: int) -> None:
    """Dup answers a turn legally and then once more."""

    def then(requests: Requests) -> Iterator[play.PlayResponse]:
        assert [next_act(requests) for _ in range(2)] == [(2, 0), (2, index)]
        yield from ()

    assert played("dup", then, "--kinds", kind) == 0


def test_m3_meddler_acts_when_others_do() -> None:
    """Meddler answers an event of another seat with an act for a turn that it was not asked."""

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        (hello,) = heard(requests, "hello")
        assert hello.event_delivery == play.EVENT_DELIVERY_AT_ONCE
        yield say(welcome(), started("m"))
        heard(requests, "ready")
        yield say(turn("m", 1, 0x25))
        assert next_act(requests) == (1, 0)
        event = play.PlayResponseFrame()
        event.event.match_id, event.event.seat = "m", 1
        yield say(event)
        assert next_act(requests) == (2, 0)
        yield say(goodbye())

    with misbehaving("meddler", script=script) as bot:
        bot.communicate(timeout=PATIENCE)
    assert bot.returncode == 0


def test_t3_late_answers_legally_past_its_time() -> None:
    """Late sends a legal answer; here its time is 2.5 s and the factor makes that short."""

    def then(requests: Requests) -> Iterator[play.PlayResponse]:
        assert next_act(requests) == (2, 0)
        yield from ()

    assert played("late", then, "--factor", "0.01") == 0


def test_crash_ends_with_a_traceback() -> None:
    """Crash raises at its question, with a status and a traceback."""

    def then(requests: Requests) -> Iterator[play.PlayResponse]:
        assert hung_up(requests)
        yield from ()

    with misbehaving("crash", "--at", "2", script=after_a_decent_turn(then)) as bot:
        _, stderr = bot.communicate(timeout=PATIENCE)
    assert bot.returncode == 1
    assert b"RuntimeError: crash, as ordered, at turn 2" in stderr


def test_crash_ends_whatever_is_under_way() -> None:
    """Ten bots that crash while an act is being sent and more is told all end with status and traceback."""

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        heard(requests, "hello")
        event = play.PlayResponseFrame()
        event.event.match_id = "m"
        yield say(welcome(), turn("m", 1, 0x25), event)
        yield say(event)
        while not hung_up(requests):
            pass

    with ScriptedReferee(*[script] * 10) as referee:
        bots = [start("crash", "--on", "event", address=referee.address) for _ in range(10)]
        ends = [(bot.communicate(timeout=PATIENCE)[1], bot.returncode) for bot in bots]
    assert [status for _, status in ends] == [1] * 10
    assert all(b"RuntimeError: crash, as ordered, on event" in stderr for stderr, _ in ends)


LOCKED = """
import threading, raw
stream = raw.Stream(raw.parser(None).parse_args(["--server", "127.0.0.1:1"]))
holder = threading.Thread(target=stream._call._state.condition.acquire)
holder.start()
holder.join()
print("told")
{end}
"""


@pytest.mark.parametrize(("end", "status", "last"), [("", 0, ""), ("raise RuntimeError('end')", 1, "end\n")])
def test_a_lock_that_grpc_left_behind_keeps_no_bot_alive(end: str, status: int, last: str) -> None:
    """A bot leaves with its status and all its output though a stopped thread holds the lock of its call."""
    command = [sys.executable, "-c", LOCKED.format(end=end)]
    bot = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (bot.returncode, bot.stdout) == (status, "told\n")
    assert bot.stderr.endswith(last)
    assert bool(bot.stderr) == bool(last)


def test_d11_chatty_prints_what_it_promises() -> None:
    """Chatty fills both of its outputs, here with 3 MB each, and plays on."""

    def then(requests: Requests) -> Iterator[play.PlayResponse]:
        assert next_act(requests) == (2, 0)
        yield from ()

    with misbehaving("chatty", "--at", "2", "--megabytes", "3", script=after_a_decent_turn(then)) as bot:
        stdout, stderr = bot.communicate(timeout=PATIENCE)
    assert min(len(stdout), len(stderr)) >= 3 << 20


def test_d16_flood_is_many_acts_beside_legal_ones() -> None:
    """Flood sends acts for an old turn without end."""

    def then(requests: Requests) -> Iterator[play.PlayResponse]:
        acts = [next_act(requests) for _ in range(500)]
        assert (2, 0) in acts
        assert acts.count((1, "flood")) >= 499
        yield from ()

    assert played("flood", then) == 0


def test_d6_hang_on_term_outlives_sigterm() -> None:
    """Hang_on_term is alive after a SIGTERM and after the end of its stream."""

    def then(requests: Requests) -> Iterator[play.PlayResponse]:
        bot.send_signal(signal.SIGTERM)
        assert next_act(requests) == (2, 0)
        yield from ()
        told_to_go.set()

    told_to_go = threading.Event()
    with misbehaving("hang_on_term", script=after_a_decent_turn(then)) as bot:
        assert told_to_go.wait(PATIENCE)
        with pytest.raises(subprocess.TimeoutExpired):
            bot.wait(0.5)
        bot.kill()
        assert bot.wait(PATIENCE) == -signal.SIGKILL


def test_unicode_has_odd_names() -> None:
    """Unicode says a version and an instance outside ASCII, and prints bytes that are no text."""
    names: list[str] = []

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        (hello,) = heard(requests, "hello")
        names.extend((hello.bot_version, hello.instance_id))
        yield say(welcome(), turn("m", 1, 0x25))
        assert next_act(requests) == (1, 0)
        yield say(goodbye())

    with misbehaving("unicode", script=script) as bot:
        _, stderr = bot.communicate(timeout=PATIENCE)
    assert bot.returncode == 0
    assert not any(name.isascii() for name in names)
    with pytest.raises(UnicodeDecodeError):
        stderr.decode()


def raw_acts(monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """Returns what garbage sends, by kind."""
    monkeypatch.syspath_prepend(str(FOLDER))
    garbage = importlib.import_module("garbage")  # a script: its folder is on the path only now
    question = turn("m", 7, 0x25).turn
    return {kind: make(question) for kind, make in garbage.KINDS.items()}


def test_m2_garbage_is_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each kind of garbage is malformed in its own way, and no more than that."""
    sent = raw_acts(monkeypatch)
    read = play.PlayRequest.FromString
    assert sent["empty"] == b""
    assert read(sent["no_answer"]).frames[0].act.WhichOneof("answer") is None
    assert read(sent["empty_action"]).frames[0].act.action.WhichOneof("game") is None
    unknown_end = read(sent["unknown_enum"]).frames[0].act
    assert (unknown_end.turn_id, unknown_end.action.block_dominoes.tile) == (7, 0x25)
    assert unknown_end.action.block_dominoes.end == 99
    assert read(sent["negative_index"]).frames[0].act.index == -1
    assert sent["index_2_31"].endswith(b"\x80" * 4 + b"\x08")
    assert sent["index_2_63"].endswith(b"\x80" * 9 + b"\x01")
    for kind in ("unset_frame", "unknown_frame"):
        assert read(sent[kind]).frames[0].WhichOneof("frame") is None
    for kind in ("invalid_utf8", "random"):
        with pytest.raises(Exception, match=r"(?i)pars|decod|utf"):
            read(sent[kind])

"""What the sample bots of all languages do alike in a session, against a referee that the test plays."""

import signal
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import grpc
import pytest

from referee.v1 import fault_pb2, match_pb2
from referee.v1 import play_service_pb2 as play
from tests.bot import certificates
from tests.bot.scripted_referee import (
    Refusal,
    Requests,
    Script,
    ScriptedReferee,
    ended,
    goodbye,
    heard,
    hung_up,
    rejected,
    say,
    started,
    turn,
    welcome,
)
from tests.e2e.commands import eventually
from tests.e2e.languages import BUILD_LIMIT
from tests.e2e.launcher import Launcher

pytestmark = pytest.mark.timeout(BUILD_LIMIT + 120)

PING = play.PlayResponseFrame(ping=play.Ping(ping_id=2**40))
FIRST_PAUSE = {"python": 0.1}
"""Seconds of the first pause before a bot comes back, where it is not half a second."""


def last_word(reason: play.GoodbyeReason.ValueType, code: grpc.StatusCode | None = None) -> Script:
    """Returns a script that ends the stream for a reason, with a status."""

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        heard(requests, "hello")
        yield say(welcome())
        yield say(goodbye(reason, "you know why"))
        if code is not None:
            raise Refusal(code, "it is over")

    return script


def refusal(code: grpc.StatusCode) -> Script:
    """Returns a script that refuses the stream with a status."""

    def script(_: Requests) -> Iterator[play.PlayResponse]:
        raise Refusal(code, "not this one")
        yield

    return script


def readies(requests: Requests, count: int) -> list[play.Ready]:
    """Returns so many `Ready`, which may come one by one."""
    found: list[play.Ready] = []
    while len(found) < count:
        found += heard(requests, "ready")
    return found


def test_it_says_what_it_is_and_plays_several_matches(launch: Launcher) -> None:
    """The first frame is a `Hello` with all that was agreed; all turns of a message are answered in one."""
    hellos: list[play.Hello] = []

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        hellos.extend(heard(requests, "hello"))
        yield say(welcome(), started("a"), started("b"))
        ready = readies(requests, 2)
        assert [(each.match_id, len(each.entropy)) for each in ready] == [("a", 16), ("b", 16)]
        yield say(turn("a", 1, 0x25, 0x66, 0x12), turn("b", 4, 0x11))
        acts = heard(requests, "act")
        answers = [(act.match_id, act.turn_id, act.action.block_dominoes.tile) for act in acts]
        assert answers == [("a", 1, 0x66), ("b", 4, 0x11)]
        yield say(PING)
        assert [pong.ping_id for pong in heard(requests, "pong")] == [2**40]
        yield say(goodbye())

    with ScriptedReferee(script) as referee:
        assert launch(referee.address).wait() == 0
    (hello,) = hellos
    assert (hello.protocol_version, hello.bot_version, hello.matches_at_once) == (1, "1", 8)
    assert list(hello.games) == ["block_dominoes", "guan_pai", "mexican_train", "ding_niu"]
    assert hello.event_delivery == play.EVENT_DELIVERY_NONE
    assert len(hello.instance_id) == 16
    assert referee.authorizations == ["Bearer secret"]


def test_m1_a_refused_answer_is_followed_by_the_first_action(launch: Launcher) -> None:
    """An open turn whose answer was illegal or malformed is answered anew, by index; no other refusal is."""
    late = rejected("a", 2, fault_pb2.FAULT_KIND_LATE)
    late.rejected.played_action.block_dominoes.tile = 0x66
    spent = rejected("a", 2, fault_pb2.FAULT_KIND_ILLEGAL)
    spent.rejected.played_action.block_dominoes.tile = 0x66
    stale = rejected("a", 2, fault_pb2.FAULT_KIND_STALE)
    stale.rejected.answered_turn_id = 1
    unknown = rejected("a", 2, 99)
    nobody = play.PlayResponseFrame(rejected=play.Rejected(match_id="a", fault=fault_pb2.FAULT_KIND_ILLEGAL))

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        heard(requests, "hello")
        yield say(welcome(), started("a"), started("b"))
        readies(requests, 2)
        for number, fault in enumerate((fault_pb2.FAULT_KIND_ILLEGAL, fault_pb2.FAULT_KIND_MALFORMED), 1):
            yield say(turn("a", number, 0x25, 0x66))
            assert heard(requests, "act")[0].HasField("action")
            yield say(rejected("a", number, fault, reason="no such tile"))
            (act,) = heard(requests, "act")
            assert (act.match_id, act.turn_id) == ("a", number)
            assert act.WhichOneof("answer") == "index"
            assert act.index == 0
        yield say(late, spent, stale, unknown, nobody, PING)
        assert [pong.ping_id for pong in heard(requests, "pong")] == [2**40]
        yield say(goodbye())

    with ScriptedReferee(script) as referee:
        bot = launch(referee.address)
        assert bot.wait() == 0
    told = [line for line in bot.lines() if "no such tile" in line]
    assert ["ILLEGAL" in line.upper() for line in told] == [True, False]


def test_what_it_does_not_know_is_skipped(launch: Launcher) -> None:
    """Frames and fields from later versions of the contract change nothing in what it does."""
    field = b"\xba\x3e\x05later"  # number 999, five bytes
    frame = play.PlayResponseFrame.FromString(field)
    question = turn("a", 1, 0x25)
    question.turn.MergeFromString(field)
    question.turn.legal_actions[0].block_dominoes.MergeFromString(field)

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        heard(requests, "hello")
        yield say(frame)
        yield say(frame, welcome(), frame, started("a"), frame)
        assert [ready.match_id for ready in heard(requests, "ready")] == ["a"]
        yield say(frame, question, play.PlayResponseFrame(redirect=play.Redirect(endpoint="elsewhere:1")))
        assert [act.action.block_dominoes.tile for act in heard(requests, "act")] == [0x25]
        yield say(play.PlayResponseFrame(event=play.PlayResponseFrame().event), PING)
        heard(requests, "pong")
        yield say(goodbye())

    with ScriptedReferee(script) as referee:
        assert launch(referee.address).wait() == 0


def test_d8_it_comes_back_as_the_same_instance(launch: Launcher) -> None:
    """A stream that may be opened again is, by the same instance, and what is told again is answered."""
    instances: list[str] = []

    def stream(*frames: play.PlayResponseFrame, code: grpc.StatusCode | None = None) -> Script:
        def script(requests: Requests) -> Iterator[play.PlayResponse]:
            instances.extend(hello.instance_id for hello in heard(requests, "hello"))
            yield say(welcome(), started("a"), turn("a", 3, 0x25))
            said: set[str | None] = set()
            while said < {"ready", "act"}:
                said |= {answer.WhichOneof("frame") for answer in next(requests).frames}
            assert said == {"ready", "act"}
            yield say(*frames)
            if code is not None:
                raise Refusal(code, "gone")

        return script

    scripts = (
        stream(code=grpc.StatusCode.UNAVAILABLE),
        stream(goodbye(play.GOODBYE_REASON_DRAINING), code=grpc.StatusCode.UNAVAILABLE),
        stream(goodbye(99), code=grpc.StatusCode.INTERNAL),
        last_word(play.GOODBYE_REASON_BAD_HELLO, grpc.StatusCode.FAILED_PRECONDITION),
        stream(),
        stream(goodbye()),
    )
    with ScriptedReferee(*scripts) as referee:
        assert launch(referee.address).wait() == 0
    assert len(referee.authorizations) == len(scripts)
    assert len(set(instances)) == 1


def test_it_waits_longer_each_time_before_it_comes_back(launch: Launcher) -> None:
    """A referee that is not to be had is left alone for longer and longer."""
    came: list[float] = []

    def script(_: Requests) -> Iterator[play.PlayResponse]:
        came.append(time.monotonic())
        raise Refusal(grpc.StatusCode.UNAVAILABLE, "not yet")
        yield

    with ScriptedReferee(script, script, script, last_word(play.GOODBYE_REASON_LEFT)) as referee:
        assert launch(referee.address).wait() == 0
    first = FIRST_PAUSE.get(launch.language, 0.5)
    pauses = [after - before for before, after in pairwise(came)]
    assert [pause >= first / 2 * 2**number for number, pause in enumerate(pauses)] == [True] * 2


def test_it_stops_where_coming_back_is_no_use(launch: Launcher) -> None:
    """Each last word that is meant for good ends the bot with one line and status 1, after one stream."""
    scripts = (
        last_word(play.GOODBYE_REASON_TAKEN_OVER, grpc.StatusCode.ABORTED),
        last_word(play.GOODBYE_REASON_BAD_HELLO, grpc.StatusCode.INVALID_ARGUMENT),
        last_word(play.GOODBYE_REASON_REVOKED, grpc.StatusCode.UNAUTHENTICATED),
        last_word(play.GOODBYE_REASON_STREAM_FAULTS, grpc.StatusCode.RESOURCE_EXHAUSTED),
        refusal(grpc.StatusCode.UNAUTHENTICATED),
        refusal(grpc.StatusCode.PERMISSION_DENIED),
        refusal(grpc.StatusCode.INVALID_ARGUMENT),
    )
    with ScriptedReferee(*scripts) as referee:
        for number in range(1, len(scripts) + 1):
            bot = launch(referee.address)
            assert bot.wait() == 1
            assert len(referee.authorizations) == number
            line = bot.lines()[-1]
            assert "you know why" in line or "not this one" in line


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["term", "int"])
def test_a_signal_makes_it_leave_when_its_matches_have_ended(launch: Launcher, number: int) -> None:
    """After SIGTERM or an interrupt it says `Leave`, plays to the end, tells the result, and ends."""
    over = ended("a")
    over.match_ended.termination = match_pb2.TERMINATION_COMPLETED
    over.match_ended.placements.add(seat=0, rank=1)
    over.match_ended.placements.add(seat=1, rank=2)

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        heard(requests, "hello")
        yield say(welcome(), started("a", seat=1))
        heard(requests, "ready")
        bot.signal(number)
        heard(requests, "leave")
        yield say(turn("a", 1, 0x25))
        assert [act.turn_id for act in heard(requests, "act")] == [1]
        yield say(over)
        yield say(goodbye())

    with ScriptedReferee(script) as referee:
        bot = launch(referee.address)
        assert bot.wait() == 0
    (line,) = (line for line in bot.lines() if "match a" in line)
    assert "COMPLETED" in line.upper()
    assert "2 of 2" in line


def test_a_second_signal_ends_it_at_once(launch: Launcher) -> None:
    """Whoever cannot wait for the end of its matches asks again."""

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        heard(requests, "hello")
        yield say(welcome(), started("a"))
        heard(requests, "ready")
        bot.signal(signal.SIGTERM)
        heard(requests, "leave")
        bot.signal(signal.SIGTERM)
        assert hung_up(requests)

    with ScriptedReferee(script) as referee:
        bot = launch(referee.address)
        bot.wait()


def test_a_signal_ends_it_where_no_referee_is(launch: Launcher) -> None:
    """While there is no stream, it says that it tries again, and a signal ends it with status 0."""
    with ScriptedReferee() as referee:
        address = referee.address
    bot = launch(address)
    eventually(bot.lines)
    bot.signal(signal.SIGTERM)
    assert bot.wait() == 0


def test_it_plays_over_tls(launch: Launcher, tmp_path: Path) -> None:
    """With REFEREE_CA the bot finds a server that has a certificate of that authority."""
    made = certificates.make(tmp_path)

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        heard(requests, "hello")
        yield say(welcome(), turn("a", 1, 0x25))
        assert heard(requests, "act")[0].action.block_dominoes.tile == 0x25
        yield say(goodbye())

    with ScriptedReferee(script, credentials=made.server) as referee:
        address = referee.address.replace("127.0.0.1", "localhost")
        assert launch(address, REFEREE_CA=str(made.authority)).wait() == 0
    assert referee.authorizations == ["Bearer secret"]


def test_no_token_is_sent_in_plain_text_when_tls_is_asked_for(launch: Launcher) -> None:
    """With REFEREE_TLS the bot does not talk to a server that has no TLS."""
    with ScriptedReferee() as referee:
        bot = launch(referee.address.replace("127.0.0.1", "localhost"), REFEREE_TLS="1")
        eventually(bot.lines)
    assert referee.authorizations == []


@pytest.mark.parametrize("missing", ["REFEREE_ADDRESS", "REFEREE_TOKEN"])
def test_it_says_what_is_missing(launch: Launcher, missing: str) -> None:
    """Without address or token it ends with status 2 and one line that names the variable."""
    given = {"REFEREE_ADDRESS": "127.0.0.1:1", "REFEREE_TOKEN": "secret"}
    del given[missing]
    bot = launch.bare(**given)
    assert bot.wait() == 2
    (line,) = bot.lines()
    assert missing in line


def test_it_pings_when_it_is_told_to(launch: Launcher) -> None:
    """With REFEREE_KEEPALIVE it plays as it does without."""

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        heard(requests, "hello")
        yield say(welcome(), turn("a", 1, 0x25))
        heard(requests, "act")
        yield say(goodbye())

    with ScriptedReferee(script) as referee:
        assert launch(referee.address, REFEREE_KEEPALIVE="10").wait() == 0

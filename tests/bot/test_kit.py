"""The bot kit against a scripted referee, over real gRPC."""

import re
import signal
import threading
from collections.abc import Iterator
from typing import Any

import grpc
import pytest

from referee.bot import Answer, Turn, run
from referee.bot.session import Bot, Session, one_by_one
from referee.v1 import fault_pb2
from referee.v1 import play_service_pb2 as play
from tests.bot.scripted_referee import (
    Refusal,
    Requests,
    ScriptedReferee,
    ended,
    finish,
    goodbye,
    heard,
    hung_up,
    rejected,
    say,
    start,
    started,
    turn,
    welcome,
)
from tests.patience import PATIENCE

ABOUT: Any = {"token": "secret", "games": ["block_dominoes"]}


def first(turn: Turn) -> Answer:
    """Plays the first legal action."""
    return turn.legal_actions[0]


def test_a_match_from_hello_to_goodbye() -> None:
    """The kit authenticates, says hello, is ready with 16 random bytes, answers, and ends when told to."""
    asked: list[Turn] = []
    over: list[play.MatchEnded] = []

    def choose(turn: Turn) -> Answer:
        asked.append(turn)
        return turn.legal_actions[-1]

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        (hello,) = heard(requests, "hello")
        assert (hello.protocol_version, list(hello.games)) == (1, ["block_dominoes"])
        assert (hello.bot_version, hello.instance_id, hello.matches_at_once) == ("7", "left", 3)
        yield say(welcome(), started("m", seat=2))
        (ready,) = heard(requests, "ready")
        assert (ready.match_id, len(ready.entropy)) == ("m", 16)
        yield say(turn("m", 1, 0x25, 0x66))
        (act,) = heard(requests, "act")
        assert (act.match_id, act.turn_id, act.action.block_dominoes.tile) == ("m", 1, 0x66)
        yield say(ended("m"), goodbye())

    with ScriptedReferee(script) as referee:
        bot = start(
            referee.address,
            choose,
            version="7",
            instance="left",
            matches_at_once=3,
            on_match_ended=over.append,
        )
        finish(bot)
    assert referee.authorizations == ["Bearer secret"]
    assert [(t.match_id, t.game, t.seat, t.turn_id, t.remaining) for t in asked] == [
        ("m", "block_dominoes", 2, 1, 2.5)
    ]
    assert [match.match_id for match in over] == ["m"]


def test_turns_of_one_message_are_answered_in_one_message() -> None:
    """Several turns in one message reach choose_batch together and go back in one request."""
    sizes: list[int] = []

    def choose_batch(turns: list[Turn]) -> list[int]:
        sizes.append(len(turns))
        return [turn.turn_id % 2 for turn in turns]

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        heard(requests, "hello")
        yield say(welcome(), started("a"), started("b"), started("c"))
        assert [heard(requests, "ready")[0].match_id for _ in range(3)] == ["a", "b", "c"]
        yield say(turn("a", 1, 1, 2), turn("b", 4, 1, 2), turn("c", 9, 1, 2))
        acts = heard(requests, "act")
        assert [(act.match_id, act.turn_id, act.index) for act in acts] == [
            ("a", 1, 1),
            ("b", 4, 0),
            ("c", 9, 1),
        ]
        yield say(goodbye())

    with ScriptedReferee(script) as referee:
        finish(start(referee.address, choose_batch=choose_batch, matches_at_once=3))
    assert sizes == [3]


def test_choose_answers_a_batch_in_one_message_too() -> None:
    """A plain choose() is asked about each turn, and all answers of one message share a request."""

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        heard(requests, "hello")
        yield say(welcome(), turn("a", 1, 0x11), turn("b", 1, 0x22))
        assert [act.action.block_dominoes.tile for act in heard(requests, "act")] == [0x11, 0x22]
        yield say(goodbye())

    with ScriptedReferee(script) as referee:
        finish(start(referee.address, first))


@pytest.mark.parametrize(("answer", "arm"), [(1, "index"), ("play 2-5 left", "text")])
def test_an_answer_may_be_an_index_or_text(answer: object, arm: str) -> None:
    """An index and a text travel in the field made for them."""

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        heard(requests, "hello")
        yield say(welcome(), turn("a", 1, 0x11, 0x12))
        (act,) = heard(requests, "act")
        assert act.WhichOneof("answer") == arm
        assert getattr(act, arm) == answer
        yield say(goodbye())

    with ScriptedReferee(script) as referee:
        finish(start(referee.address, lambda _: answer))


def test_pings_are_answered() -> None:
    """Every ping is answered by a pong with its id."""

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        heard(requests, "hello")
        yield say(welcome(), *(play.PlayResponseFrame(ping=play.Ping(ping_id=n)) for n in (5, 6)))
        assert [pong.ping_id for pong in heard(requests, "pong")] == [5, 6]
        yield say(goodbye())

    with ScriptedReferee(script) as referee:
        finish(start(referee.address, first))


def test_unknown_frames_are_skipped() -> None:
    """A frame whose arm the kit does not know changes nothing."""
    unknown = play.PlayResponseFrame.FromString(b"\xfa\x06\x00")

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        heard(requests, "hello")
        yield say(welcome(), unknown, turn("a", 1, 0x11), unknown)
        heard(requests, "act")
        yield say(goodbye())

    with ScriptedReferee(script) as referee:
        finish(start(referee.address, first))


def test_u12_hooks_run_before_ready() -> None:
    """on_start runs before the stream opens, on_match before Ready, however long they take."""
    order: list[str] = []
    may_go_on = threading.Event()

    def on_match(_: play.MatchStarted) -> None:
        order.append("match")
        assert may_go_on.wait(PATIENCE)

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        order.append("stream")
        heard(requests, "hello")
        yield say(welcome(), started("m"), turn("other", 1, 0x11))
        heard(requests, "act")
        may_go_on.set()
        heard(requests, "ready")
        order.append("ready")
        yield say(goodbye())

    with ScriptedReferee(script) as referee:
        finish(start(referee.address, first, on_start=lambda: order.append("start"), on_match=on_match))
    assert order == ["start", "stream", "match", "ready"]


def test_a_refused_answer_is_thought_over_once() -> None:
    """After a refusal choose is asked again with the reason; after a second the first action is played."""
    reasons: list[str | None] = []
    told: list[int] = []

    def choose(turn: Turn) -> int:
        reasons.append(turn.rejected.reason if turn.rejected else None)
        return 99

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        heard(requests, "hello")
        yield say(welcome(), turn("m", 1, 0x11))
        assert heard(requests, "act")[0].index == 99
        yield say(rejected("m", 1, fault_pb2.FAULT_KIND_ILLEGAL, reason="no such tile", retries_left=2))
        assert heard(requests, "act")[0].index == 99
        yield say(rejected("m", 1, fault_pb2.FAULT_KIND_ILLEGAL, reason="no such tile", retries_left=1))
        act = heard(requests, "act")[0]
        assert (act.turn_id, act.WhichOneof("answer"), act.index) == (1, "index", 0)
        yield say(goodbye())

    with ScriptedReferee(script) as referee:
        finish(start(referee.address, choose, on_rejected=lambda message: told.append(message.retries_left)))
    assert reasons == [None, "no such tile"]
    assert told == [2, 1]


def test_a_turn_that_is_over_is_not_answered_again() -> None:
    """A refusal that tells of a default action, or of another turn, asks for no answer."""
    over = rejected("m", 1, fault_pb2.FAULT_KIND_LATE)
    over.rejected.played_action.block_dominoes.tile = 0x11
    stale = rejected("m", 1, fault_pb2.FAULT_KIND_STALE)

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        heard(requests, "hello")
        yield say(welcome(), turn("m", 1, 0x11))
        heard(requests, "act")
        yield say(over, stale)
        yield say(turn("m", 2, 0x12))
        assert heard(requests, "act")[0].turn_id == 2
        yield say(goodbye())

    with ScriptedReferee(script) as referee:
        finish(start(referee.address, first))


def test_a_broken_stream_is_opened_again_by_the_same_instance() -> None:
    """The kit comes back after a lost stream and a drain, as the same instance, and plays on."""
    instances: list[str] = []

    def say_hello(requests: Requests) -> None:
        instances.append(heard(requests, "hello")[0].instance_id)

    def lost(requests: Requests) -> Iterator[play.PlayResponse]:
        say_hello(requests)
        yield say(welcome())
        raise Refusal(grpc.StatusCode.UNAVAILABLE, "gone")

    def internal(requests: Requests) -> Iterator[play.PlayResponse]:
        say_hello(requests)
        yield say(welcome(), goodbye(play.GOODBYE_REASON_INTERNAL))

    def last(requests: Requests) -> Iterator[play.PlayResponse]:
        say_hello(requests)
        yield say(welcome(), turn("m", 3, 0x11))
        assert heard(requests, "act")[0].turn_id == 3
        yield say(goodbye())

    with ScriptedReferee(lost, internal, last) as referee:
        finish(start(referee.address, first, instance="left"))
    assert instances == ["left"] * 3


@pytest.mark.parametrize("code", ["UNAUTHENTICATED", "PERMISSION_DENIED", "INVALID_ARGUMENT"])
def test_some_refusals_are_final(code: str) -> None:
    """The kit tries once and explains itself in one line when another try is no use."""

    def script(_: Requests) -> Iterator[play.PlayResponse]:
        raise Refusal(grpc.StatusCode[code], "unknown token")
        yield

    with ScriptedReferee(script) as referee, pytest.raises(SystemExit) as exit_:
        run(first, server=referee.address, **ABOUT)
    assert len(referee.authorizations) == 1
    assert str(exit_.value) == f"bot: {referee.address} refused the bot: {code}: unknown token"


def test_c11_a_refusal_because_others_guess_tokens_is_not_final() -> None:
    """The kit comes again after RESOURCE_EXHAUSTED without a goodbye, with the same token."""

    def busy(requests: Requests) -> Iterator[play.PlayResponse]:
        heard(requests, "hello")
        raise Refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, "try again in a second")
        yield

    def last(requests: Requests) -> Iterator[play.PlayResponse]:
        heard(requests, "hello")
        yield say(welcome(), goodbye())

    with ScriptedReferee(busy, last) as referee:
        finish(start(referee.address, first))
    assert referee.authorizations == ["Bearer secret"] * 2


@pytest.mark.parametrize("reason", ["TAKEN_OVER", "REVOKED", "BAD_HELLO", "STREAM_FAULTS"])
def test_some_goodbyes_are_final(reason: str) -> None:
    """The kit does not come back after a goodbye that is meant for good, whatever the status."""

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        heard(requests, "hello")
        yield say(goodbye(play.GoodbyeReason.Value(f"GOODBYE_REASON_{reason}"), "told so"))
        raise Refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, "status")

    with ScriptedReferee(script) as referee, pytest.raises(SystemExit) as exit_:
        run(first, server=referee.address, **ABOUT)
    assert len(referee.authorizations) == 1
    assert str(exit_.value) == f"bot: {referee.address} ended the session: {reason}: told so"


def test_a_new_version_waits_for_the_matches_of_the_earlier_one(capfd: pytest.CaptureFixture[str]) -> None:
    """That it may not change while matches run passes: the kit says once that it waits, and comes again."""

    def early(requests: Requests) -> Iterator[play.PlayResponse]:
        heard(requests, "hello")
        yield say(goodbye(play.GOODBYE_REASON_BAD_HELLO, "version and games may not change"))
        raise Refusal(grpc.StatusCode.FAILED_PRECONDITION, "version and games may not change")

    def last(requests: Requests) -> Iterator[play.PlayResponse]:
        heard(requests, "hello")
        yield say(welcome(), goodbye())

    with ScriptedReferee(early, early, early, last) as referee:
        finish(start(referee.address, first))
    assert len(referee.authorizations) == 4
    waits = "waits for the matches of its earlier version; stop that if it still runs"
    assert capfd.readouterr().err.splitlines()[:1] == [f"bot: {referee.address}: {waits}"]


def test_wrong_numbers_of_answers_are_an_error() -> None:
    """choose_batch has to return one answer for each turn."""

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        heard(requests, "hello")
        yield say(welcome(), turn("a", 1, 0x11), turn("b", 1, 0x11))
        assert hung_up(requests)

    with ScriptedReferee(script) as referee, pytest.raises(ValueError, match="1 answers for 2 turns"):
        run(choose_batch=lambda _: [0], server=referee.address, **ABOUT)


@pytest.mark.parametrize(
    ("answer", "error", "why"),
    [
        (None, TypeError, "; return an action, its index or its text"),
        (True, TypeError, "; return an action, its index or its text"),
        ("play \ud800", ValueError, ": .* surrogates not allowed"),
        (2**31, ValueError, ": Value out of range"),
    ],
)
def test_what_is_no_answer_is_named_with_its_turn(answer: Any, error: type[Exception], why: str) -> None:
    """What cannot be sent ends the bot with a sentence that has the answer, the turn and the reason."""
    session = Session(Bot(choose_batch=one_by_one(lambda _: answer), games=["block_dominoes"]))
    told = re.escape(f"{answer!r} is no answer to Turn(match m, seat 0, turn 3)") + why
    with pytest.raises(error, match=f"^{told}"):
        list(session.receive(say(turn("m", 3, 0x11))))


def test_signals_are_handed_back() -> None:
    """A program that goes on after its bot has left gets its own signal handlers back."""

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        heard(requests, "hello")
        yield say(welcome(), turn("m", 1, 0x11))
        heard(requests, "act")
        yield say(goodbye())

    def handlers() -> list[object]:
        return [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]

    def choose(_: Turn) -> Answer:
        seen.append(handlers())
        return 0

    seen = [handlers()]
    with ScriptedReferee(script) as referee:
        run(choose, server=referee.address, **ABOUT)
    before, during = seen
    assert handlers() == before
    assert during != before


def test_one_way_to_choose_is_needed() -> None:
    """Neither and both of choose and choose_batch are refused before anything is opened."""
    with pytest.raises(TypeError, match="either choose or choose_batch"):
        run(games=["block_dominoes"])
    with pytest.raises(TypeError, match="either choose or choose_batch"):
        run(first, choose_batch=lambda _: [], games=["block_dominoes"])

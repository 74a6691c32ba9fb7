"""What the notes of a check make of what a bot says."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from referee.check.journal import ANSWERED_TWICE, DROPPED, SECOND_STREAM, Journal
from referee.check.notes import StreamNotes
from referee.v1 import fault_pb2
from referee.v1 import play_service_pb2 as pb

Body = Callable[[Journal, StreamNotes], None]


def noted(body: Body) -> Journal:
    """Returns a journal with a match `m` in which turn 1 was told, after what a test does with it."""

    async def run() -> Journal:
        journal = Journal()
        stream = journal.opened()
        says(journal, stream, hello=pb.Hello(protocol_version=1, instance_id="a"))
        told(journal, stream, welcome=pb.Welcome())
        told(journal, stream, match_started=pb.MatchStarted(match_id="m", game="guan_pai"))
        told(journal, stream, turn=pb.Turn(match_id="m", turn_id=1))
        body(journal, stream)
        return journal

    return asyncio.run(run())


def told(journal: Journal, stream: StreamNotes, **arm: object) -> None:
    """Notes a frame that the bot is told."""
    journal.told(stream, [pb.PlayResponseFrame(**arm)])  # type: ignore[arg-type]


def says(journal: Journal, stream: StreamNotes, **arm: object) -> None:
    """Notes a frame that the bot said."""
    journal.said(stream, [pb.PlayRequestFrame(**arm)], 0)  # type: ignore[arg-type]


def act(journal: Journal, stream: StreamNotes) -> None:
    """Notes an answer to turn 1."""
    says(journal, stream, act=pb.Act(match_id="m", turn_id=1))


def refused(fault: int, *, played: bool = False) -> pb.Rejected:
    """Returns the refusal of an answer to turn 1."""
    rejected = pb.Rejected(match_id="m", turn_id=1, answered_turn_id=1, reason="so")
    rejected.fault = fault  # type: ignore[assignment]
    if played:
        rejected.played_action.SetInParent()
    return rejected


def kinds(body: Body) -> list[str]:
    """Returns the kinds of the offences that come of what a test does."""
    return [offence.kind for offence in noted(body).offences]


def test_a_second_answer_is_an_offence() -> None:
    """A turn that was told once is answered once."""

    def body(journal: Journal, stream: StreamNotes) -> None:
        act(journal, stream)
        act(journal, stream)

    assert kinds(body) == [ANSWERED_TWICE]


@pytest.mark.parametrize("again", ["refusal", "new stream"])
def test_a_turn_that_is_asked_again_is_answered_again(again: str) -> None:
    """After a refusal that leaves it open, and after it was told again, an answer is what is wanted."""

    def body(journal: Journal, stream: StreamNotes) -> None:
        journal.spared.add(("m", 1))
        act(journal, stream)
        if again == "refusal":
            told(journal, stream, rejected=refused(fault_pb2.FAULT_KIND_ILLEGAL))
        else:
            told(journal, stream, turn=pb.Turn(match_id="m", turn_id=1))
        journal.spared.clear()
        act(journal, stream)

    assert kinds(body) == []


def test_a_second_answer_has_the_name_that_the_referee_gives_it() -> None:
    """What the referee refuses as conflicting is not told a second time as an answer too many."""

    def body(journal: Journal, stream: StreamNotes) -> None:
        act(journal, stream)
        act(journal, stream)
        told(journal, stream, rejected=refused(fault_pb2.FAULT_KIND_CONFLICTING))

    assert kinds(body) == ["CONFLICTING"]


def test_what_a_scenario_has_spoiled_is_no_offence() -> None:
    """Refusals of a turn whose answers were altered on their way say nothing of the bot."""

    def body(journal: Journal, stream: StreamNotes) -> None:
        journal.spared.add(("m", 1))
        act(journal, stream)
        told(journal, stream, rejected=refused(fault_pb2.FAULT_KIND_LATE, played=True))

    assert kinds(body) == []


def test_what_follows_after_the_end_of_a_scenario_is_no_offence() -> None:
    """A match that was called off leaves acts on their way."""

    def body(journal: Journal, stream: StreamNotes) -> None:
        journal.over = True
        told(journal, stream, rejected=refused(fault_pb2.FAULT_KIND_UNKNOWN_MATCH))
        journal.ended(stream, "bot")

    assert kinds(body) == []


@pytest.mark.parametrize(
    ("ender", "goodbye", "expected"),
    [("bot", 0, [DROPPED]), ("referee", 0, []), ("check", 0, []), ("bot", pb.GOODBYE_REASON_DRAINING, [])],
)
def test_a_stream_that_ends_in_a_match_is_the_bots_offence_if_it_ended_it(
    ender: str, goodbye: int, expected: list[str]
) -> None:
    """It is not where somebody else ended it, or said goodbye before."""

    def body(journal: Journal, stream: StreamNotes) -> None:
        stream.goodbye = goodbye
        journal.ended(stream, ender)

    assert kinds(body) == expected


@pytest.mark.parametrize(("instance", "expected"), [("a", [SECOND_STREAM]), ("b", [])])
def test_a_stream_beside_another_of_its_instance_is_an_offence(instance: str, expected: list[str]) -> None:
    """Another instance may have a stream of its own."""

    def body(journal: Journal, stream: StreamNotes) -> None:
        assert stream.ended is None
        says(journal, journal.opened(), hello=pb.Hello(instance_id=instance))

    assert kinds(body) == expected


def test_waiting_ends_with_the_note_that_it_waits_for_or_with_its_limit() -> None:
    """A condition is looked at after each note, and given up in the end."""

    async def run() -> tuple[bool, bool]:
        journal = Journal()
        waiting: Awaitable[bool] = asyncio.ensure_future(journal.until(lambda: journal.attempts, 60))
        await asyncio.sleep(0)
        journal.attempted()
        return await waiting, await journal.until(lambda: False, 0.01)

    assert asyncio.run(run()) == (True, False)

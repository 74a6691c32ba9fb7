"""What a person knows of a match: turns, refusals, what happened, and what it came to."""

import pytest

from referee.person.outcome import Outcome, outcome
from referee.person.seat import Phase, Seat, Wish
from referee.person.words import happened, places
from referee.v1 import block_dominoes_pb2, event_pb2, fault_pb2, game_pb2, match_pb2
from referee.v1 import play_service_pb2 as pb

GAME = "block_dominoes"


def frame(**arm: object) -> pb.PlayResponseFrame:
    """Returns a frame with one arm."""
    return pb.PlayResponseFrame(**arm)  # type: ignore[arg-type]


def started(own: int = 2, game: str = GAME, seats: int = 4, *, resumed: bool = False) -> pb.PlayResponseFrame:
    """Returns the start of a match."""
    names = ["You" if seat == own else "easy" for seat in range(seats)]
    at = [match_pb2.Seat(seat=seat, display_name=name) for seat, name in enumerate(names)]
    return frame(match_started=pb.MatchStarted(match_id="m", game=game, seat=own, seats=at, resumed=resumed))


def turn(number: int, seconds: int = 600) -> pb.PlayResponseFrame:
    """Returns a question."""
    message = pb.Turn(match_id="m", turn_id=number)
    message.clock.remaining_duration.FromSeconds(seconds)
    message.legal_actions.add(block_dominoes=block_dominoes_pb2.BlockDominoesAction(tile=0x25))
    return frame(turn=message)


def passed(number: int, seat: int) -> pb.PlayResponseFrame:
    """Returns an event: a seat passed."""
    inner = block_dominoes_pb2.BlockDominoesEvent(passed=block_dominoes_pb2.BlockDominoesPassed())
    event = event_pb2.Event(event_id=number, seat=seat, game=game_pb2.GameEvent(block_dominoes=inner))
    return frame(event=event)


def asked(*frames: pb.PlayResponseFrame, game: str = GAME, level: str = "easy") -> Seat:
    """Returns a seat that has heard some frames."""
    seat = Seat(Wish(game=game, level=level))
    for one in frames:
        seat.take(one, 0.0)
    return seat


def test_a_seat_asks_for_its_match_and_says_that_it_is_ready() -> None:
    """The wish follows on the welcome, readiness with fresh entropy on the start."""
    seat = Seat(Wish(game=GAME, level="expert", options={"target": "5"}))
    assert seat.hello().frames[0].hello.practice_only
    (wish,) = seat.take(frame(welcome=pb.Welcome()), 0.0)
    assert (wish.practice.level, wish.practice.by_person) == ("expert", True)
    assert [(one.option, one.value) for one in wish.practice.options] == [("target", "5")]
    (ready,) = seat.take(started(), 0.0)
    assert len(ready.ready.entropy) == 16
    assert seat.take(frame(welcome=pb.Welcome()), 0.0) == [], "a new stream asks for no second match"


def test_an_answer_is_for_the_open_turn_only() -> None:
    """An answer to another turn, or a second one, is not sent."""
    seat = asked(started(), turn(1))
    assert seat.answer(2, 0) is None
    request = seat.answer(1, "play 2-5")
    assert request
    assert request.frames[0].act.text == "play 2-5"
    assert seat.answer(1, 0) is None
    assert seat.phase is Phase.WAITING


def test_a_refused_answer_leaves_the_turn_open() -> None:
    """With the reason, and the time that is left."""
    seat = asked(started(), turn(1))
    seat.answer(1, "castle")
    refusal = pb.Rejected(
        match_id="m", turn_id=1, answered_turn_id=1, fault=fault_pb2.FAULT_KIND_MALFORMED, reason="no action"
    )
    refusal.remaining_duration.FromSeconds(30)
    seat.take(frame(rejected=refusal), 100.0)
    assert seat.phase is Phase.TO_ACT
    assert seat.rejected
    assert seat.rejected.reason == "no action"
    assert seat.deadline == 130.0
    assert seat.answer(1, 0)
    assert seat.rejected is None


def test_a_default_action_is_told() -> None:
    """Who was late hears what was played."""
    seat = asked(started(), turn(1))
    late = pb.Rejected(match_id="m", turn_id=0, answered_turn_id=1, fault=fault_pb2.FAULT_KIND_LATE)
    late.played_action.block_dominoes.tile = 0x25
    seat.take(frame(rejected=late), 0.0)
    assert seat.phase is Phase.WAITING
    assert happened(seat) == ["You did not answer in time: play 2-5 was played for you."]


def test_what_is_told_begins_with_the_own_answer() -> None:
    """Once for each event, also when a new stream tells all of them again."""
    seat = asked(started(), passed(1, 0), passed(2, 1), turn(1))
    assert happened(seat) == ["North passes.", "East passes."]
    seat.answer(1, 0)
    assert len(happened(seat)) == 2, "nothing followed yet"
    for one in (passed(3, 2), passed(4, 3), started(resumed=True), passed(1, 0), passed(4, 3), passed(5, 0)):
        seat.take(one, 0.0)
    assert happened(seat) == ["South passes.", "West passes.", "North passes."]


@pytest.mark.parametrize(
    ("game", "seats", "named"),
    [
        (GAME, 4, ("South", "West", "North", "East")),
        ("ding_niu", 4, ("South", "East", "North", "West")),
        ("guan_pai", 3, ("South", "West", "East")),
        ("mexican_train", 2, ("South", "North")),
        ("mexican_train", 5, ("South", "seat 2", "seat 3", "seat 4", "seat 0")),
    ],
)
def test_seats_are_named_as_they_sit_round_the_table(game: str, seats: int, named: tuple[str, ...]) -> None:
    """The person is South; the others follow clockwise, in Ding Niu against the clock."""
    found = places(asked(started(1, game, seats), game=game))
    assert found[1:] + found[:1] == named


@pytest.mark.parametrize(
    ("level", "ranks", "expected"),
    [
        ("easy", (2, 3, 1, 4), Outcome(1, points=10)),
        ("normal", (2, 3, 1, 4), Outcome(1, points=30)),
        ("expert", (2, 3, 1, 4), Outcome(1, points=100)),
        ("easy", (1, 3, 1, 4), Outcome(1, shared=True)),
        ("easy", (1, 3, 2, 4), Outcome(2)),
        ("easy", (1, 2, 4, 3), Outcome(4, forfeited=True)),
        ("easy", (), Outcome(note="the person left")),
    ],
)
def test_a_win_earns_ranking_points_by_the_level(
    level: str, ranks: tuple[int, ...], expected: Outcome
) -> None:
    """Only the first place alone is one; see the rules of block dominoes, 9."""
    ended = pb.MatchEnded(match_id="m", termination=match_pb2.TERMINATION_COMPLETED)
    if not ranks:
        ended.termination, ended.note = match_pb2.TERMINATION_VOID, "the person left"
    for at, rank in enumerate(ranks):
        ended.placements.add(seat=at, rank=rank, forfeited=expected.forfeited and at == 2)
    assert outcome(asked(started(), frame(match_ended=ended), level=level)) == expected


def test_a_refusal_is_the_end_of_the_wish() -> None:
    """It says why; one that comes after the start is about another wish, and nothing."""
    refused = frame(practice_refused=pb.PracticeRefused(note="all house bots are busy"))
    seat = asked(refused)
    assert (seat.phase, seat.note) == (Phase.REFUSED, "all house bots are busy")
    assert asked(started(), refused).phase is Phase.WAITING

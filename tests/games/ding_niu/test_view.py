"""R8: what a viewer sees can be told from what it heard; and L5: no viewer hears more than it may."""

import random
from typing import Any

import pytest

from referee.games.base import TABLE, Event
from referee.games.ding_niu.told import Step as Done
from referee.games.ding_niu.view import Private, Public
from referee.games.info import Options
from tests.games.ding_niu.knowledge import known
from tests.games.ding_niu.listener import Listener
from tests.games.ding_niu.positions import GAME, dealt, play, position
from tests.games.helpers import Step, playout, start

OPTIONS: list[Options] = [
    {},
    {"settlement": "declared", "lead": "winner"},
    {"settlement": "off", "lead_limit": "off"},
    {"settlement_pay": "doubled", "lead_limit": "definition"},
    {"revoke": "extra_discard"},
    {"revoke": "extra_discard", "settlement": "declared"},
    {"revoke": "extra_discard", "settlement": "off", "lead": "winner"},
]


def done(step: list[Any]) -> Done:
    """Returns a step that a listener noted as the view has it."""
    seat, what, *rest = step
    if what == "discard":
        return Done(seat, 512, revoke=rest == ["revoke"])
    return Done(seat, GAME.text.parse_action(" ".join([what, *rest])))


def public(listener: Listener) -> Public:
    """Returns what everybody should see now, as far as a listener knows."""
    return Public(
        deal=listener.deal,
        to_act=listener.to_act,
        dealer=listener.dealer,
        leader=listener.leader,
        line=tuple(16 * left + right for left, right in listener.laid),
        counts=tuple(listener.counts),
        discards=tuple(listener.down),
        totals=tuple(listener.totals),
        asked=listener.asked,
        steps=tuple(map(done, listener.steps)),
    )


def hear(step: Step, listener: Listener) -> None:
    """Lets a listener hear a step and compares what it makes of it with what it is shown."""
    state: Any = step.state
    for event in step.events:
        listener.hear(GAME.text.event(GAME.view.redact(event, listener.viewer)))
    if step.action is None and listener.viewer != TABLE:
        listener.take(GAME.view.private(state, listener.viewer).hand)
    if state.to_act() < 0:
        end = GAME.view.deal_end(state)
        listener.hear_end([seat.hand for seat in end.hands], [seat.discards for seat in end.hands])
        assert (end.winner, end.settler) == (listener.winner, listener.settler)
    assert GAME.view.public(state) == public(listener)
    if listener.viewer != TABLE:
        assert GAME.view.private(state, listener.viewer) == Private(*listener.private())


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_r8_all_that_is_seen_follows_from_what_was_heard(options: Options) -> None:
    """After each step of 75 deals each seat and a spectator have worked out what they are shown."""
    full = GAME.info.resolve({**options, "deals": 25})
    for seed in range(3):
        listeners = [Listener(viewer, str(full["settlement_pay"])) for viewer in range(-1, 4)]

        def check(step: Step, listeners: list[Listener] = listeners) -> None:
            for listener in listeners:
                hear(step, listener)

        assert playout(start(GAME, full), random.Random(seed), check).deal == 25


@pytest.mark.parametrize("viewer", range(-1, 4))
def test_l5_a_discard_is_its_seats_alone(viewer: int) -> None:
    """Whoever else hears of a discard hears that it was made and by whom, whatever the tile."""
    for seat in range(4):
        told = {
            GAME.view.redact(Event("discard", seat, GAME.text.parse_action(f"discard {tile}")), viewer)
            for tile in ("1-1", "2-6", "6-6")
        }
        if seat == viewer:
            assert sorted(map(GAME.text.event, told)) == [
                f"{seat} discard {tile}" for tile in ("1-1", "2-6", "6-6")
            ]
        else:
            assert told == {Event("discarded", seat, 0)}
            assert GAME.text.event(told.pop()) == f"{seat} discarded"


def test_l12_all_else_is_told_to_all_alike() -> None:
    """Plays, revokes, questions, answers and settlements are the same for every seat and a spectator."""
    parse = GAME.text.parse_action
    for event in (
        Event("leader", TABLE, 2),
        Event("play", 1, parse("play 1-3")),
        Event("play", 3, parse("play 3-3 right")),
        Event("revoke", 0),
        Event("asked", 1),
        Event("settle", 1, parse("settle")),
        Event("continue", 1, parse("continue")),
        Event("settled", 1),
    ):
        assert [GAME.view.redact(event, viewer) for viewer in range(-1, 4)] == [event] * 5


def test_l5_a_revoke_tells_others_counts_and_nothing_else() -> None:
    """Two revokes of different tiles, the extra ones included, look alike to all but their seat."""
    hands = ["1-3 1-5 5-6 6-6", "2-2 2-6", "2-2 4-4", "5-5 3-3"]
    one, other = (position(hands, "1-1", options={"revoke": "extra_discard"}) for _ in range(2))
    told = [play(one, "discard 1-3"), play(other, "discard 6-6")]
    assert told == [["0 discard 1-3", "0 revoke"], ["0 discard 6-6", "0 revoke"]]
    assert GAME.view.public(one) == GAME.view.public(other)
    assert GAME.view.public(one).discards == (2, 0, 0, 0)
    assert GAME.view.private(one, 0) == Private((0x15, 0x56), (0x13, 0x66))
    assert GAME.view.private(other, 0) == Private((0x13, 0x15), (0x66, 0x56))
    for seat in (1, 2, 3):
        assert GAME.view.private(one, seat) == GAME.view.private(other, seat)


def test_l5_what_is_face_down_is_shown_when_the_deal_has_ended() -> None:
    """Until then nobody else is shown it; then everybody is, by seat and in order."""
    state = position(["2-2", "1-1", "2-2", "5-5"], "3-3", down=["6-6", "4-4", "4-6", "5-6"])
    for text in ("discard 2-2", "discard 1-1", "discard 2-2"):
        play(state, text)
        with pytest.raises(ValueError, match="stay hidden"):
            GAME.view.deal_end(state)
    play(state, "discard 5-5")
    end = GAME.view.deal_end(state)
    assert [seat.discards for seat in end.hands] == [(0x66, 0x22), (0x44, 0x11), (0x46, 0x22), (0x56, 0x55)]
    assert (end.winner, end.settler) == (1, None)


def swapped(order: list[int], one: int, other: int) -> list[int]:
    """Returns an order with two of its places exchanged."""
    order = list(order)
    order[one], order[other] = order[other], order[one]
    return order


def test_l1_knowledge_of_hands_ends_at_the_own_one() -> None:
    """What is known at the deal changes with the own tiles and with nothing of the others'."""
    rng = random.Random(3)
    for _ in range(200):
        order, leader = rng.sample(range(24), 24), rng.randrange(4)
        one, other = rng.sample(range(24), 2)
        first, second = dealt(order, leader), dealt(swapped(order, one, other), leader)
        for viewer in range(-1, 4):
            same = known(first, [], viewer) == known(second, [], viewer)
            touched = one // 6 != other // 6 and viewer in {one // 6, other // 6}
            assert same == (not touched or first.hands == second.hands)


def test_l1_knowledge_of_discards_ends_at_the_own_ones() -> None:
    """Tiles face down, and the events that put them there, differ unseen by all but their seat."""
    hands = ["4-4 6-6 2-2", "3-3", "1-5", "5-5"]
    one, other = (position(hands, "3-5", seat=0, down=["1-1", "", "6-6"]) for _ in range(2))
    heard = [
        one.apply(GAME.text.parse_action("discard 4-4")),
        other.apply(GAME.text.parse_action("discard 6-6")),
    ]
    for viewer in range(-1, 4):
        knew = [known(state, events, viewer) for state, events in zip((one, other), heard, strict=True)]
        assert (knew[0] == knew[1]) == (viewer != 0)
    other = one.copy()
    other.discards[2] = [0x11]
    assert [known(one, [], viewer) == known(other, [], viewer) for viewer in range(-1, 4)] == [
        True,
        True,
        True,
        False,
        True,
    ]


def test_l1_knowledge_has_all_that_is_public() -> None:
    """Each public fact is part of what is known: a state that differs in it alone is known to differ."""
    state = position(["4-4 6-6", "3-3", "1-5", "5-5"], "3-5")
    for name, value in (
        ("deal", 3),
        ("seat", 1),
        ("dealer", 1),
        ("leader", 2),
        ("asked", True),
        ("line", [0x53]),
        ("total", (1, -1, 0, 0)),
    ):
        other = state.copy()
        setattr(other, name, value)
        for viewer in range(-1, 4):
            assert known(state, [], viewer) != known(other, [], viewer), name
    for name, index in (("hands", 3), ("discards", 1)):
        other = state.copy()
        getattr(other, name)[index] = 0 if name == "hands" else [0x11]
        for viewer in range(-1, 4):
            assert known(state, [], viewer) != known(other, [], viewer), name
    for viewer in range(-1, 4):
        assert known(state, [Event("revoke", 2)], viewer) != known(state, [], viewer)

"""The options of Guan Pai, the turns of a trick, faults, and what is refused: each both ways."""

import random
from typing import TYPE_CHECKING

import pytest

from referee.errors import IllegalActionError, MalformedActionError
from referee.games.base import CHANCE, TERMINAL, Action, Outcome
from referee.games.guan_pai.forms import KINDS
from referee.games.guan_pai.hand import DECK
from tests.games.guan_pai.positions import GAME, is_legal, legal, of_ranks, position, put, ranks, why
from tests.games.helpers import start

if TYPE_CHECKING:
    from referee.games.info import OptionValue

parse = GAME.text.parse_action


def test_the_holder_of_3d_leads_every_deal() -> None:
    """Wherever 3D is dealt, its holder is to act, in later deals too."""
    state = start(GAME, {"deals": 2})
    state.start_deal(Outcome((), (*range(1, 17), 0, *range(17, 48))))
    assert state.to_act() == 1
    while state.to_act() >= 0:
        state.apply(state.legal_actions()[0])
    events = state.start_deal(Outcome((), (*range(1, 48), 0)))
    assert [GAME.text.event(event) for event in events] == ["leader 2"]
    assert state.to_act() == 2


def test_the_leader_may_not_pass_and_others_may() -> None:
    """A pass is no lead; on a combination it is free, also for who could beat it."""
    state = position(of_ranks("34", "55", "66"))
    assert "pass" not in legal(state)
    assert why(state, "pass") == "who leads may not pass"
    put(state, "3")
    assert legal(state)[-1] == "pass"


def test_two_passes_end_the_trick_and_the_last_to_play_leads() -> None:
    """A seat that passed may play again later in the trick; two passes in a row give the lead away."""
    state = position(of_ranks("378", "49Q", "5TJ"))
    assert put(state, "3") == ["0 play 3D"]
    assert put(state, "pass") == ["1 pass"]
    assert put(state, "5") == ["2 play 5D"]
    put(state, "pass")
    assert put(state, "9") == ["1 play 9D"]
    put(state, "T", "pass")
    assert put(state, "pass") == ["1 pass", "trick to 2"]
    assert (state.to_act(), state.leader, state.trick) == (2, 2, [])
    assert "pass" not in legal(state)


def test_going_out_ends_the_deal_at_once() -> None:
    """The winning play is told alone, and nobody may answer it."""
    state = position(of_ranks("3", "4444", "55"))
    assert put(state, "3") == ["0 play 3D"]
    assert state.to_act() == CHANCE
    assert (state.winner, state.legal_actions()) == (0, ())
    with pytest.raises(IllegalActionError, match="no deal is being played"):
        state.apply(parse("play 4D"))


@pytest.mark.parametrize(
    ("hand", "one"), [("33445566778899TT", True), ("333444555666777T", True), ("333444555667788T", False)]
)
def test_r2_a_whole_hand_may_go_out_at_once(hand: str, one: bool) -> None:  # noqa: FBT001
    """A first play of all 16 cards ends the deal, if they are one combination."""
    state = position(of_ranks(hand, "8JQKA", "9JQKA"))
    assert is_legal(state, hand) == one
    if one:
        put(state, hand)
        assert (state.winner, state.totals()) == (0, (10, -5, -5))


def test_l12_a_seat_is_asked_whatever_it_holds() -> None:
    """A seat that can only pass is to act like any other, and its pass tells nothing."""
    state = position(of_ranks("2AA", "345", "67"))
    put(state, "2")
    assert (state.to_act(), legal(state)) == (1, ["pass"])
    assert put(state, "pass") == ["1 pass"]
    assert (state.to_act(), legal(state)) == (2, ["pass"])


def test_a_match_ends_after_its_deals() -> None:
    """With `deals` 1 the first deal is the last one; no cap ends a match."""
    state = position(of_ranks("3", "44", "55"), options={"deals": 1})
    put(state, "3")
    assert state.to_act() == TERMINAL
    assert not state.adjudicated()
    assert why(state, "pass") == "the match is over"


@pytest.mark.parametrize("first_play", ["any", "must_contain_d3"])
def test_the_first_play_may_have_to_contain_3d(first_play: str) -> None:
    """Under `must_contain_d3` every listed play has 3D, and another 3 in its place is illegal."""
    state = start(GAME, {"first_play": first_play})
    hand = [0, 1, 2, *range(4, 17)]
    state.start_deal(Outcome((), (*hand, *[piece for piece in range(48) if piece not in hand])))
    must = first_play == "must_contain_d3"
    assert all("3D" in text for text in legal(state)) == must
    action = parse("play 3C")
    assert (state.normalise(action) in state.legal_actions()) != must
    assert (state.normalise(parse("play 3C 3H")) in state.legal_actions()) != must
    if must:
        assert state.why_illegal(state.normalise(action)) == "the first play must contain 3D"
        with pytest.raises(IllegalActionError):
            state.apply(action)
    state.apply(state.as_played(parse("play 3D 3H")))
    put(state, "pass", "pass")
    assert "play 3C" in legal(state)


@pytest.mark.parametrize("must_beat", ["false", "true"])
def test_a_seat_may_have_to_beat(must_beat: str) -> None:
    """With `must_beat` a pass is legal only for who cannot beat; a bomb counts."""
    options: dict[str, OptionValue] = {"must_beat": must_beat}
    for hand, could in (("48", True), ("3333", True), ("35", False), ("55554", True)):
        state = position(of_ranks("77A" if hand == "35" else "7A", hand, "9TJ"), options=options)
        put(state, "7" if hand != "35" else "77")
        assert ("pass" in legal(state)) == (must_beat == "false" or not could)
    state = position(of_ranks("7A", "48", "9TJ"), options=options)
    put(state, "7")
    if must_beat == "true":
        assert why(state, "pass") == "who can beat may not pass"


STRAIGHTS = {
    "345A2": "a2345 ace_low natural_low",
    "3456A2": "ace_low natural_low",
    "34562": "natural_low",
    "345672": "natural_low",
    "34567": "a2345 ace_low natural_low",
    "TJQKA": "a2345 ace_low natural_low",
    "JQKA2": "",
    "3QKA2": "",
    "34KA2": "",
    "TJQKA2": "",
}


@pytest.mark.parametrize("option", ["a2345", "ace_low", "natural_low"])
@pytest.mark.parametrize("cards", STRAIGHTS)
def test_low_straights(option: str, cards: str) -> None:
    """Which straights there are under each option, in the lead and on a lower one."""
    state = position(of_ranks(cards + "99", "4", "4"), options={"low_straight": option})
    assert is_legal(state, cards) == (option in STRAIGHTS[cards].split())


# How actions are accepted


@pytest.mark.parametrize(
    ("hand", "text", "form"),
    [
        ("3D 3C 3H 5D", "play 3H 3C", "play 3D 3C"),
        ("3D 3C 3H 5D", "play 3H", "play 3D"),
        ("3D 3C 3H 5D", "play 3D as single", "play 3D"),
        ("3D 3C 3H 5D", "play 3H 3D 3C as triple", "play 3D 3C 3H"),
        ("AC AH AS 5D", "play AH AS AC", "play AC AH AS as bomb"),
        ("AC AH AS 5D", "play AH AS AC as triple", "play AC AH AS as triple"),
        ("AC AH AS", "play AC AH AS as triple_with_two", "play AC AH AS as triple"),
        ("3D 3C 3H", "play 3D 3C 3H as triple_with_two", "play 3D 3C 3H"),
        ("3D 3C 3H 5D", "play 3D 3C 3H 5D as triple_with_one", "play 3D 3C 3H 5D"),
        ("3D 3C 3H 3S 5D", "play 3D 3C 3H 3S 5D as bomb", "play 3D 3C 3H 3S 5D"),
    ],
)
def test_suits_are_free_and_a_type_that_makes_no_difference_is_dropped(
    hand: str, text: str, form: str
) -> None:
    """An action is legal if its normal form is listed; the cards that are named leave the hand."""
    state = position([hand, "6D 6C", "7D 7C"])
    action = parse(text)
    normal = state.normalise(action)
    assert GAME.text.action(normal) == form
    assert normal in state.legal_actions()
    played = state.as_played(action)
    assert state.as_played(played) == played
    assert state.normalise(played) == normal
    (event,) = state.apply(played)
    assert event.value == played
    named = {*text.partition(" as ")[0].split()[1:]}
    assert {*GAME.text.action(played).partition(" as ")[0].split()[1:]} == named
    left = {GAME.text.action(1 << card)[5:] for card in GAME.view.private(state, 0).hand}
    assert left == {*hand.split()} - named


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("play 8D", "you do not hold 8D"),
        ("play 3D 8D", "you do not hold 8D"),
        ("play 3D 3C as bomb", "3D 3C is no bomb"),
        ("play 3D 5D", "3D 5D is no combination while you hold other cards"),
        ("play 3D 3C 3H as triple_with_two", "3D 3C 3H is no triple_with_two"),
        ("pass", "who leads may not pass"),
    ],
)
def test_m10_refusals_say_why(text: str, reason: str) -> None:
    """Each way to be illegal in the lead has its own words, from the own hand alone."""
    state = position(of_ranks("33355", "66", "77"))
    assert why(state, text) == reason
    before = state.snapshot()
    with pytest.raises(IllegalActionError) as caught:
        state.apply(parse(text))
    assert str(caught.value) == reason
    assert state.snapshot() == before


@pytest.mark.parametrize("text", ["play 3D as single", "play AC AH AS"])
def test_apply_takes_an_action_as_it_is_played(text: str) -> None:
    """A type that is dropped, or one that is missing, is settled before an action is applied."""
    state = position(of_ranks("3AAA7", "66", "88"))
    action = parse(text)
    with pytest.raises(IllegalActionError, match=r"^a type is named where"):
        state.apply(action)
    assert state.as_played(action) != action
    assert state.apply(state.as_played(action))


@pytest.mark.parametrize(
    ("beat", "cards", "reason"),
    [
        (("single", 0, "K"), "5", "a single of K"),
        (("pair_run", 4, "9"), "3344", "a pair_run of 4 cards up to 9"),
        (("airplane", 6, "9"), "5", "an airplane of 6 cards up to 9"),
        (("airplane_with_wings", 2, "9"), "5", "an airplane_with_wings of 2 triples up to 9"),
        (("bomb", 0, "9"), "5", "a bomb of 9"),
    ],
)
def test_refusals_name_what_is_to_be_beaten(beat: tuple[str, int, str], cards: str, reason: str) -> None:
    """What does not beat the play on the table is refused with that play in words."""
    state = position(of_ranks("334457", "66", "77"), beat=beat)
    assert why(state, ranks(state, cards)).endswith(f" does not beat {reason}")


def test_m13_a_bad_action_in_any_phase_raises_one_kind_of_error() -> None:
    """Any number of cards and any type, in the lead, in answers and out of time: refused or legal."""
    rng = random.Random(13)
    state = start(GAME, {"topping": "forbid", "must_beat": "true"})
    tried = 0
    for phase in range(400):
        if state.to_act() == CHANCE:
            state.start_deal(Outcome((), tuple(rng.sample(range(48), 48))))
        if state.to_act() == TERMINAL:
            state = start(GAME)
        for _ in range(10):
            action = some_action(rng)
            before = state.snapshot()
            if state.normalise(action) in state.legal_actions():
                continue
            tried += 1
            with pytest.raises(IllegalActionError):
                state.apply(action)
            assert state.why_illegal(state.normalise(action)).isprintable()
            assert state.snapshot() == before
        if state.to_act() >= 0 and phase % 7:
            state.apply(rng.choice(state.legal_actions()))
    assert tried > 2_000
    with pytest.raises(MalformedActionError):
        parse("play 3D as anything")


def some_action(rng: random.Random) -> Action:
    """Returns a well-formed action, mostly a senseless one."""
    named = rng.sample(DECK, rng.choice((0, 1, 2, 3, 4, 5, 6, 10)))
    return sum(1 << card for card in named) + (rng.randrange(len(KINDS) + 1) << 52 if named else 0)

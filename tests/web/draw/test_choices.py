"""What can be clicked, and which action a click means."""

import pytest

from referee.replay.positions import SPECTATOR
from referee.web.draw import draw, fits, piece_of
from tests.web.draw import positions, reading
from tests.web.draw.test_positions import SEATS, every_game


@every_game
def test_the_pieces_of_the_choices_are_playable(name: str) -> None:
    """Of the hand exactly those pieces can be chosen that some choice takes; each choice can be clicked."""
    asked = [table for table in positions.played(name, SEATS[name], 9, viewer=0) if table.choices]
    assert asked
    for table in asked:
        root = reading.parsed(draw(table))
        can = {
            int(piece.attrib["data-piece"])
            for piece in root.iter()
            if "playable" in piece.get("class", "").split() and "data-piece" in piece.attrib
        }
        named = {piece for action in table.choices for piece in piece_of(action)}
        if name == "guan_pai":
            assert {card >> 2 for card in can} == {card >> 2 for card in named}
        else:
            assert can == named
        assert all(fits(action, piece_of(action)) for action in table.choices)
        assert root.attrib["role"] == "group"


def test_any_suits_of_the_ranks_do() -> None:
    """In Guan Pai the cards of an action may be others of the same ranks."""
    for table in positions.played("guan_pai", 3, 4, viewer=0):
        (hand,) = (seen.guan_pai.private.hand_cards for seen in table.hands.values())
        for action in table.choices:
            cards = piece_of(action)
            others = [card for card in hand if len(cards) == 1 and card >> 2 == cards[0] >> 2]
            assert all(fits(action, [card]) for card in others)
            assert not fits(action, [*cards, 51])


@pytest.mark.parametrize(
    ("name", "attribute"),
    [("block_dominoes", "data-end"), ("ding_niu", "data-end"), ("mexican_train", "data-train")],
)
def test_the_ends_that_a_choice_joins_can_be_clicked(name: str, attribute: str) -> None:
    """Open ends and trains that a choice names are playable, no others."""
    for table in positions.played(name, SEATS[name], 6, viewer=0):
        root = reading.parsed(draw(table))
        can = {
            int(end.attrib[attribute])
            for end in root.iter()
            if attribute in end.attrib and "playable" in end.attrib["class"].split()
        }
        if name == "mexican_train":
            named = {action.mexican_train.train for action in table.choices if piece_of(action)}
        else:
            named = {getattr(action, name).end for action in table.choices} - {0}
        assert can == named


@every_game
def test_without_choices_nothing_can_be_clicked(name: str) -> None:
    """A picture to look at is one image, with nothing in it that takes the focus."""
    for table in positions.played(name, SEATS[name], 1, viewer=SPECTATOR):
        picture = draw(table)

        assert 'role="img"' in picture
        assert "tabindex" not in picture

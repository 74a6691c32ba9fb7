"""M12: which lines of a command are answers in text mode, and what is said of the others."""

import pytest

from sample_bots.text.answer import WrongAnswerError, read

TILES = ("play 2-5 left", "play 5-6 right", "play 5-6 left", "discard 0-0", "settle")
CARDS = ("play 3D 3C", "play AC AH AS as bomb", "play AC AH AS", "play TD", "pass")
ONE = ("play 12-8 on public",)


@pytest.mark.parametrize(
    ("line", "texts", "index"),
    [
        ("1", TILES, 0),
        ("5\r", TILES, 4),
        ("  2\t", TILES, 1),
        ("\ufeff3", TILES, 2),
        ("03", TILES, 2),
        ("02", TILES, 1),
        ("play 2-5 left", TILES, 0),
        ("PLAY 2-5 Left \r", TILES, 0),
        ("\ufeff  play   5-6\tleft", TILES, 2),
        ("play 5-2 left", TILES, 0),
        ("discard 0-0", TILES, 3),
        ("SETTLE", TILES, 4),
        ("3. play 5-6 left", TILES, 2),
        ("play 3d 3c", CARDS, 0),
        ("play 3C 3D", CARDS, 0),
        ("play as ah ac as bomb", CARDS, 1),
        ("play ah as ac", CARDS, 2),
        ("play td", CARDS, 3),
        ("Pass", CARDS, 4),
        ("play 8-12 on PUBLIC", ONE, 0),
    ],
)
def test_m12_what_means_an_action_is_taken(line: str, texts: tuple[str, ...], index: int) -> None:
    """Numbers and texts, whatever their case and the white space around them."""
    assert read(line, texts) == index


@pytest.mark.parametrize(
    ("line", "texts", "why"),
    [
        ("", TILES, "an empty line is no answer"),
        ("\ufeff \r", TILES, "an empty line is no answer"),
        ("6", TILES, "there is no action 6; the numbers are 1 to 5"),
        ("0", TILES, "there is no action 0; the numbers are 1 to 5"),
        ("2", ONE, "there is no action 2; 1 is the only number"),
        ("1.5", TILES, "'1.5' is neither the number nor the text of an action"),
        ("٣", TILES, "'٣' is neither the number nor the text of an action"),
        ("9" * 5000, TILES, f"'{'9' * 60}…' is neither the number nor the text of an action"),
        ("7. settle", TILES, "there is no action 7; the numbers are 1 to 5"),
        ("1. settle", TILES, "action 1 is 'play 2-5 left', and not 'settle'"),
        ("play 2-5", TILES, "'play 2-5' ends too early; 'play 2-5 left' would be an action"),
        (
            "play 2-5 top",
            TILES,
            "'play 2-5 top' is no action of the list: none goes on with 't' at character 10",
        ),
        ("settled", TILES, "'settled' is no action of the list: none goes on with 'd' at character 7"),
        ("play 4D", CARDS, "'play 4d' is no action of the list: none goes on with '4' at character 6"),
        ("3C 3D play", CARDS, "'3c 3d play' is neither the number nor the text of an action"),
        ("\x1b[2J", TILES, "'\\x1b[2j' is neither the number nor the text of an action"),
    ],
)
def test_m12_what_is_wrong_is_named(line: str, texts: tuple[str, ...], why: str) -> None:
    """What is no answer is refused with one short line that names where it goes wrong."""
    with pytest.raises(WrongAnswerError) as caught:
        read(line, texts)
    assert str(caught.value) == why
    assert why.isprintable()

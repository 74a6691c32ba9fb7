"""What tests of the text of every game share."""

import pytest

from referee.errors import MalformedActionError
from referee.games.base import Game


def shown(value: object) -> str:
    """Returns the name of a test for a text, however odd and long."""
    return str(value)[:20].encode("unicode_escape").decode()


def assert_bad_byte(game: Game, text: str, offset: int, found: str) -> None:
    """Asserts that a text is refused at this byte, in a short line that names what stands there."""
    with pytest.raises(MalformedActionError) as caught:
        game.text.parse_action(text)
    reason = str(caught.value)
    assert reason.startswith(f"byte {offset}: {found}")
    assert reason.isascii()
    assert reason.isprintable()
    assert len(reason) < 130
    assert len(text[:offset].encode("utf-8")) == offset, "what comes before the bad byte is ASCII"

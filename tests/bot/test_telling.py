"""What the kit tells: news only, and nothing that commands a terminal."""

import pytest

from referee.bot.telling import Trouble, say


def told(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Returns the lines that were told since the last look."""
    return capsys.readouterr().err.splitlines()


def test_trouble_is_told_once_while_it_lasts(capsys: pytest.CaptureFixture[str]) -> None:
    """Two lines that take turns are told once each, and so are lines that differ in a number only."""
    clock = [0.0]
    trouble = Trouble(lambda: clock[0])
    for number in range(50):
        trouble.say("ipv4: refused")
        trouble.say("ipv6: refused")
        trouble.say(f"the referee failed; incident {number:x}a1b{number}")
        clock[0] += 10

    assert trouble.told
    assert told(capsys) == [
        "bot: ipv4: refused",
        "bot: ipv6: refused",
        "bot: the referee failed; incident 0a1b0",
    ]


def test_trouble_that_comes_and_goes_is_told_once_a_minute(capsys: pytest.CaptureFixture[str]) -> None:
    """A stream that breaks each second is told as often; one that stays broken is told in the end."""
    clock = [0.0]
    trouble = Trouble(lambda: clock[0])
    for _ in range(150):
        trouble.say("broken")
        trouble.over()
        clock[0] += 1
    assert told(capsys) == ["bot: broken"] * 3
    trouble.say("broken")
    assert not trouble.told
    clock[0] += 60
    trouble.say("broken")

    assert trouble.told
    assert told(capsys) == ["bot: broken"]


def test_what_a_server_says_commands_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """An escape and a line end in a note are shown."""
    say("refused: \x1b[2Ja\nbot: connected")

    assert told(capsys) == [r"bot: refused: \x1b[2Ja\nbot: connected"]

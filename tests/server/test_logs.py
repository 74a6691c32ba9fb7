"""The server's own log on a terminal."""

import io

import structlog

from referee.server import logs


class Terminal(io.StringIO):
    """A stream that says it is one."""

    def isatty(self) -> bool:
        """Says so."""
        return True


def test_nothing_in_the_log_commands_a_terminal() -> None:
    """What came from bots and files is shown, in texts and in lists of them."""
    before, terminal = structlog.get_config(), Terminal()
    try:
        logs.configure(stream=terminal)
        structlog.get_logger("x").info("bot joined", why="\x1b]0;owned\x07\nready", bots=["\x1b[2J"])
    finally:
        structlog.configure(**before)

    assert terminal.getvalue().count("\n") == 1
    assert "\x1b]0" not in terminal.getvalue()
    assert "\x1b[2J" not in terminal.getvalue()
    assert r"\x1b]0;owned\x07\nready" in terminal.getvalue()

"""Bots of a command line: what they may be called."""

from pathlib import Path

import pytest

from referee.engine.entrants import entries
from referee.errors import UsageError


@pytest.mark.parametrize(
    ("texts", "name"),
    [
        (["seat1=easy"], "seat1"),
        (["Seat-2=./bot.py"], "Seat-2"),
        (["./seat_1.py"], "seat_1"),
        (["./seat.py", "./seat.py"], "seat-2"),
        (["'./new\nline.py'"], r"new\\nline"),
    ],
)
def test_no_bot_is_called_as_a_seat_or_cannot_be_printed(
    texts: list[str], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it was given the name, or has it from its program or as a copy: one line says what to do."""
    monkeypatch.chdir(tmp_path)
    for file in ("bot.py", "seat_1.py", "seat.py", "new\nline.py"):
        Path(file).touch()

    with pytest.raises(
        UsageError, match=f"cannot be called '{name}'; give it another name, as NAME="
    ) as refused:
        entries([*texts, "easy"], "block_dominoes")
    assert str(refused.value).isprintable()

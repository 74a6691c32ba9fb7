"""A command line that cannot be had is told in one line."""

import pytest

from referee.cli.app import run


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("tournament withdraw cup easy", "missing option '--why'; `referee tournament withdraw --help`"),
        ("tournament void cup --why x", "missing argument 'MATCH'; `referee tournament void --help`"),
        ("ladder pause", "missing argument"),
        ("match easy easy --gmae x", "no such option: --gmae"),
        ("tournament run cup.toml --parallel 0", "invalid value for '--parallel'"),
        ("standings shwo", "no such command 'shwo'"),
        ("frob", "no such command 'frob'; `referee --help` tells more"),
    ],
)
def test_what_a_command_line_lacks_is_one_line(
    words: str, said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It names what is missing, unknown or out of range, and where all is told; the status is 2."""
    monkeypatch.setattr("sys.argv", ["referee"])
    assert run(words.split()) == 2
    told = capsys.readouterr()

    assert told.out == ""
    assert told.err.startswith(f"referee: {said}")
    assert told.err.endswith("--help` tells more\n")
    assert told.err.count("\n") == 1


@pytest.mark.parametrize("words", ["tournament", "bot", ""])
def test_a_group_without_a_command_shows_what_there_is(
    words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing was asked for, which is told by the help alone."""
    assert run(words.split()) == 2
    told = capsys.readouterr()

    assert "Usage: referee" in told.out + told.err
    assert "tells more" not in told.err


def test_help_is_laid_out_for_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sentences run on over the lines of the source, and a flag is not said to take a value."""
    monkeypatch.setenv("COLUMNS", "80")

    assert run(["replay", "export", "--help"]) == 0
    told = capsys.readouterr().out

    assert " A log that is not good is named, and nothing is written then." in told
    assert "--keep-going " in told
    assert "<bool>" not in told


def test_a_word_that_is_none_of_a_choice_is_told_plainly(capsys: pytest.CaptureFixture[str]) -> None:
    """The library that reads the words does not speak of errors of its own."""
    assert run(["replay", "export", "x.jsonl", "--format", "parquet"]) == 2

    assert "'--format': 'parquet' is not one of 'json', 'csv'; " in capsys.readouterr().err

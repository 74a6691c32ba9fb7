"""The commands that are printed run as they stand."""

import sys
from pathlib import Path

import pytest

from referee.cli.program import command


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Makes a `referee` that is called by its path; the PATH leads to another one."""
    for folder in ("mine", "other"):
        (tmp_path / folder).mkdir()
        path = tmp_path / folder / "referee"
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "other"))
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "mine" / "referee"), "match"])
    return tmp_path / "mine" / "referee"


def test_another_referee_on_the_path_is_not_named(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program is written as it was called, until the PATH leads to it."""
    assert command("standings") == f"{script} standings"
    monkeypatch.setenv("PATH", "")
    assert command("standings") == f"{script} standings"
    monkeypatch.setenv("PATH", str(script.parent))
    assert command("standings") == "referee standings"


def test_a_module_is_called_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Started with `-m`, it is started so again, by the same Python."""
    monkeypatch.setattr(sys, "argv", ["/somewhere/referee/__main__.py", "match"])
    monkeypatch.setattr(sys, "orig_argv", ["./py thon", "-m", "referee", "match"])

    assert command("standings") == "'./py thon' -m referee standings"


@pytest.mark.usefixtures("script")
def test_words_are_quoted_and_the_data_folder_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A shell reads the words as they were; the folder is left out when it is the working folder."""
    monkeypatch.setattr(sys, "argv", ["referee"])
    monkeypatch.setenv("PATH", "")

    assert command("bot", "add", "it's", data=Path("a b")) == """referee bot add 'it'"'"'s' --data 'a b'"""
    assert command("standings", data=Path()) == "referee standings"

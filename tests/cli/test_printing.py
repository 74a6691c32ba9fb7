"""Lines for people: one place prints them, and nothing in them commands a terminal."""

import ast
from pathlib import Path

import pytest

from referee.cli import printing
from referee.cli.app import run

FOLDER = Path(printing.__file__).parent


def printed(tree: ast.AST) -> list[int]:
    """Returns the lines on which something is printed by `print`."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]


@pytest.mark.parametrize("module", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_no_other_module_prints(module: Path) -> None:
    """Whoever prints by itself could print what a peer or a file has put into a name."""
    found = printed(ast.parse(module.read_text(encoding="utf-8")))

    assert bool(found) == (module.stem == "printing")


def test_nothing_is_obeyed(capsys: pytest.CaptureFixture[str]) -> None:
    """Escapes and line ends are shown; a tab stays a tab."""
    printing.tell("a\x1b[31mb\nreferee: c\td\x9b0m\u202e")
    printing.warn("a\rb")
    printing.refuse("one\x07\ntwo")
    out, err = capsys.readouterr()

    assert out == "a\\x1b[31mb\\nreferee: c\td\\x9b0m\\u202e\n"
    assert err == "a\\rb\nreferee: one\\x07\nreferee: two\n"


def test_a_key_of_a_file_reaches_no_terminal_raw(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown key that holds an escape and a line end is one line, which names it."""
    path = tmp_path / "ladder.toml"
    path.write_text('[ladder]\nname = "x"\n"a\\u001b[31m\\nreferee: done" = 1\n[games.ding_niu]\n', "utf-8")

    assert run(["serve", "--data", str(tmp_path), "--ladder", str(path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"referee: {path}:3: ladder.a\\x1b[31m\\nreferee: done: unknown key")

"""Bots of the command line are found, or refused with a hint, before anything starts."""

import sys
from pathlib import Path

import pytest

from referee.errors import LaunchError
from referee.server import resolve as module
from referee.server.resolve import display_name, fingerprint, resolve, split_name, unique_names
from referee.store.bots import HOUSE_BOTS

GAME = "block_dominoes"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Works in an empty folder, with a PATH that holds one program, and with sample bots of its own."""
    work, path, samples = (tmp_path / name for name in ("work", "path", "samples"))
    for place in (work, path, samples / "house", samples / "misbehaving"):
        place.mkdir(parents=True)
    for name in HOUSE_BOTS:
        (samples / "house" / f"{name}.py").write_text("")
    (samples / "misbehaving" / "late.py").write_text("")
    program(path / "dominator")
    monkeypatch.chdir(work)
    monkeypatch.setenv("PATH", str(path))
    monkeypatch.setattr(module, "sample_folder", lambda: samples)
    return work


def program(path: Path, mode: int = 0o755) -> Path:
    """Writes a script that can be run."""
    path.write_text("#!/bin/sh\n")
    path.chmod(mode)
    return path


def test_house_bots_go_by_name(tmp_path: Path) -> None:
    """A house bot is a script that the referee's own interpreter runs."""
    expected = [sys.executable, str(tmp_path / "samples/house/expert.py"), "--fast"]

    assert expected == resolve("expert --fast", GAME)


@pytest.mark.parametrize(
    "command", ["misbehaving/late", "misbehaving/late.py", "sample_bots/misbehaving/late.py"]
)
def test_other_sample_bots_go_by_path(command: str, tmp_path: Path) -> None:
    """Every sample bot is found by its path, from any working folder."""
    assert [sys.executable, str(tmp_path / "samples/misbehaving/late.py")] == resolve(command, GAME)


def test_own_file_goes_before_a_sample_bot(folder: Path) -> None:
    """A path that exists here is never taken for a sample bot."""
    (folder / "misbehaving").mkdir()
    own = program(folder / "misbehaving" / "late.py")

    assert [str(own)] == resolve("misbehaving/late.py", GAME)


def test_commands_are_found_on_the_path_and_here(folder: Path, tmp_path: Path) -> None:
    """A word is looked up on the PATH, a path from the working folder; arguments stay."""
    mine = program(folder / "mybot")
    script = program(folder / "my bot.py", 0o644)

    assert [str(tmp_path / "path/dominator"), "-d", "2"] == resolve("dominator -d 2", GAME)
    assert [str(mine)] == resolve("./mybot", GAME)
    assert [str(mine)] == resolve("mybot", GAME)
    assert [sys.executable, str(script), "x"] == resolve("'./my bot.py' x", GAME)


@pytest.mark.parametrize(
    ("command", "hint"),
    [
        ("expret", "did you mean expert"),
        ("./mybto", "did you mean ./mybot?"),
        ("dominatr", "did you mean dominator?"),
        ("dominator2/x", "no such program"),
        ("laet.py", "did you mean sample_bots/misbehaving/late.py?"),
        ("misbehaving/laet", "did you mean sample_bots/misbehaving/late.py?"),
    ],
)
def test_u4_typo_names_bot_path_folder_and_hint(command: str, hint: str, folder: Path) -> None:
    """A missing program is refused with its name, the path tried, the folder and what may be meant."""
    program(folder / "mybot")

    with pytest.raises(LaunchError) as caught:
        resolve(command, GAME)

    message = str(caught.value)
    assert message.startswith(f"bot {command}: ")
    assert f"tried {folder / command}" in message
    assert f"working folder {folder}" in message
    assert hint in message
    assert "\n" not in message


def test_u4_typo_in_the_script_of_an_interpreter(folder: Path, tmp_path: Path) -> None:
    """A script that an interpreter is to run has to exist too."""
    program(tmp_path / "path" / "python3")
    program(folder / "mybot.py", 0o644)

    with pytest.raises(LaunchError, match=r"bot mybto\.py: .*did you mean mybot\.py"):
        resolve("python3 -u mybto.py", GAME)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("", "empty"),
        ("'mybot", "quot"),
        (".", "is a folder"),
        ("./plain", r"not executable; try chmod \+x ./plain"),
    ],
)
def test_u4_other_mistakes_say_what_to_do(command: str, message: str, folder: Path) -> None:
    """A command that cannot be run is refused with the reason."""
    (folder / "plain").write_text("")

    with pytest.raises(LaunchError, match=message):
        resolve(command, GAME)


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("expert", "expert"),
        ("./bots/mybot.py --level 3", "mybot"),
        ("python3 -u ./bots/deep.py", "deep"),
        ("java -jar target/star.jar", "star"),
        ("./🤖 бот.exe", "🤖"),
        ("'", "bot"),
        ("", "bot"),
    ],
)
def test_u6_display_names(command: str, name: str) -> None:
    """A bot is called after its program, or the script that its interpreter runs; any letters do."""
    assert name == display_name(command)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["easy", "easy", "Easy"], ["easy", "easy-2", "Easy-3"]),
        (["easy", "easy-2", "easy"], ["easy", "easy-2", "easy-3"]),
        (["easy", "easy", "easy-2"], ["easy", "easy-3", "easy-2"]),
    ],
)
def test_k15_repeated_names_get_suffixes(names: list[str], expected: list[str]) -> None:
    """No two bots share a name, whatever its case, and no suffix takes the name of another."""
    assert expected == unique_names(names)


@pytest.mark.parametrize("command", ["smptd.py", "domin", "./x"])
def test_u4_what_is_not_close_is_not_offered(command: str, folder: Path, tmp_path: Path) -> None:
    """A program of the PATH that is a bit alike or shares its ending is not meant, nor is a folder."""
    program(tmp_path / "path" / "smtpd.py")
    program(folder / "d")
    (folder / "smptd2").mkdir()

    with pytest.raises(LaunchError) as caught:
        resolve(command, GAME)

    assert "did you mean" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("deep=python3 my.py --depth=3", ("deep", "python3 my.py --depth=3")),
        ("a.b-C_1=easy", ("a.b-C_1", "easy")),
        ("FOO=1", ("FOO", "1")),
        ("easy", (None, "easy")),
        ("./bot --depth=3", (None, "./bot --depth=3")),
        ("bot --depth=3", (None, "bot --depth=3")),
        ("=x", (None, "=x")),
        ("n\u00e4me=x", (None, "n\u00e4me=x")),
        ("x" * 65 + "=x", (None, "x" * 65 + "=x")),
        ("odd=file", (None, "odd=file")),
        ("odd=file --depth 3", (None, "odd=file --depth 3")),
    ],
)
def test_k15_a_name_may_stand_before_a_command(
    text: str, expected: tuple[str | None, str], folder: Path
) -> None:
    """What stands before the first `=` is a name, unless it cannot be one or names an existing file."""
    program(folder / "odd=file")

    assert expected == split_name(text)


def test_k15_commands_of_one_name_are_told_apart(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another file and other arguments give another mark; a moved folder gives the same."""
    for name in ("a", "b"):
        (folder / name).mkdir()
        program(folder / name / "bot.py")
    marks = [fingerprint(resolve(text, GAME)) for text in ("a/bot.py", "b/bot.py", "a/bot.py -d 2")]
    folder.rename(folder.with_name("moved"))
    monkeypatch.chdir(folder.with_name("moved"))

    assert len(set(marks)) == 3
    assert marks[0] == fingerprint(resolve("./a/bot.py", GAME))
    assert all(len(mark) == 6 for mark in marks)

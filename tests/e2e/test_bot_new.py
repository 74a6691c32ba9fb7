"""`referee bot new`: each project is built and plays by the commands that are told; it is all or nothing."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.bot_project import starter
from referee.bot_project.languages import Language, find, languages
from referee.games import names
from tests.disks import filled, read_only, small_disk
from tests.e2e.commands import Command
from tests.e2e.languages import BUILD_LIMIT, ROOT, Bots
from tests.patience import PATIENCE
from tests.requirements import require
from tests.test_docs import LINK, SHELL, anchors

each = pytest.mark.parametrize("language", languages(), ids=lambda language: language.name)


@pytest.fixture
def referee(tmp_path: Path) -> Command:
    """Returns the command in an empty folder."""
    return Command(tmp_path)


def contents(folder: Path) -> set[str]:
    """Returns the paths of all files in a folder."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def heading(language: Language) -> str:
    """Returns what heads the page of a sample bot."""
    page = (language.source() / "README.md").read_text(encoding="utf-8")
    return page.splitlines()[0].removeprefix("# ")


def in_shell(folder: Path, data: Path, *lines: str) -> subprocess.CompletedProcess[str]:
    """Runs commands in a shell as they are printed."""
    return subprocess.run(
        ["sh", "-ec", "\n".join(lines)],
        cwd=folder,
        env={**os.environ, "REFEREE_DATA": str(data)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.mark.timeout(2 * BUILD_LIMIT)
@each
def test_a_project_plays_and_is_checked_by_the_commands_that_are_told(
    built: Bots, language: Language, tmp_path: Path
) -> None:
    """The match and the check run as they are printed, and the bot plays without a fault under its name."""
    folder, (enter, *_, match, check) = built.told(language.name)
    played = in_shell(folder, tmp_path, enter, f"{match} --option target=10 --json")
    assert played.returncode == 0, played.stderr
    faults = {place["bot"]: place["faults"] for place in json.loads(played.stdout)["placements"]}
    assert faults[f"my-{language.name}"] == {}

    quick = check.replace(" check ", " check --only hello --json ")
    checked = in_shell(folder, tmp_path, enter, quick)
    assert checked.returncode == 0, checked.stderr
    assert json.loads(checked.stdout)["ok"] is True


@each
def test_the_readme_of_a_project_has_the_commands(language: Language, referee: Command) -> None:
    """It is headed by the name, has the commands that are told, and leads to the rules of each game."""
    done = referee.here("bot", "new", "--language", language.name, "my-bot")
    assert (done.returncode, done.stderr) == (0, "") or language.missing()
    page = (referee.folder / "my-bot" / "README.md").read_text(encoding="utf-8")
    shell = "".join(SHELL.findall(page))

    assert page.startswith(f"# my-bot\n\n{heading(language)}.\n")
    told = [line.strip() for line in done.stdout.splitlines() if line.startswith("    ")]
    enter, *build, match, check = told
    assert enter == "cd my-bot"
    assert [command for command in (*build, language.run) if command not in shell] == []
    for line in (match, check):
        words = shlex.split(line)
        short = shlex.join(words[words.index("referee") :])
        assert f"{short}\n" in shell
    assert [name for name in names() if f"(rules/{name}.md)" not in page] == []


@each
def test_a_project_has_all_it_needs_and_no_more(language: Language, referee: Command) -> None:
    """The files of the sample, the contract, the rules; the name of the sample is nowhere left."""
    project = referee.folder / "my-bot"
    starter.write(starter.files(language, "my-bot"), project)
    contract = {f"proto/{path}" for path in contents(ROOT / "proto") if path.endswith((".proto", ".md"))}
    rules = {f"rules/{name}.md" for name in names()}

    assert contents(project) == {*map(str, language.files()), ".gitignore", *contract, *rules}
    texts = {path: (project / path).read_text(encoding="utf-8") for path in contents(project)}
    assert [path for path, text in texts.items() if starter.SAMPLE in text] == []
    if language.build:
        assert any("my-bot" in text for path, text in texts.items() if path != "README.md")
    for path in language.files():
        assert os.access(project / path, os.X_OK) == os.access(language.source() / path, os.X_OK)
        assert os.access(project / path, os.W_OK)


@each
def test_all_links_of_a_project_lead_somewhere_in_it(language: Language, tmp_path: Path) -> None:
    """Its pages link what comes with it, and nothing beside it."""
    project = tmp_path / "my-bot"
    starter.write(starter.files(language, "my-bot"), project)
    broken = []
    for page in project.rglob("*.md"):
        for link in LINK.findall(page.read_text(encoding="utf-8")):
            name, _, anchor = link.partition("#")
            target = (page.parent / name).resolve() if name else page
            if not re.match(r"[a-z]+:", link) and (
                not target.is_relative_to(project)
                or not target.is_file()
                or (anchor and anchor not in anchors(target))
            ):
                broken.append(f"{page.name}: {link}")

    assert broken == []


@each
def test_git_takes_a_project_and_nothing_that_is_built(language: Language, tmp_path: Path) -> None:
    """What is built, what a match leaves and tokens stay out of a commit, in a project as in the tree."""
    require("git")
    project = tmp_path / "my-bot"
    starter.write(starter.files(language, "my-bot"), project)
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    left = ["output/x", "replays/x", "referee.db", "my.token", *(f"{path}/x" for path in language.skip)]
    files = [str(path) for path in language.files()]
    assert ignored(project, *left, *files, *language.locks) == sorted(left)

    built = [f"sample_bots/{language.folder}/{path}/x" for path in language.skip]
    built += [f"sample_bots/{language.folder}/{path}" for path in (*language.locks, "output/x", "referee.db")]
    shutil.copy(ROOT / ".gitignore", tmp_path)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    assert ignored(tmp_path, *built) == sorted(built)


def ignored(folder: Path, *paths: str) -> list[str]:
    """Returns those of the paths that git would not take."""
    asked = ["git", "-C", str(folder), "check-ignore", "--no-index", *paths]
    return sorted(subprocess.run(asked, capture_output=True, text=True, check=False).stdout.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", "choose a language and name the bot, as in: {} bot new --language go mybot; there are {known}"),
        ("mybot", "choose its language, as in: {} bot new --language go mybot; there are {known}"),
        ("--language go", "name the bot, as in: {} bot new --language go mybot"),
        ("--language c++ x", "no sample bot in 'c++'; there are {known}; did you mean cpp?"),
        ("--language pyhton x", "no sample bot in 'pyhton'; there are {known}; did you mean python?"),
        ("--language cobol", "no sample bot in 'cobol'; there are {known}"),
    ],
)
def test_what_a_command_line_lacks_is_told_with_what_there_is(
    referee: Command, words: str, said: str
) -> None:
    """Without a name, without a language, or with one that there is not: one line, and nothing is written."""
    done = referee.run("bot", "new", *words.split())
    known = ", ".join(language.name for language in languages())

    program = shlex.join([sys.executable, "-m", "referee"])
    assert done.stderr == f"referee: {said.format(program, known=known)}\n"
    assert (done.returncode, done.stdout, contents(referee.folder)) == (2, "", set())


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("My Bot", "my-bot"),
        ("my_bot", "my-bot"),
        ("3bot", "bot"),
        ("bot--2", "bot-2"),
        ("bot-", "bot"),
        ("../bot", "bot"),
        ("a" * 41, "a" * 40),
        ("bö", "b"),
        ("", ""),
        ("日本", ""),
        ("a\nb\x1b[31m", "a-b-31m"),
    ],
)
def test_odd_names_are_refused_in_one_line(referee: Command, name: str, meant: str) -> None:
    """One rule fits all languages; a name that is close to what was written is offered."""
    done = referee.here("bot", "new", "--language", "python", "--", name)

    assert (done.returncode, done.stdout, contents(referee.folder)) == (2, "", set())
    (line,) = done.stderr.splitlines()
    assert line.startswith("referee: name ")
    assert line.endswith(f"; did you mean {meant}?" if meant else "a letter first")


@pytest.mark.parametrize("name", ["easy", "expert", "seat-1"])
def test_names_of_others_are_refused(referee: Command, name: str) -> None:
    """House bots and seats without names are called so in every table."""
    done = referee.here("bot", "new", "--language", "python", name)

    assert done.returncode == 2
    assert done.stderr == f"referee: name {name!r}: the referee calls others so; take another\n"


def test_a_folder_is_named_made_or_filled(referee: Command) -> None:
    """A new folder is made where it is named; an empty one, the working folder too, is filled."""
    made = referee.here("bot", "new", "--language", "Python", "mybot", "--folder", "it's mine")
    assert "    cd 'it'\"'\"'s mine'\n" in made.stdout
    assert (referee.folder / "it's mine" / "bot.py").is_file()
    here = Command(referee.folder / "here")
    here.folder.mkdir()
    filled = here.here("bot", "new", "--language", "python", "mybot", "--folder", ".")
    assert (filled.returncode, filled.stderr) == (0, "")
    assert "cd " not in filled.stdout
    assert contents(here.folder) == contents(referee.folder / "it's mine")
    assert {path.name for path in referee.folder.iterdir()} == {"here", "it's mine"}


def test_nothing_is_written_over(referee: Command) -> None:
    """A folder with something in it, a file, a missing place: one line, and all is as it was."""
    (referee.folder / "full").mkdir()
    (referee.folder / "full" / "mine").touch()
    (referee.folder / "file").touch()
    (referee.folder / "link").symlink_to("nowhere")
    before = sorted(referee.folder.rglob("*"))
    for folder, why in {
        "full": "something is in it already; name a new one with --folder",
        "file": "there is a file of this name; name another with --folder",
        "link": "there is a file of this name; name another with --folder",
        "a/b": "there is no folder a; make it first",
        "file/b": "there is no folder file; make it first",
        "x" * 300: "File name too long; name another with --folder",
    }.items():
        done = referee.here("bot", "new", "--language", "python", "full", "--folder", folder)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == f"referee: folder {folder}: {why}\n"

    assert sorted(referee.folder.rglob("*")) == before


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Returns a small file system of its own."""
    with small_disk(tmp_path / "disk") as at:
        yield at


@pytest.mark.parametrize("folder", ["mybot", "."])
def test_a_place_for_reading_only_is_refused(disk: Path, folder: str) -> None:
    """One line says that nothing can be written there."""
    with read_only(disk):
        done = Command(disk).here("bot", "new", "--language", "python", "mybot", "--folder", folder)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"referee: folder {folder}: Read-only file system; nothing was written\n"


def test_on_a_full_disk_it_is_all_or_nothing(disk: Path) -> None:
    """A disk that is full before all is written has no part of a project on it, and one line says why."""
    words = ("bot", "new", "--language", "python", "mybot", "--folder")
    with filled(disk):
        full = Command(disk).here(*words, "new")
        assert {path.name for path in disk.iterdir()} == {"fill"}
    (disk / "empty").mkdir()
    (disk / "most").write_bytes(bytes(400 * 1024))
    half = Command(disk).here(*words, "empty")

    assert full.stderr == "referee: folder new: No space left on device; nothing was written\n"
    assert half.stderr == "referee: folder empty: No space left on device; nothing was written\n"
    assert (full.returncode, half.returncode) == (2, 2)
    assert contents(disk) == {"most"}


def test_the_list_tells_what_is_here(referee: Command) -> None:
    """All languages are listed, for people and for programs, with the tools that are missing."""
    (referee.folder / "bin").mkdir()
    for tool in find("go").needs:
        (referee.folder / "bin" / tool).write_text("#!/bin/sh\n")
        (referee.folder / "bin" / tool).chmod(0o755)
    referee.environment["PATH"] = str(referee.folder / "bin")
    shown = referee.here("bot", "new", "--list")
    told = json.loads(referee.here("bot", "new", "--list", "--json").stdout)["languages"]

    rows = {row["name"]: row for row in told}
    assert list(rows) == [language.name for language in languages()]
    assert (rows["go"]["title"], rows["go"]["needs"], rows["go"]["missing"]) == ("Go", ["go", "make"], [])
    assert rows["typescript"]["missing"] == ["node", "npm"]
    assert re.search(r"^ go .* go, make +yes$", shown.stdout, re.MULTILINE)
    assert re.search(r"^ typescript .* without node, npm$", shown.stdout, re.MULTILINE)


def test_a_project_without_its_tools_is_written_and_says_so(referee: Command) -> None:
    """Who has yet to install them has the project, and reads what is missing."""
    referee.environment["PATH"] = ""
    done = referee.here("bot", "new", "--language", "go", "mybot")

    assert done.returncode == 0
    assert done.stderr.startswith("not on this machine's PATH yet: go, make; README.md tells")
    assert (referee.folder / "mybot" / "bot.go").is_file()

"""What the documents say of the code."""

import ast
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee import games
from referee.bot import Answer, Turn, tiles
from referee.cli.app import COMMANDS
from referee.games.base import Chance
from referee.match.config import Penalties
from referee.match.shuffle import commit, deal_seed, derived_secret, draw
from referee.server.session import TRANSITIONS
from referee.v1 import play_service_pb2
from referee.v1.fault_pb2 import FaultKind
from referee.v1.match_pb2 import Termination

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
SHELL = re.compile(r"^```sh$(.*?)^```$", re.MULTILINE | re.DOTALL)
PYTHON = re.compile(r"^```python$(.*?)^```$", re.MULTILINE | re.DOTALL)
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
PORT = re.compile(r"(?:127\.0\.0\.1:|--port |example\.org:)(\d+)")
MADE_FOLDER = re.compile(r"(?:REFEREE_DATA=|--data )(\w+)")
MADE_FILE = re.compile(r"(?:(?<= > )|(?<=store backup ))([\w./]+)")
SKIPPED = {".venv", ".git", "node_modules", "build", "dist"}


def documents() -> Iterator[Path]:
    """Yields every Markdown file of the project; a build that comes and goes meanwhile is not looked into."""
    found: list[Path] = []
    for folder, inner, names in os.walk(ROOT):
        inner[:] = set(inner) - SKIPPED
        found += [Path(folder, name) for name in names if name.endswith(".md")]
    yield from sorted(found)


def anchors(path: Path) -> set[str]:
    """Returns the anchors of a document's headings."""
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def bare(source: str) -> str:
    """Returns a program without its comments and docstrings, in one form."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:]
    return ast.unparse(tree)


def contract() -> str:
    """Returns the contract in prose."""
    return (ROOT / "proto" / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", list(documents()), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_relative_link_leads_somewhere(path: Path) -> None:
    """Links between files of the project name a file, and a heading in it where they have an anchor."""
    broken = []
    for link in LINK.findall(FENCE.sub("", path.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)

    assert broken == []


def test_the_readme_leads_to_every_page_of_docs() -> None:
    """Whoever reads the README finds each page, linked in the text and not in the list of folders only."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    guide = FENCE.sub("", text.partition("## Where things are")[0])
    linked = {link.partition("#")[0] for link in LINK.findall(guide)}

    assert [
        path.name for path in sorted((ROOT / "docs").glob("*.md")) if f"docs/{path.name}" not in linked
    ] == []


def test_the_bot_of_the_readme_is_the_sample_bot() -> None:
    """The README shows the first sample bot as it is, but for comments."""
    shown = PYTHON.findall((ROOT / "README.md").read_text(encoding="utf-8"))[0]

    assert bare(shown) == bare((ROOT / "sample_bots/python/first_bot.py").read_text(encoding="utf-8"))


def test_the_choose_of_the_readme_reads_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    """The second program of the README shows hand, line and ends, and plays the heaviest tile."""
    shown = PYTHON.findall((ROOT / "README.md").read_text(encoding="utf-8"))[1]
    names: dict[str, Any] = {"Turn": Turn, "Answer": Answer, "tiles": tiles}
    exec(shown, names)  # noqa: S102 -- it is ours
    asked = play_service_pb2.Turn()
    table = asked.observation.block_dominoes
    table.private.hand_tiles.extend((0x12, 0x56, 0x66))
    table.public.line_tiles.extend((0x62, 0x21))
    for tile in (0x12, 0x56):
        asked.legal_actions.add().block_dominoes.tile = tile
    answer = names["choose"](Turn(asked, play_service_pb2.MatchStarted()))

    assert capsys.readouterr().out == "hand: 1-2 5-6 6-6 line: 6-2 2-1 ends: (6, 1)\n"
    assert answer.block_dominoes.tile == 0x56


@pytest.mark.parametrize("page", ["README.md", "proto/README.md", "sample_bots/README.md"])
def test_the_rules_of_each_game_are_linked(page: str) -> None:
    """Whoever begins with any of these pages finds the page of each game."""
    text = (ROOT / page).read_text(encoding="utf-8")

    assert [name for name in games.names() if f"games/{name}/README.md" not in text] == []


@pytest.mark.parametrize(
    "path", [path for path in documents() if PORT.search(path.read_text("utf-8"))], ids=lambda path: path.name
)
def test_all_pages_use_one_port(path: Path) -> None:
    """Commands of different pages find each other: all name the port of `make serve`."""
    (port,) = re.findall(r"^PORT \?= (\d+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)

    assert set(PORT.findall(path.read_text(encoding="utf-8"))) == {port}


def test_the_readme_names_commands_that_exist() -> None:
    """Every `referee` and `make` of the README's shell blocks is a subcommand or a target."""
    shell = "".join(SHELL.findall((ROOT / "README.md").read_text(encoding="utf-8")))
    targets = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    called = set(re.findall(r"^referee ([a-z-]+)", shell, re.MULTILINE))
    made = set(re.findall(r"^make ([a-z][a-z-]*)", shell, re.MULTILINE))

    assert called == set(COMMANDS)
    assert {"run", "test"} <= made <= set(targets)


def test_git_takes_nothing_that_the_pages_have_people_make(tmp_path: Path) -> None:
    """Tokens, data folders and copies of the store of who follows the commands stay out of a commit."""
    made = set()
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        shell = "".join(SHELL.findall(path.read_text(encoding="utf-8")))
        made |= {f"{folder}/referee.db" for folder in MADE_FOLDER.findall(shell)}
        made |= set(MADE_FILE.findall(shell))
    secret = {name for name in made if not name.endswith(".json")}
    assert {"arena/mybot.token", "scratch/mybot.token", "safe.db", "arena/referee.db"} <= secret
    git = ("git", "-C", str(tmp_path))
    subprocess.run([*git, "init", "-q"], check=True)
    shutil.copy(ROOT / ".gitignore", tmp_path)
    asked = [*git, "check-ignore", *sorted(secret), "mybot.token"]
    ignored = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.split()

    assert secret - set(ignored) == set()
    assert "mybot.token" in ignored


def test_the_contract_tells_the_consequence_of_every_fault() -> None:
    """Each fault has one row, with its name, in the table of faults."""
    table = contract().split("| fault |")[1].split("\n\n")[0]
    rows = re.findall(r"^\| `([A-Z_]+)` \|.*\|.*\|.*\|$", table, re.MULTILINE)
    kinds = [name.removeprefix("FAULT_KIND_") for name in FaultKind.keys()]  # noqa: SIM118 -- no dict

    assert sorted(rows) == sorted(kind for kind in kinds if kind != "UNSPECIFIED")
    assert (
        "| process ended (launched bots only) |" in contract()
    )  # is no kind: nothing of it is told to the bot


def test_the_contract_draws_the_session() -> None:
    """The diagram of a session has an arrow for each transition of the table, and no other."""
    drawn = set(
        re.findall(r"^    (new|open|leaving) --> (new|open|leaving): (.+)$", contract(), re.MULTILINE)
    )
    arrows = {
        (state, following, ", ".join(sorted(kind for kind, end in taken.items() if end == following)))
        for state, taken in TRANSITIONS.items()
        for following in taken.values()
    }

    assert drawn == arrows


def test_the_contract_tells_every_termination() -> None:
    """Each termination has one row in its table."""
    table = contract().split("| termination |")[1].split("\n\n")[0]
    kinds = [name.removeprefix("TERMINATION_") for name in Termination.keys()]  # noqa: SIM118 -- no dict

    assert re.findall(r"^\| `([A-Z_]+)` \|", table, re.MULTILINE) == kinds[1:]


def test_the_contract_has_the_default_penalties() -> None:
    """The numbers of the table of faults are the defaults of the code."""
    penalties = Penalties()

    assert (penalties.retries, penalties.strikes, penalties.strays) == (3, 5, 10)
    assert "3 retries a turn" in contract()
    assert "Five strikes are a forfeit" in contract()
    assert "every 10th of these four" in contract()


def test_the_page_on_replays_has_true_vectors() -> None:
    """The documented test vectors are what the shuffle gives."""
    page = (ROOT / "replays" / "README.md").read_text(encoding="utf-8").split("\n## Test vectors\n")[1]
    told = re.findall(r"`([0-9a-f ]+)`", page.split("| value | result |")[1])
    group, secret = "018f0000-0000-7000-8000-000000000001", bytes(range(32))
    one, two = (deal_seed(secret, group, deal, (b"", b"\x01\x02", b"", b"abc")) for deal in (1, 2))
    small = draw(one, Chance((4,), 6))

    assert told == [
        commit(group, secret),
        one.hex(),
        two.hex(),
        derived_secret(7, group).hex(),
        " ".join(map(str, draw(one, Chance((), 28)).order)),
        " ".join(map(str, draw(two, Chance((), 28)).order)),
        str(small.draws[0]),
        " ".join(map(str, small.order)),
    ]

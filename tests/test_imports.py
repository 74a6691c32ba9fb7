"""The direction of imports: what a package may import of ours, and what it never touches."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from referee.games import names

ROOT = Path(__file__).resolve().parent.parent

CLOCKS = ("time", "datetime")
CHANCE = ("random", "secrets", "uuid")
OUTSIDE = ("os", "io", "pathlib", "shutil", "socket", "subprocess", "sqlite3", "sqlalchemy")
LOOPS = ("asyncio", "threading", "multiprocessing", "concurrent", "signal")
LOGS = ("logging", "structlog", "rich", "typer")
WIRE = ("grpc", "grpc_health", "grpc_reflection", "google")
PURE = (*CLOCKS, *CHANCE, *OUTSIDE, *LOOPS, *LOGS)

MAX_LINES = 300


@dataclass(frozen=True)
class Row:
    """What the modules under a prefix may import of ours, and what they may never import."""

    may: tuple[str, ...]
    never: tuple[str, ...] = ()


VERSION = ("referee", "referee.__version__")
REGISTRY = ("referee.games", "referee.games.REGISTRY", "referee.games.find", "referee.games.names")
BASE = ("referee.errors.*", "referee.games.base.*", "referee.games.info.*")
GAME = (*BASE, *(f"referee.games.{shared}.*" for shared in ("tiles", "line", "cards", "words", "memo")))
MATCH = (*BASE, "referee.match.*")
REPLAY = (*MATCH, *REGISTRY, "referee.replay.*")
TOURNAMENT = ("referee.errors.*", "referee.match.config.*", "referee.match.result.*", "referee.tournament.*")
STORE = (*TOURNAMENT, "referee.match.events.*", "referee.replay.*", "referee.store.*")
ENVS = (
    *GAME,
    *REGISTRY,
    *(f"referee.games.{name}.*" for name in names()),
    "referee.match.shuffle.*",
    "referee.envs.*",
)
SERVER = (*VERSION, *REPLAY, *STORE, "referee.games.encode.*", "referee.server.*", "referee.v1.*")
ENGINE = (*SERVER, "referee.engine.*")
PROJECT = (
    *VERSION,
    "referee.errors.*",
    "referee.server.resolve.*",
    "referee.tournament.names.*",
    "referee.tournament.house.*",
    "referee.bot_project.*",
)
ORGANISER = (*ENGINE, "referee.organiser.*")
CHECK = (*ENGINE, "referee.check.*")
WORDS = ("referee.bot.action_text.*", "referee.bot.wording.*")
SEAT = tuple(f"referee.person.{module}.*" for module in ("outcome", "refusals", "seat", "table", "words"))
WEB = (*VERSION, *STORE, *REPLAY, "referee.games.*", *WORDS, *SEAT, "referee.v1.*", "referee.web.*")
BOT = ("referee.v1.*", "referee.bot.*")
PERSON = (*BOT, "referee.errors.*", "referee.tournament.leaderboard.*", "referee.person.*")

TABLE = {
    "referee": Row((), (*PURE, *WIRE)),
    "referee.__main__": Row(("referee.cli.*",), (*PURE, *WIRE)),
    "referee.errors": Row((), (*PURE, *WIRE)),
    "referee.v1": Row(("referee.v1.*",), PURE),
    "referee.games": Row(("referee.errors.*", "referee.games.*"), (*PURE, *WIRE)),
    "referee.games.info": Row(("referee.errors.*",), (*PURE, *WIRE)),
    "referee.games.base": Row(BASE, (*PURE, *WIRE)),
    "referee.games.tiles": Row(BASE, (*PURE, *WIRE)),
    "referee.games.line": Row((*BASE, "referee.games.tiles.*"), (*PURE, *WIRE)),
    "referee.games.words": Row(BASE, (*PURE, *WIRE)),
    "referee.games.memo": Row((), (*PURE, *WIRE)),
    "referee.games.cards": Row(BASE, (*PURE, *WIRE)),
    "referee.games.encode": Row(("referee.errors.*",), (*PURE, "grpc")),
    "referee.games.*": Row((*GAME, "{game}.*"), (*PURE, *WIRE)),
    "referee.games.*.wire": Row(
        (*GAME, "{game}.*", "referee.games.encode.*", "referee.v1.*"), (*PURE, "grpc")
    ),
    "referee.match": Row(MATCH, (*PURE, *WIRE)),
    "referee.replay": Row((*REPLAY, *VERSION), (*LOOPS, *LOGS, *WIRE)),
    "referee.replay.record": Row(REPLAY, (*PURE, *WIRE)),
    "referee.replay.verify": Row(REPLAY, (*CLOCKS, *CHANCE, *LOOPS, *LOGS, *WIRE)),
    "referee.tournament": Row(TOURNAMENT, (*CLOCKS, "secrets", "uuid", *OUTSIDE, *LOOPS, *LOGS, *WIRE)),
    "referee.store": Row((*VERSION, *STORE), (*LOOPS, *WIRE)),
    "referee.envs": Row(ENVS, (*CLOCKS, "random", "uuid", *OUTSIDE, *LOOPS, *LOGS, *WIRE)),
    "referee.server": Row(SERVER),
    "referee.engine": Row(ENGINE, ("typer",)),
    "referee.bot_project": Row(PROJECT, (*CLOCKS, "typer", "grpc")),
    "referee.check": Row(CHECK, ("typer", "rich")),
    "referee.organiser": Row(ORGANISER, ("typer", "grpc")),
    "referee.web.draw": Row(
        ("referee.games.tiles.*", "referee.games.cards.*", "referee.v1.*", "referee.web.draw.*"),
        (*PURE, "grpc"),
    ),
    "referee.web": Row(WEB, ("grpc", "typer", "rich")),
    "referee.cli": Row(
        (
            *ORGANISER,
            "referee.web.*",
            "referee.check.*",
            "referee.person.*",
            *PROJECT,
            "referee.bot.action_text.*",
            "referee.bot.endpoint.*",
            "referee.bot.wording.*",
            "referee.cli.*",
        )
    ),
    "referee.person": Row(PERSON, (*CLOCKS, "typer", "rich", "grpc")),
    "referee.person.player": Row(PERSON, (*CLOCKS, "typer", "rich")),
    "referee.bot": Row(BOT, ("structlog", "rich", "typer", "msgspec", "sqlalchemy")),
    "sample_bots": Row((*BOT, "sample_bots.*"), ("structlog", "rich", "typer", "msgspec", "sqlalchemy")),
}
"""The longest prefix that fits a module is its row; in prefixes `*` stands for any game.

In `may` a name that ends in `.*` stands for itself and all below, `{game}` for the module's own game.
"""


def modules(*, generated: bool = False) -> Iterator[tuple[str, Path]]:
    """Yields the name and the file of every Python module of the product."""
    for folder in ("referee", "sample_bots"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if generated or "_pb2" not in path.name:
                name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
                yield name.removesuffix(".__init__"), path


def row_of(module: str) -> Row:
    """Returns the row of a module; fails where a package has none."""
    parts = module.split(".")
    for length in range(len(parts), 0, -1):
        prefix = parts[:length]
        keys = [".".join(prefix)]
        if length > 2 and prefix[:2] == ["referee", "games"]:
            keys.append(".".join(["referee", "games", "*", *prefix[3:]]))
        for key in keys:
            if key in TABLE and (key != "referee" or len(parts) == 1):
                return TABLE[key]
    raise AssertionError(f"{module} belongs to no row of the table of imports")


def imports(source: str, module: str, *, package: bool) -> Iterator[tuple[int, str]]:
    """Yields line and full name of everything that a module imports, at any depth."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = module.split(".")[: None if package else -1]
                kept = parents[: len(parents) - node.level + 1]
                base = ".".join([*kept, base] if base else kept)
            for alias in node.names:
                yield node.lineno, f"{base}.{alias.name}"


def breaches(module: str, source: str, *, package: bool) -> list[str]:
    """Returns one line for each import that the table does not allow."""
    row = row_of(module)
    may = [own.replace("{game}", ".".join(module.split(".")[:3])) for own in row.may]
    found = []
    for line, name in imports(source, module, package=package):
        root = name.split(".")[0]
        if root in row.never:
            found.append(f"{module}:{line} imports {name}, which it never may")
        elif root in {"referee", "sample_bots", "tests"} and not any(_fits(name, own) for own in may):
            found.append(f"{module}:{line} imports {name}, which is not above it")
    return found


def _fits(name: str, own: str) -> bool:
    stem = own.removesuffix(".*")
    return name == stem or (stem != own and name.startswith(f"{stem}."))


def test_every_import_goes_down_the_table() -> None:
    """No module imports what lies above it, nor what its package never touches."""
    found = [
        line
        for module, path in modules()
        for line in breaches(module, path.read_text(encoding="utf-8"), package=path.name == "__init__.py")
    ]

    assert found == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("referee.match.clock", "import time"),
        ("referee.match.clock", "from time import monotonic"),
        ("referee.match.machine", "def f():\n    import asyncio"),
        ("referee.match.machine", "from referee.games.block_dominoes import GAME"),
        ("referee.match.machine", "from referee.server import app"),
        ("referee.games.block_dominoes.rules", "from random import shuffle"),
        ("referee.games.block_dominoes.view", "from referee.v1 import game_pb2"),
        ("referee.games.block_dominoes.wire", "import grpc"),
        ("referee.games.guan_pai.rules", "from referee.games.block_dominoes import rules"),
        ("referee.replay.verify", "from referee.server.app import App"),
        ("referee.tournament.standings", "from referee.replay import reader"),
        ("referee.store.index", "import grpc"),
        ("referee.envs.arena", "import grpc"),
        ("referee.envs.arena", "from referee.match.machine import Machine"),
        ("referee.server.app", "from referee.cli import app"),
        ("referee.bot.run", "from referee.match.config import Setup"),
        ("sample_bots.house.easy", "from referee.games import find"),
    ],
)
def test_a_forbidden_import_is_found(module: str, source: str) -> None:
    """Each kind of breach of the table is seen, inside functions too."""
    assert len(breaches(module, source, package=False)) == 1


@pytest.mark.parametrize("module", ["referee.newcomer", "referee.newcomer.part"])
def test_a_package_without_a_row_fails(module: str) -> None:
    """A new package has to be given its place in the table."""
    with pytest.raises(AssertionError, match="belongs to no row"):
        row_of(module)


def test_no_module_is_longer_than_a_reader_bears() -> None:
    """Modules have at most 300 lines; generated ones do not count."""
    lengths = {name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in modules()}

    assert {name: lines for name, lines in lengths.items() if lines > MAX_LINES} == {}

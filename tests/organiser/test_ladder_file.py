"""The file of a ladder: what it may say, and how everything wrong in it is named."""

from pathlib import Path

import pytest

from referee.errors import UsageError
from referee.match.config import SECOND, Penalties, TimeControl
from referee.organiser.ladder_file import read_ladder, tells
from referee.server.config import OpenTable
from referee.server.house.config import PracticeRules
from referee.server.ladder.config import HouseRules, LadderConfig
from referee.store.decision_log import digest

ROOT = Path(__file__).resolve().parents[2]

WHOLE = """
[ladder]
name = "spring"
rated = false
anonymous = false
time = "1s+0,bank=10s"
concurrency = 8
share = 0.25
versions_per_day = 5
attempts = 2
watch_delay = 20

[penalties]
strikes = 2
retries = 0

[games.mexican_train]
seats = 2
options = { deals = 1 }

[games.block_dominoes]

[house]
levels = ["easy"]
wait = "5s"
matches = 4

[practice]
levels = ["normal", "expert"]
per_hour = 6
matches = 3

[matchmaking]
near = 2
widen = 0.5
patience = "2m"
repeat = 3.0
"""


def write(folder: Path, text: str) -> Path:
    """Returns a file with a text."""
    path = folder / "ladder.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_every_key_is_heeded(tmp_path: Path) -> None:
    """All that a file may say, with other values than the usual ones."""
    path = write(tmp_path, WHOLE)
    found = read_ladder(path)

    assert found.ladder == LadderConfig(
        name="spring",
        tables=(
            OpenTable(game="mexican_train", options={"deals": 1}, seats=2),
            OpenTable(game="block_dominoes", options={}, seats=4),
        ),
        digest=digest(path.read_bytes()),
        rated=False,
        anonymous=False,
        concurrency=8,
        share=0.25,
        versions=5,
        attempts=2,
        near=2.0,
        widen=0.5,
        patience=120 * SECOND,
        repeat=3.0,
        house=HouseRules(levels=("easy",), wait=5 * SECOND, matches=4),
        practice=PracticeRules(levels=("normal", "expert"), per_hour=6, matches=3),
    )
    assert found.time_control == TimeControl(base=SECOND, bank=10 * SECOND)
    assert found.penalties == Penalties(strikes=2, retries=0)
    assert found.watch_delay == 20
    assert tells(found.ladder) == (
        "ladder spring: mexican_train for 2, block_dominoes for 4; 8 matches at a time, at most 2 of them"
        " with one bot; house bots: easy"
    )


def test_a_name_and_a_game_are_enough(tmp_path: Path) -> None:
    """Everything else has a default: rated, anonymous, all house bots, three new versions a day."""
    found = read_ladder(write(tmp_path, '[ladder]\nname = "x"\n[games.guan_pai]\n'))

    assert found.ladder.tables == (OpenTable(game="guan_pai", options={}, seats=3),)
    assert (found.ladder.rated, found.ladder.anonymous, found.ladder.versions) == (True, True, 3)
    assert found.ladder.house.levels == ("easy", "normal", "expert")
    assert found.penalties == Penalties()


def test_everything_wrong_is_named_by_line(tmp_path: Path) -> None:
    """One line each, with what may have been meant; nothing is taken."""
    path = write(
        tmp_path,
        """[ladder]
nam = "x"
concurrency = "many"
share = 2
time = "soon"
[games.dominos]
[games.block_dominoes]
seats = 3
options = { targett = 3 }
[house]
levels = ["hard"]
wait = "soon"
[penaltys]
""",
    )
    with pytest.raises(UsageError) as refused:
        read_ladder(path)

    lines = [line.removeprefix(f"{path}:") for line in str(refused.value).splitlines()]
    numbers = [int(line.partition(":")[0]) for line in lines]
    assert numbers == sorted(numbers)
    for number, part in (
        (1, "ladder.name: is missing"),
        (2, "ladder.nam: unknown key; did you mean name?"),
        (3, "ladder.concurrency: has to be a whole number"),
        (4, "ladder.share"),
        (5, "ladder.time"),
        (6, "block_dominoes"),
        (8, "is for 4 seats, not for 3"),
        (9, "targett"),
        (11, "'hard' is no house bot"),
        (12, "write it like 20s"),
        (13, "penaltys: unknown key; did you mean penalties?"),
    ):
        assert any(line.startswith(f"{number}:") and part in line for line in lines), (number, part, lines)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('[house]\nlevels = ["easy", "easy"]', "house.levels.1: 'easy' is named twice"),
        ('[practice]\nlevels = ["hard"]', "practice.levels.0: 'hard' is no house bot"),
        ('[house]\nwait = "20s,bank=3s"', "house.wait: '20s,bank=3s' is no time; write it like 20s"),
        ('[house]\nwait = "1000h"', "house.wait: '1000h' is longer than 30 days"),
        ('[matchmaking]\npatience = ""', "matchmaking.patience: '' is no time"),
        ("[matchmaking]\nnear = nan", "matchmaking.near: nan is not between"),
        ("[games.guan_pai]\noptions = { deals = [1] }", "deals: has to be a whole number or a text"),
        ("[games.guan_pai]\noptions = { deals = 2020-01-01 }", "deals: has to be a whole number or a text"),
        ("[games.guan_pai]\noptions = { deals = true }", "deals: option deals: True is no whole number"),
        ('["a\\nb\\u001b[31m"]\nx = 1', r"a\nb\x1b[31m: unknown key"),
    ],
)
def test_a_bad_value_is_named_by_file_line_and_key(tmp_path: Path, line: str, problem: str) -> None:
    """One line each, whatever the value is; nothing of it commands a terminal."""
    path = write(tmp_path, f'[ladder]\nname = "x"\n[games.ding_niu]\n{line}\n')
    number = 4 if problem.startswith("a") else 5
    with pytest.raises(UsageError) as refused:
        read_ladder(path)

    (told,) = str(refused.value).splitlines()
    assert told.startswith(f"{path}:{number}: ")
    assert problem in told
    assert told.isprintable()


def test_no_time_at_all_is_a_time(tmp_path: Path) -> None:
    """House bots may sit down at once, and nobody has to be patient."""
    text = '[ladder]\nname = "x"\n[games.ding_niu]\n[house]\nwait = "0s"\n[matchmaking]\npatience = "0"\n'
    found = read_ladder(write(tmp_path, text)).ladder

    assert (found.house.wait, found.patience) == (0, 0)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[ladder]\nname = ""\n[games.guan_pai]\n', "ladder.toml:2: ladder.name: '' has to be"),
        ('[ladder]\nname = "a/b"\n[games.guan_pai]\n', "letters, digits"),
        ('[ladder]\nname = "a"\n', r"games: is missing; name a game, as \[games\."),
        ("[ladder\n", "ladder.toml:1"),
    ],
)
def test_what_is_no_ladder_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    """A bad name, no game, no TOML."""
    with pytest.raises(UsageError, match=problem):
        read_ladder(write(tmp_path, text))


def test_the_example_of_the_page_is_one(tmp_path: Path) -> None:
    """What docs/ladder.md shows can be served as it stands."""
    page = (ROOT / "docs" / "ladder.md").read_text(encoding="utf-8")
    examples = [part.partition("```")[0] for part in page.split("```toml\n")[1:]]

    assert examples
    for example in examples:
        assert read_ladder(write(tmp_path, example)).ladder.tables

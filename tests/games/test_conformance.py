"""What every game of the registry has to bring; a new game gets these tests by registering."""

from pathlib import Path

import pytest

import referee.games
from referee.errors import OptionError, UsageError
from referee.games import REGISTRY, find, names
from referee.games.base import Game

every_game = pytest.mark.parametrize("game", REGISTRY, ids=names())


@every_game
def test_package_has_every_part(game: Game) -> None:
    """A game brings its modules, its README and its perft file."""
    package = Path(referee.games.__file__).parent / game.info.name
    for part in ("rules.py", "view.py", "wire.py", "text.py", "__init__.py", "README.md"):
        assert (package / part).is_file(), f"{game.info.name} has no {part}"
    assert (Path(__file__).parent / "perft" / f"{game.info.name}.perft").is_file()


@every_game
def test_readme_names_every_option(game: Game) -> None:
    """The README of a game explains each option and each of its words."""
    readme = (Path(referee.games.__file__).parent / game.info.name / "README.md").read_text("utf-8")
    for option in game.info.options:
        for word in (option.name, *option.choices):
            assert f"`{word}`" in readme


@every_game
def test_rules_say_what_they_are(game: Game) -> None:
    """The docstring of the rules has its three headings."""
    module = __import__(f"referee.games.{game.info.name}.rules", fromlist=["rules"])
    lines = str(module.__doc__).splitlines()
    assert [line for line in lines if line in {"Rules", "Parameters", "Deviations"}] == [
        "Rules",
        "Parameters",
        "Deviations",
    ]


def test_find_returns_each_game_by_its_name() -> None:
    """Names are unique, and lead to their games."""
    assert len(set(names())) == len(REGISTRY)
    assert [find(name) for name in names()] == list(REGISTRY)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("block_domino", "did you mean block_dominoes?"),
        ("chess", "there are block_dominoes"),
        ("", "there are block_dominoes"),
        ("x" * 500, "there are block_dominoes"),
    ],
)
def test_find_helps_with_an_unknown_name(name: str, hint: str) -> None:
    """An unknown game is refused in one short line that says what to write."""
    with pytest.raises(UsageError) as caught:
        find(name)
    assert hint in str(caught.value)
    assert len(str(caught.value)) < 200
    assert "\n" not in str(caught.value)


@every_game
def test_options_have_valid_defaults_and_refuse_the_rest(game: Game) -> None:
    """Each default is a value of its option; unknown names, words and numbers are refused."""
    resolved = game.info.resolve({})
    assert list(resolved) == sorted(option.name for option in game.info.options)
    assert game.info.resolve({name: str(value) for name, value in resolved.items()}) == resolved
    with pytest.raises(OptionError):
        game.info.resolve({"no_such_option": 1})
    for option in game.info.options:
        for bad in ("no such word", "-1", -1, "", option.high + 1):
            with pytest.raises(OptionError):
                game.info.resolve({option.name: bad})


@every_game
def test_a_wrong_number_of_seats_is_refused(game: Game) -> None:
    """A game starts with the number of seats that its facts allow, and no other."""
    for seats in (game.info.min_seats - 1, game.info.max_seats + 1):
        with pytest.raises(OptionError, match=f"not {seats}"):
            game.new(seats, game.info.resolve({}))

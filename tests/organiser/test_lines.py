"""Where the keys of a TOML text stand."""

import tomllib
from collections.abc import Iterator
from typing import Any

import pytest

from referee.organiser.lines import KeyPath, key_lines

TEXT = '''# a comment with key = 1 and [a.table]
title = "x" # title = 2

[tournament]
name = "a # b"   # not = this
"quoted key" = 'it"s'
long = """
[no.table]
key = 1 \\"""
"""
raw = \'\'\'
other = 2\'\'\'
dotted.inner.key = 1
dotted . "inner" . other = 2
list = [
  1, # one
  { name = "a", deep = [true,
    false] },
  "three",
]
inline = { one = 1, two = { three = 3 } }
day = 1979-05-27 07:32:00

[bots.mine]
command = "./mine"
[[rounds]]
number = 1
[rounds.extra]
x = 1
[[rounds]]
number = 2
[rounds.extra]
x = 2
["b\\u00e9"]
last = -1.5e3'''

EXPECTED = {
    ("title",): 2,
    ("tournament",): 4,
    ("tournament", "name"): 5,
    ("tournament", "quoted key"): 6,
    ("tournament", "long"): 7,
    ("tournament", "raw"): 11,
    ("tournament", "dotted", "inner", "key"): 13,
    ("tournament", "dotted", "inner", "other"): 14,
    ("tournament", "list"): 15,
    ("tournament", "list", 0): 16,
    ("tournament", "list", 1, "deep", 1): 18,
    ("tournament", "list", 2): 19,
    ("tournament", "inline", "two", "three"): 21,
    ("tournament", "day"): 22,
    ("bots", "mine", "command"): 25,
    ("rounds", 0, "number"): 27,
    ("rounds", 0, "extra", "x"): 29,
    ("rounds", 1, "number"): 31,
    ("rounds", 1, "extra", "x"): 33,
    ("bé", "last"): 35,
}


def paths(value: Any, path: KeyPath = ()) -> Iterator[KeyPath]:
    """Yields the way to every value of a parsed text that is no table."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from paths(inner, (*path, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from paths(inner, (*path, number))
    else:
        yield path


def test_every_key_is_found_on_its_line() -> None:
    """Comments, strings of every kind, dotted keys, arrays and inline tables mislead nobody."""
    found = key_lines(TEXT)

    assert {path: found.get(path) for path in EXPECTED} == EXPECTED


def test_every_value_that_the_parser_sees_has_a_line() -> None:
    """The walk and the parser agree on what there is."""
    found = key_lines(TEXT)

    assert [path for path in paths(tomllib.loads(TEXT)) if path not in found] == []
    assert not [path for path in found if "no" in path or "other" in path[:1]]


@pytest.mark.parametrize(
    "text", ["", "\n\n", "a = 1", "a=[]", "a={}\n", "[a]", "a = []\r\nb = 1\r\n", "[[a]]"]
)
def test_small_texts(text: str) -> None:
    """Texts of next to nothing, and lines that end as elsewhere."""
    assert all(path in key_lines(text) for path in paths(tomllib.loads(text)))

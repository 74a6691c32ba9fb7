"""Tests of the environments; all are skipped where PettingZoo is not installed."""

from importlib.util import find_spec

from tests.requirements import absent

if find_spec("pettingzoo") is None:
    absent("pettingzoo")

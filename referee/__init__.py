"""Referee: an arena service for bot competitions in hidden-information games."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("referee-arena")
except PackageNotFoundError:
    # The source folder is found by whichever Python is started beside it, installed there or not, and
    # what a bot then misses is told better by its own imports.
    __version__ = "0+unknown"

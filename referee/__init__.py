"""Referee: an arena service for bot competitions in hidden-information games."""

from importlib.metadata import version

__version__ = version("referee-arena")

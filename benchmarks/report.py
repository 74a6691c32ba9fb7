"""Small helpers that every benchmark shares: paired rounds, medians, and the machine's facts."""

import os
import platform
import statistics
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version

PACKAGES = ("grpcio", "protobuf", "msgspec", "uvloop")


def paired(rounds: int, sides: Mapping[str, Callable[[], float]]) -> dict[str, list[float]]:
    """Runs every side once per round, in turn, after one round of warm-up; returns the figures.

    Sides that alternate share whatever else the machine does, so their ratio holds where the single
    figures drift.
    """
    for side in sides.values():
        side()
    figures: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, side in sides.items():
            figures[name].append(side())
    return figures


def ratio(first: Sequence[float], second: Sequence[float]) -> str:
    """Returns the median, least and greatest ratio of paired figures."""
    ratios = sorted(a / b for a, b in zip(first, second, strict=True))
    return f"{statistics.median(ratios):.2f} ({ratios[0]:.2f}..{ratios[-1]:.2f})"


def spread(figures: Sequence[float]) -> str:
    """Returns the median, least and greatest of some figures."""
    return f"{statistics.median(figures):.1f} ({min(figures):.1f}..{max(figures):.1f})"


def machine() -> str:
    """Says what the figures were measured on."""
    python = f"Python {platform.python_version()}"
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}; {python}; {packages}"

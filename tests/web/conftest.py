"""Fixtures of the site: a real server over real matches, and a real browser."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from tests.patience import PATIENCE
from tests.requirements import require
from tests.web import seasons
from tests.web.looking import visitor
from tests.web.serving import BOTS, SHORT, Served, referee, serve

FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a data folder with one finished match of each game, by house bots."""
    data = tmp_path_factory.mktemp("played")
    for game, options in SHORT.items():
        referee("match", "--game", game, *options, "--data", str(data), *BOTS[game])
    return data


@pytest.fixture(scope="session")
def season(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a data folder with tournaments, a challenge and large tables."""
    data = tmp_path_factory.mktemp("season")
    seasons.build(data)
    return data


@pytest.fixture(scope="session")
def season_site(season: Path) -> Iterator[Served]:
    """Returns a server of that season, for all tests that only read."""
    with serve(season) as served:
        yield served


@pytest.fixture(scope="module")
def site(played: Path) -> Iterator[Served]:
    """Returns a server of those matches."""
    with serve(played) as served:
        yield served


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Returns the browser of the machine, without a window.

    A module whose tests use it may not run an event loop of its own: the browser is driven by one.
    """
    program = _browser()
    expect.set_options(timeout=1000 * PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Returns a fresh page of 1280 x 800; the test fails if anything goes wrong in it."""
    wrong: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            wrong.append(f"{message.text} ({fresh.url})")

    with visitor(browser, viewport={"width": 1280, "height": 800}) as fresh:
        fresh.on("console", hear)
        fresh.on("pageerror", lambda error: wrong.append(f"{error} ({fresh.url})"))
        yield fresh
    assert wrong == []


def _browser() -> str:
    """Returns the path of Chromium, best of that which is made to have no window.

    The other one, without its window, takes a picture now and then that never comes.
    """
    found = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if not found:
        require("chromium-headless-shell")
    assert found
    return found

"""Fixtures of the site: a real server over real matches, and a real browser."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

from tests.requirements import require
from tests.web import seasons
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
    require("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_path("chromium"), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Returns a fresh page of 1280 x 800; the test fails if anything goes wrong in it."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    wrong: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            wrong.append(f"{message.text} ({page.url})")

    page.on("console", hear)
    page.on("pageerror", lambda error: wrong.append(f"{error} ({page.url})"))
    yield page
    context.close()
    assert wrong == []


def _path(command: str) -> str:
    found = shutil.which(command)
    assert found
    return found

"""What tests look for on a page, whatever it shows."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, Route

from tests.patience import PATIENCE

SCREENS = Path(os.environ.get("REFEREE_SCREENSHOTS", "screenshots"))
"""Where screenshots for people are written; git ignores it."""
SIZES = {"wide": (1280, 800), "phone": (390, 844)}
_PAINTED = 150
"""Milliseconds in which the browser paints what the grown window shows."""
_SERIOUS = ("serious", "critical")


@contextmanager
def visitor(browser: Browser, **options: Any) -> Iterator[Page]:
    """Yields a page of a browser that has been nowhere yet, with options of Playwright's context."""
    context = browser.new_context(**options)
    context.set_default_timeout(1000 * PATIENCE)
    yield context.new_page()
    context.close()


def follow(way: Locator) -> None:
    """Clicks on what leads to another page, and waits until all of that is there.

    A click returns when the other page begins to come; what is read then may be half of it.
    """
    with way.page.expect_event("load"):
        way.click()


def serious(page: Page) -> list[str]:
    """Returns what the accessibility checker calls serious or critical, a line for each element."""
    found = Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {one['help']}: {node['html'][:200]}"
        for one in found
        if one["impact"] in _SERIOUS
        for node in one["nodes"]
    ]


def overflows(page: Page) -> int:
    """Returns by how many pixels the page is wider than its window."""
    width: int = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return width


def _height(page: Page) -> int:
    height: int = page.evaluate("document.documentElement.scrollHeight")
    return height


def photograph(page: Page, name: str) -> None:
    """Writes screenshots of a page for people: wide and as on a phone, light and dark."""
    SCREENS.mkdir(parents=True, exist_ok=True)
    before = page.viewport_size
    for size, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            # The window is made as tall as the page: a picture beyond the window lacks what sticks to it.
            page.set_viewport_size({"width": width, "height": max(height, _height(page))})
            page.wait_for_timeout(_PAINTED)
            page.screenshot(path=SCREENS / f"{name}-{size}-{scheme}.png")
    page.emulate_media(color_scheme="light")
    if before:
        page.set_viewport_size(before)


def sound(page: Page, name: str) -> None:
    """Fails for a page with serious findings in light or dark, or wider than a phone; photographs it."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        assert serious(page) == [], scheme
    page.set_viewport_size({"width": 390, "height": 844})
    assert overflows(page) == 0
    assert serious(page) == []
    page.set_viewport_size({"width": 1280, "height": 800})
    photograph(page, name)


class Held:
    """Holds up what a page asks for until it is let go, and nothing after all was.

    With a method only requests of that.
    """

    def __init__(self, page: Page, addresses: str, method: str = "") -> None:
        self._asked: list[Route] | None = []
        self._method = method
        self._page = page
        page.route(addresses, lambda route: self._take(route))  # noqa: PLW0108 - it has to be a function

    def _take(self, route: Route) -> None:
        if self._asked is None or self._method not in {"", route.request.method}:
            route.fallback()
        else:
            self._asked.append(route)

    def _nth(self, number: int) -> Route:
        assert self._asked is not None
        while len(self._asked) <= number:  # a request is heard of before it is held up
            self._page.wait_for_timeout(10)
        return self._asked.pop(number)

    def let_go(self, number: int) -> None:
        """Lets one of them go, which the others follow later."""
        self._nth(number).continue_()

    def end(self, number: int, status: int | None) -> None:
        """Answers one of them with a status in the place of the server, or breaks it off."""
        route = self._nth(number)
        if status is None:
            route.abort()
        else:
            route.fulfill(status=status)

    def let_all_go(self) -> None:
        """Lets all go, and holds up no more."""
        asked, self._asked = self._asked or [], None
        for one in asked:
            one.continue_()

    def count(self) -> int:
        """Returns how many wait."""
        return len(self._asked or [])

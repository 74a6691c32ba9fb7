"""The replay viewer while the server is not reached."""

from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.web.filed import logs
from tests.web.looking import overflows, visitor
from tests.web.serving import Served

FRAMES = "**/frames?*"


def test_a_position_that_does_not_come_is_told(site: Served, played: Path, browser: Browser) -> None:
    """The table of another position is not taken for the one that was asked for; a later try gets it."""
    match_id = logs(played)["guan_pai"].setup.match_id
    with visitor(browser) as page:
        page.route(FRAMES, lambda asked: asked.abort())
        page.goto(f"{site.url}/matches/{match_id}?at=0")
        told = page.locator("[data-stage] .told")
        page.keyboard.press("End")
        expect(told).to_contain_text("This position could not be loaded")

        page.unroute(FRAMES)
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("End")
        expect(told).to_contain_text("The match is over")


def test_a_match_is_read_on_the_narrowest_phone(site: Served, played: Path, browser: Browser) -> None:
    """No page of a match is wider than 320 pixels, times and names beside the table included."""
    with visitor(browser, viewport={"width": 320, "height": 700}) as page:
        for log in logs(played).values():
            page.goto(f"{site.url}/matches/{log.setup.match_id}?view=full&at=20")
            assert overflows(page) == 0

"""The replay viewer while the server is not reached, or slow."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.web.filed import logs
from tests.web.looking import Held, overflows, visitor
from tests.web.serving import Served

FRAMES = "**/frames?*"
VIEWS = "**/viewer?*"


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


def test_play_that_is_pressed_again_while_a_position_comes_goes_no_faster(
    site: Served, played: Path, browser: Browser
) -> None:
    """There is one clock, however often it was stopped and started before the server answered."""
    match_id = logs(played)["guan_pai"].setup.match_id
    with visitor(browser) as page:
        page.clock.install(time=0)
        asked = Held(page, FRAMES)
        page.goto(f"{site.url}/matches/{match_id}?at=0")
        page.clock.pause_at(3_600)
        position = page.locator("[data-position]")
        pace = int(page.locator("[data-speed]").input_value())
        for at in (2, 3):
            page.keyboard.press("Space")
            page.clock.run_for(pace)
            expect(position).to_have_text(str(at))
            if at == 2:
                page.keyboard.press("Space")

        asked.let_all_go()
        expect(page).to_have_url(re.compile("view="))
        page.clock.run_for(pace)
        expect(position).to_have_text("4")


def test_the_view_that_was_asked_for_last_is_shown(site: Served, played: Path, browser: Browser) -> None:
    """One that comes late takes the place of no other, and a step that was made meanwhile is kept."""
    match_id = logs(played)["guan_pai"].setup.match_id
    with visitor(browser) as page:
        page.goto(f"{site.url}/matches/{match_id}")
        asked = Held(page, VIEWS)
        position = page.locator("[data-position]")
        before = int(position.inner_text())
        shown = page.locator(".viewer-state")
        views = page.locator("[data-view-as]")
        names = [views.nth(at).get_attribute("data-view-as") for at in (1, 2)]
        for at in (1, 2):
            with page.expect_request(VIEWS):
                views.nth(at).click()
        page.keyboard.press("ArrowRight")
        expect(position).to_have_text(str(before + 1))
        expect(page).to_have_url(re.compile("view="))

        asked.let_go(1)
        expect(shown).to_have_attribute("data-view", names[1] or "")
        with page.expect_response(VIEWS):
            asked.let_go(0)
        page.keyboard.press("ArrowRight")
        expect(position).to_have_text(str(before + 2))
        expect(page).to_have_url(re.compile(f"view={names[1]}&"))
        expect(shown).to_have_attribute("data-view", names[1] or "")


def test_a_view_that_comes_keeps_pace_and_play(site: Served, played: Path, browser: Browser) -> None:
    """Play that was pressed while it came goes on, and can be seen to, at the speed that was chosen."""
    match_id = logs(played)["guan_pai"].setup.match_id
    with visitor(browser) as page:
        page.clock.install(time=0)
        page.goto(f"{site.url}/matches/{match_id}?at=0")
        page.clock.pause_at(3_600)
        asked = Held(page, VIEWS)
        view = page.locator("[data-view-as]").nth(2)
        with page.expect_request(VIEWS):
            view.click()
        page.locator("[data-speed]").select_option("500")
        page.locator("[data-play]").click()
        asked.let_all_go()
        expect(page.locator(".viewer-state")).to_have_attribute("data-view", "0")

        expect(page.locator("[data-play]")).to_have_attribute("aria-label", "Pause")
        expect(page.locator("[data-speed]")).to_have_value("500")
        page.clock.run_for(500)
        expect(page.locator("[data-position]")).to_have_text("2")


def test_a_jump_is_not_lost_when_the_view_is_switched(site: Served, played: Path, browser: Browser) -> None:
    """The position that was asked for last is shown in the new view; in the old one it had not come."""
    match_id = logs(played)["guan_pai"].setup.match_id
    with visitor(browser) as page:
        asked = Held(page, FRAMES)
        page.goto(f"{site.url}/matches/{match_id}?at=0")
        page.keyboard.press("End")
        last = page.locator("[data-position]").inner_text()
        page.locator("[data-view-as]").nth(2).click()
        expect(page.locator(".viewer-state")).to_have_attribute("data-view", "0")
        asked.let_all_go()

        expect(page.locator("[data-stage] .told")).to_contain_text("The match is over")
        expect(page.locator("[data-position]")).to_have_text(last)


@pytest.mark.parametrize("status", [200, None], ids=["comes", "fails"])
def test_a_table_of_another_size_that_comes_late_is_not_shown(
    site: Served, played: Path, browser: Browser, status: int | None
) -> None:
    """A window that was narrow for a moment has the table that fits it now, and no word of trouble."""
    match_id = logs(played)["ding_niu"].setup.match_id
    with visitor(browser, viewport={"width": 1280, "height": 800}) as page:
        page.goto(f"{site.url}/matches/{match_id}?at=0")
        page.keyboard.press("ArrowRight")
        expect(page).to_have_url(re.compile("view="))
        stage = page.locator("[data-stage]")
        before = stage.inner_html()
        asked = Held(page, FRAMES)
        with page.expect_request(FRAMES):
            page.set_viewport_size({"width": 390, "height": 844})
        page.set_viewport_size({"width": 1280, "height": 800})
        page.wait_for_function("innerWidth === 1280")
        if status is None:
            asked.end(0, None)
        else:
            with page.expect_response(FRAMES):
                asked.let_go(0)
        page.evaluate("new Promise(done => setTimeout(done, 200))")
        assert stage.inner_html() == before


def test_a_match_is_read_on_the_narrowest_phone(site: Served, played: Path, browser: Browser) -> None:
    """No page of a match is wider than 320 pixels, times and names beside the table included."""
    with visitor(browser, viewport={"width": 320, "height": 700}) as page:
        for log in logs(played).values():
            page.goto(f"{site.url}/matches/{log.setup.match_id}?view=full&at=20")
            assert overflows(page) == 0

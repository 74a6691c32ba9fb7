"""A seat on the site whose server stops, is away, or was started again; and a page that nobody looks at."""

import re
import signal
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from referee.replay.reader import read, scan, unfinished
from tests.patience import PATIENCE
from tests.ports import free_port
from tests.web import patient
from tests.web.looking import follow, photograph, serious, visitor
from tests.web.serving import Served, serve
from tests.web.test_play import OPEN, OVER, click_on

HIDE = (
    "([hidden]) => { Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });"
    " document.dispatchEvent(new Event('visibilitychange')); }"
)


def sit_down(page: Page, served: Served) -> None:
    """Takes a seat of Guan Pai, where everybody has a turn before a deal can end."""
    page.goto(f"{served.url}/play?game=guan_pai")
    page.get_by_text("Options of the game").click()
    page.locator("#option-deals").fill("1")
    follow(page.get_by_role("button", name="Sit down"))
    page.locator(OPEN).wait_for()


def test_a_match_of_a_person_goes_on_while_the_server_drains(tmp_path: Path, page: Page) -> None:
    """The page tells it, nobody else is seated, and the match counts as any that ends in time."""
    with serve(tmp_path, "--drain", f"{2 * PATIENCE:.0f}s") as served:
        sit_down(page, served)
        served.process.send_signal(signal.SIGTERM)
        expect(page.locator("[data-stops]")).to_be_visible()
        assert re.search(r"in \d+ s", page.locator("[data-stops]").inner_text())
        photograph(page, "play-stops")
        assert serious(page) == []
        wish = {"game": "guan_pai", "level": "easy", "name": "Ben"}
        refused = patient.post(f"{served.url}/play", data=wish)
        assert refused.status_code == 503
        assert "begins no more matches" in refused.text
        assert "begins no more matches" in patient.get(f"{served.url}/play").text
        while page.locator(OPEN).count():
            click_on(page)
        expect(page.locator(OVER)).to_be_visible()
        assert served.process.wait(3 * PATIENCE) == 0
    (log,) = map(read, scan(tmp_path))
    assert log.end
    assert log.end.termination == "completed"
    assert not any(place.forfeited for place in log.end.places)


def test_a_match_of_a_person_is_void_when_the_grace_is_over(tmp_path: Path, page: Page) -> None:
    """Nobody could come back to it, so it is not left for later; the page tells the reason."""
    with serve(tmp_path, "--drain", "1s") as served:
        sit_down(page, served)
        served.process.send_signal(signal.SIGTERM)
        expect(page.locator(OVER)).to_contain_text("the server stopped before it was over")
        assert served.process.wait(3 * PATIENCE) == 0
    assert not list(unfinished(tmp_path))
    (log,) = map(read, scan(tmp_path))
    assert log.end
    assert log.end.termination == "void"


def test_a_page_tells_a_server_that_is_away_from_a_seat_that_is_no_more(
    tmp_path: Path, browser: Browser
) -> None:
    """While nobody answers nothing can be pressed; a server that was started again has lost the seat."""
    with visitor(browser, viewport={"width": 1280, "height": 800}) as page:
        port = str(free_port())
        with serve(tmp_path, "--http", port) as served:
            sit_down(page, served)
            match = page.locator("[data-phase]").get_attribute("data-match")
            served.process.kill()
            served.process.wait(PATIENCE)
            expect(page.locator("#trouble")).to_be_visible()
            expect(page.locator(".act button[name=choice]").first).to_be_disabled()
            clock = page.locator(".clock").inner_text()
            page.wait_for_timeout(2500)
            assert page.locator(".clock").inner_text() == clock
            photograph(page, "play-away")
        with serve(tmp_path, "--http", port):
            expect(page.locator("#seat")).to_contain_text("This seat is no more")
            expect(page.locator("#trouble")).to_be_hidden()
            assert page.locator("#seat button").count() == 0
            assert page.get_by_role("link", name="Begin another match").get_attribute("href") == "/play"
            photograph(page, "play-gone")
            follow(page.get_by_role("link", name="What became of this one"))
            assert page.url.endswith(f"/matches/{match}")
            expect(page.locator("main")).to_contain_text("cannot come back")


@pytest.mark.parametrize("kind", ["seat", "match"])
def test_a_page_that_nobody_looks_at_has_no_stream(tmp_path: Path, page: Page, kind: str) -> None:
    """A browser has six connections to a server, however many pages are open; shown again it goes on."""
    with serve(tmp_path) as served:
        sit_down(page, served)
        if kind == "match":
            match = page.locator("[data-phase]").get_attribute("data-match")
            page.goto(f"{served.url}/matches/{match}")

        def streams(request: Request) -> bool:
            return request.url.partition("?")[0].endswith(("/events", "/live"))

        with page.expect_event("requestfailed", streams):
            page.evaluate(HIDE, [True])
        with page.expect_request(re.compile("/events|/live")):
            page.evaluate(HIDE, [False])
        page.go_back() if kind == "match" else None
        page.locator(OPEN).wait_for()
        click_on(page)
        page.goto("about:blank")  # a server that ends would be an error of the page

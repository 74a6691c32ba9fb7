"""A live page whose stream ends and goes on, as it does when its window is hidden for a while."""

from pathlib import Path

from playwright.sync_api import Browser, Page, Route, expect

from tests.web.looking import visitor
from tests.web.test_live import playing

LOOK_AGAIN = "document.dispatchEvent(new Event('visibilitychange'))"


def test_deals_that_were_told_stay_when_a_stream_goes_on(tmp_path: Path, page: Page) -> None:
    """A stream that begins in the middle, or at the end, takes no row off the table."""
    with playing(tmp_path, deals=3) as hall:
        page.goto(f"{hall.site.url}/matches/{hall.running()}")
        rows = page.locator("[data-ended] tr[data-deal] th")
        for told in range(3):  # others may have ended when it is looked at
            expect(rows.nth(told)).to_have_text(str(told + 1))
            page.evaluate(LOOK_AGAIN)
        expect(page.locator("[data-state]")).to_have_text("ended")

        expect(page.get_by_role("table", name="Result")).to_be_visible()
        expect(rows).to_have_text(["1", "2", "3"])


def test_a_stream_that_a_proxy_refuses_for_a_while_comes_back(tmp_path: Path, browser: Browser) -> None:
    """What a proxy answers while the server is away is no answer of the match."""
    with playing(tmp_path, deals=1000) as hall, visitor(browser) as page:
        page.clock.install()
        away = True

        def proxy(route: Route) -> None:
            if away:
                route.fulfill(status=502, body="away")
            else:
                route.continue_()

        page.route("**/live?after=*", proxy)
        with page.expect_response(lambda answer: answer.status == 502):
            page.goto(f"{hall.site.url}/matches/{hall.running()}")
        state = page.locator("[data-state]")
        expect(state).to_have_text("connecting")
        expect(page.locator("[data-over]")).to_be_visible()

        away = False
        page.clock.run_for(60_000)
        expect(state).to_have_text("running")
        expect(page.locator("[data-over]")).to_be_hidden()


def test_a_stream_that_is_refused_for_good_is_told(tmp_path: Path, browser: Browser) -> None:
    """A match that is no longer shown is not asked for without end."""
    with playing(tmp_path, deals=1000) as hall, visitor(browser) as page:
        page.route("**/live?after=*", lambda route: route.fulfill(status=404, body="gone"))
        page.goto(f"{hall.site.url}/matches/{hall.running()}")
        expect(page.locator("[data-state]")).to_have_text("not shown")
        expect(page.get_by_role("link", name="Result and replay")).to_be_visible()


def test_a_late_word_of_an_earlier_stream_ends_no_newer_one(tmp_path: Path, browser: Browser) -> None:
    """The match goes on on the page, whatever became of the stream before."""
    with playing(tmp_path, deals=1000) as hall, visitor(browser) as page:
        asked: list[Route] = []

        def proxy(route: Route) -> None:
            asked.append(route)
            if len(asked) == 1:
                route.fulfill(status=502, body="away")
            elif len(asked) > 2:
                route.continue_()

        page.route("**/live?after=*", proxy)
        page.goto(f"{hall.site.url}/matches/{hall.running()}")
        while len(asked) < 2:
            page.wait_for_timeout(10)
        page.evaluate(LOOK_AGAIN)
        expect(page.locator("[data-state]")).to_have_text("running")

        asked[1].fulfill(status=404, body="gone")
        page.evaluate("new Promise(done => setTimeout(done, 50))")
        assert page.locator("[data-state]").inner_text() == "running"
        page.goto("about:blank")

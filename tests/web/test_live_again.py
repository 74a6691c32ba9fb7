"""A live page whose stream ends and goes on, as it does when its window is hidden for a while."""

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.web.test_live import playing

LOOK_AGAIN = "document.dispatchEvent(new Event('visibilitychange'))"


def test_deals_that_were_told_stay_when_a_stream_goes_on(tmp_path: Path, page: Page) -> None:
    """A stream that begins in the middle, or at the end, takes no row off the table."""
    with playing(tmp_path, deals=3) as hall:
        page.goto(f"{hall.site.url}/matches/{hall.running()}")
        rows = page.locator("[data-ended] tr[data-deal] th")
        for told in (["1"], ["1", "2"], ["1", "2", "3"]):
            expect(rows).to_have_text(told)
            page.evaluate(LOOK_AGAIN)
        expect(page.locator("[data-state]")).to_have_text("ended")

        expect(page.get_by_role("table", name="Result")).to_be_visible()
        expect(rows).to_have_text(["1", "2", "3"])

"""The page of a seat when answers come late: each is right when it is asked for, and wrong when it comes."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.patience import PATIENCE
from tests.web.looking import Held, visitor
from tests.web.serving import serve
from tests.web.test_play_stops import sit_down

LOOK_AGAIN = "document.dispatchEvent(new Event('visibilitychange'))"
SETTLE = "new Promise(done => setTimeout(done, 50))"
"""Has the page do all that a request that has ended leads to."""
EVENTS = "**/events?*"


@pytest.fixture
def seat(browser: Browser) -> Iterator[Page]:
    """Returns a page that may log trouble with the network, and must not throw."""
    thrown: list[str] = []
    with visitor(browser, viewport={"width": 1280, "height": 800}) as page:
        page.on("pageerror", lambda error: thrown.append(str(error)))
        yield page
    assert thrown == []


@pytest.mark.parametrize("status", [429, 502, None])
def test_a_match_that_is_over_has_lost_no_connection(tmp_path: Path, seat: Page, status: int | None) -> None:
    """An answer that is refused or breaks off after the end is of no use any more, and that is all."""
    with serve(tmp_path, "--drain", "1s") as served:
        sit_down(seat, served)
        asked = Held(seat, "**/play/*", "POST")
        with seat.expect_request("**/play/*"):
            seat.locator(".act button[name=choice]").first.click()
        served.process.send_signal(signal.SIGTERM)
        expect(seat.locator("[data-phase=ended]")).to_be_visible()

        asked.end(0, status)
        seat.evaluate(SETTLE)
        expect(seat.locator("#trouble")).to_be_hidden()
        assert served.process.wait(3 * PATIENCE) == 0


@pytest.mark.parametrize("status", [404, None])
def test_a_seat_that_is_gone_is_told_once(tmp_path: Path, seat: Page, status: int | None) -> None:
    """Whichever request tells of it first; the others add nothing."""
    with serve(tmp_path) as served:
        sit_down(seat, served)
        asked, looked = Held(seat, "**/play/*", "POST"), Held(seat, "**/play/*", "HEAD")
        with seat.expect_request("**/play/*"):
            seat.locator(".act button[name=choice]").first.click()
        seat.route(EVENTS, lambda route: route.abort())
        with seat.expect_request(lambda request: request.method == "HEAD"):
            seat.evaluate(LOOK_AGAIN)
        looked.end(0, 404)
        expect(seat.locator("#seat")).to_contain_text("This seat is no more")

        asked.end(0, status)
        seat.evaluate(SETTLE)
        expect(seat.locator("#trouble")).to_be_hidden()
        expect(seat.locator("#seat")).to_contain_text("This seat is no more")


def test_a_late_look_takes_no_newer_stream_away(tmp_path: Path, seat: Page) -> None:
    """The page can be played on while it is there."""
    with serve(tmp_path) as served:
        sit_down(seat, served)
        looked = Held(seat, "**/play/*", "HEAD")
        seat.route(EVENTS, lambda route: route.abort())
        with seat.expect_request(lambda request: request.method == "HEAD"):
            seat.evaluate(LOOK_AGAIN)
        seat.unroute(EVENTS)
        with seat.expect_response(EVENTS):
            seat.evaluate(LOOK_AGAIN)
        seat.evaluate(SETTLE)

        looked.end(0, None)
        seat.evaluate(SETTLE)
        assert seat.locator("#trouble").is_hidden()  # at once: it would be well again after a while
        assert seat.locator(".act button[name=choice]").first.is_enabled()


def test_a_clock_runs_while_something_is_pressed(tmp_path: Path, seat: Page) -> None:
    """What is held back so long tells the time that is left when it is shown."""
    with serve(tmp_path, "--drain", "240s") as served:
        seat.clock.install()
        sit_down(seat, served)
        told: list[object] = []
        wire = seat.context.new_cdp_session(seat)
        wire.send("Network.enable")
        wire.on("Network.eventSourceMessageReceived", lambda one: told.append(one))  # noqa: PLW0108
        seat.locator("#ask").hover()
        seat.mouse.down()
        served.process.send_signal(signal.SIGTERM)
        while not told:
            seat.wait_for_timeout(50)
        seat.clock.fast_forward(60_000)
        seat.mouse.up()
        seat.clock.run_for(2_000)
        expect(seat.locator("[data-stops]")).to_be_visible()
        left = int(seat.locator("[data-stops]").inner_text().split()[1])
        assert left <= 240 - 60
        seat.goto("about:blank")

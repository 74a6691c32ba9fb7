"""The first page, and what all pages have in common."""

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.web.looking import Held, sound
from tests.web.serving import Served, serve
from tests.web.test_play import sit_down


def test_the_first_page_tells_what_is_played(site: Served, page: Page) -> None:
    """Games, matches that ended and the way to everything else are there; light, dark, and on a phone."""
    page.goto(site.url)

    assert page.locator(".card h2").all_inner_texts() == [
        *("Block dominoes", "Guan Pai", "Mexican Train", "Ding Niu"),
    ]
    assert page.get_by_role("table", name="The matches that ended last").locator("tbody tr").count() == 4
    sound(page, "home")


def test_the_switch_of_colours_is_kept(site: Served, page: Page) -> None:
    """The colours that somebody chose hold on the next page too; without a choice the system's do."""
    page.emulate_media(color_scheme="light")
    page.goto(site.url)
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="Switch to dark colours").click()
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark != light


def test_the_keyboard_reaches_the_content(site: Served, page: Page) -> None:
    """The first stop of the keyboard is a way past the navigation."""
    page.goto(site.url)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_the_first_page_keeps_up(tmp_path: Path, page: Page) -> None:
    """A match that begins while it is open comes by itself."""
    with serve(tmp_path) as served:
        page.clock.install()
        page.goto(served.url)
        expect(page.get_by_text("No match is played at the moment.")).to_be_visible()
        sit_down(page.context.new_page(), served.url, "block_dominoes")

        page.clock.run_for(5_000)
        expect(page.get_by_role("table", name="Matches that are played now")).to_be_visible()
        page.goto("about:blank")  # a server that ends would be an error of the page


def test_what_is_read_is_not_disturbed(site: Served, page: Page) -> None:
    """Where nothing has changed nothing is drawn anew, and what a proxy shows in its place is not taken."""
    page.clock.install()
    page.goto(site.url)
    table = page.get_by_role("table", name="The matches that ended last")

    def refresh() -> None:
        for _ in range(2):  # what the first brought is on the page before the second is asked for
            with page.expect_response("**/?part=1"):
                page.clock.run_for(5_000)

    refresh()
    table.evaluate("table => { table.mark = 'the same'; }")
    refresh()
    page.route("**/?part=1", lambda route: route.fulfill(body="<h1>Log in</h1>", content_type="text/html"))
    refresh()
    assert table.evaluate("table => table.mark") == "the same"


def test_a_slow_answer_is_waited_for(site: Served, page: Page) -> None:
    """No other is asked for meanwhile: answers that cross would show what is over."""
    page.clock.install()
    asked = Held(page, "**/?part=1")
    page.goto(site.url)
    with page.expect_request("**/?part=1"):
        page.clock.run_for(5_000)
    page.clock.run_for(20_000)
    with page.expect_request("**/standings"):  # which any that was asked for before comes before
        page.evaluate("void fetch('/standings')")
    assert asked.count() == 1

    asked.let_all_go()
    with page.expect_response("**/?part=1"):
        page.clock.run_for(5_000)

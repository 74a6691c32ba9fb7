"""What a person's hand does to the page of a seat beside what it means to do."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.web.looking import follow
from tests.web.serving import Served, serve


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Returns a server that seats people."""
    with serve(tmp_path_factory.mktemp("hands")) as served:
        yield served


@pytest.fixture
def table(hall: Served, page: Page) -> Page:
    """Returns the page of a seat whose first turn is open, all of it within the window."""
    page.set_viewport_size({"width": 1280, "height": 1600})
    page.goto(f"{hall.url}/play?game=ding_niu")
    follow(page.get_by_role("button", name="Sit down"))
    page.locator("[data-phase=to_act]").wait_for()
    return page


def turn(page: Page) -> int:
    """Returns the number of the turn that the page shows."""
    return int(page.locator("[data-phase]").get_attribute("data-turn") or 0)


def press(page: Page, clicks: int) -> None:
    """Presses the first action of the page, as the first or a later one of several quick clicks."""
    box = page.locator(".act button[name=choice]").first.bounding_box()
    assert box
    page.mouse.move(box["x"] + 8, box["y"] + 8)
    page.mouse.down(click_count=clicks)
    page.mouse.up(click_count=clicks)


def next_turn(page: Page, played: int) -> None:
    """Waits until another turn is open."""
    page.locator(f"[data-phase=to_act]:not([data-turn='{played}'])").wait_for()


def test_a_double_click_plays_one_turn(table: Page) -> None:
    """Its second half, which falls on the turn after that, plays nothing; the next click does."""
    sent: list[str] = []
    table.on("request", lambda asked: sent.append(asked.url) if asked.method == "POST" else None)
    first = turn(table)
    press(table, 1)
    next_turn(table, first)
    second = turn(table)

    press(table, 2)
    expect(table.locator(".act button[name=choice]").first).to_be_enabled()
    assert (len(sent), turn(table)) == (1, second)

    press(table, 1)
    next_turn(table, second)
    assert len(sent) == 2


def test_what_a_person_has_opened_stays_open(table: Page) -> None:
    """The table in words is not folded up by each action of another seat."""
    table.get_by_text("The table in words").click()
    first = turn(table)
    press(table, 1)
    next_turn(table, first)

    assert table.locator("details.facts").get_attribute("open") is not None


def first_card(page: Page) -> Locator:
    """Returns a card that may be played, when there is one: who can beat nothing has only a pass."""
    page.locator("[data-phase=to_act]").wait_for()
    card = page.locator(".art [data-piece].playable:visible").first
    while not card.is_visible():
        played = turn(page)
        press(page, 1)
        next_turn(page, played)
    return card


@pytest.mark.parametrize("pressed", [False, True], ids=["chosen", "pressed"])
def test_what_is_chosen_of_a_turn_outlives_an_update(tmp_path: Path, page: Page, *, pressed: bool) -> None:
    """A card stays chosen, and one that is being pressed is chosen when it is let go."""
    with serve(tmp_path, "--drain", "240s") as served:
        page.set_viewport_size({"width": 1280, "height": 1600})
        page.goto(f"{served.url}/play?game=guan_pai")
        follow(page.get_by_role("button", name="Sit down"))
        card = first_card(page)
        code, first = card.get_attribute("data-piece"), turn(page)
        other = page.context.new_page()
        other.goto(page.url)
        if pressed:
            card.hover()
            page.mouse.down()
        else:
            card.click()
        served.process.send_signal(signal.SIGTERM)
        expect(other.locator("[data-stops]")).to_be_visible()
        if pressed:
            page.mouse.up()
        expect(page.locator("[data-stops]")).to_be_visible()
        assert turn(page) == first
        chosen = page.locator(".art [aria-pressed=true]:visible")
        assert [piece.get_attribute("data-piece") for piece in chosen.all()] == [code]
        for each in (page, other):
            each.goto("about:blank")  # a server that ends would be an error of the page

"""Pictures in a browser: the one that fits is shown, what can be clicked is hit, nothing hinders a reader."""

import pytest
from playwright.sync_api import Page

from referee.web.draw import pictures
from tests.web import looking
from tests.web.draw import positions
from tests.web.draw.test_colours import CSS
from tests.web.draw.test_positions import SEATS, every_game

HIT = """pieces => pieces.map(piece => {
    const box = piece.getBoundingClientRect();
    const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return hit?.closest('[data-piece]') === piece;
})"""


@pytest.fixture
def laid(page: Page, name: str) -> Page:
    """Returns a page with a table at which seat 0 has a choice of pieces."""
    asked = [table for table in positions.played(name, SEATS[name], 4, viewer=0) if len(table.choices) > 2]
    page.set_content(
        f'<!doctype html><html lang="en"><title>table</title><style>{CSS}</style>'
        f"<main><h1>{name}</h1>{pictures(asked[0])}</main>"
    )
    return page


@every_game
def test_the_picture_that_fits_is_shown_and_can_be_clicked(laid: Page) -> None:
    """One of both pictures is shown, as the window is wide; the middle of each playable piece is its own."""
    for width, there, away in ((1280, "wide", "narrow"), (390, "narrow", "wide")):
        laid.set_viewport_size({"width": width, "height": 900})
        assert laid.locator(f".{there}").is_visible()
        assert laid.locator(f".{away}").is_hidden()
        hits = laid.locator(f".{there} .playable[data-piece]").evaluate_all(HIT)
        assert hits
        assert all(hits)
        assert looking.overflows(laid) == 0


@every_game
def test_the_accessibility_checker_has_nothing_serious_to_say(laid: Page) -> None:
    """In light and in dark, wide and narrow."""
    for width in (1280, 390):
        laid.set_viewport_size({"width": width, "height": 900})
        for scheme in ("light", "dark"):
            laid.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            assert looking.serious(laid) == []

"""The rules on the site: complete, with the options in force, and their pieces drawn."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from referee.games import REGISTRY, find
from referee.games.base import Game
from tests.web import patient
from tests.web.filed import GAMES, logs
from tests.web.looking import follow, overflows, serious, sound
from tests.web.serving import Served

LOOKED_AT = {"guan_pai"}
"""The page with cards is looked at in all sizes and colours; the others are made in the same way."""
every_game = pytest.mark.parametrize("game", REGISTRY, ids=lambda game: game.info.name)


@every_game
def test_the_rules_of_each_game_are_there(site: Served, page: Page, game: Game) -> None:
    """All options with range and default, deal, match and example; drawn pieces stand beside their text."""
    page.goto(site.url + "/rules")
    follow(page.locator(f"main a[href='/rules/{game.info.name}']"))
    table = page.get_by_role("table", name="Options").first
    rows = [row.split("\t") for row in table.locator("tbody tr").all_inner_texts()]
    assert [row[:3] for row in rows] == [
        [option.name, str(option.default), str(option.default)] for option in game.info.options
    ]
    for heading in ("A deal", "A match", "An example", "Decisions where tables differ", "What you answer"):
        expect(page.get_by_role("heading", name=heading, exact=True)).to_be_visible()
    drawn = page.locator(".pieces")
    assert drawn.count() >= 2
    for at in range(drawn.count()):
        words = drawn.nth(at).locator(".hidden-text").inner_text().split()
        assert drawn.nth(at).locator("[data-piece]").count() == len(words)
    if game.info.name in LOOKED_AT:
        sound(page, f"rules-{game.info.name}")
    else:
        page.set_viewport_size({"width": 390, "height": 844})
        assert overflows(page) == 0
        assert serious(page) == []


@pytest.mark.parametrize("game", GAMES)
def test_a_match_leads_to_the_rules_that_it_was_played_by(site: Served, played: Path, game: str) -> None:
    """Its own options are in force there, and what differs from the defaults is marked."""
    log = logs(played)[game]
    text = patient.get(f"{site.url}/rules/{game}", params={"match": log.setup.match_id}).text
    for name, value in log.setup.options.items():
        assert f"<code>{name}</code></th><td><strong>{value}</strong>" in text
    usual = {option.name: option.default for option in find(game).info.options}
    assert text.count('class="changed"') == sum(
        usual[name] != value for name, value in log.setup.options.items()
    )


def test_options_of_the_address_are_in_force_or_refused(site: Served) -> None:
    """What depends on another option follows it; what cannot be is refused in one line, as text."""
    url = site.url + "/rules/mexican_train"
    assert "<strong>13</strong>" in patient.get(url, params={"opt.engine": "descending"}).text
    for query in (
        {"opt.deals": "<b>0</b>"},
        {"opt.<b>x</b>": "1"},
        {"match": "<b>y</b>"},
        {"tournament": "<b>z</b>"},
    ):
        answer = patient.get(url, params=query)
        assert answer.status_code in {400, 404}, query
        assert "<b>" not in answer.text
    assert patient.get(site.url + "/rules/<b>poker").status_code == 404
    assert patient.get(site.url + "/rules/..%2f..%2fREADME").status_code == 404

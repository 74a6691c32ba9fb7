"""Challenges on the site: ranking points for matches won against house bots."""

import json
from pathlib import Path

from playwright.sync_api import Page

from referee.store.store import Store
from referee.tournament.result import DAY
from tests.web import patient
from tests.web.looking import follow, sound
from tests.web.serving import Served, referee

CLIMB = "/challenges/climb/block_dominoes?opt.target=15"


def days(season: Path) -> int:
    """Returns on how many days the challenge was played: midnight may come in the middle of it."""
    with Store.under(season) as store:
        return len({one.created // DAY for one in store.results() if one.tournament == "climb"})


def test_the_leaderboard_is_that_of_the_command(season_site: Served, page: Page, season: Path) -> None:
    """Points, wins of what was taken, what was not taken of that day, and the best margin."""
    words = ("standings", "challenge", "--data", str(season), "--tournament", "climb", "--json")
    (board,) = json.loads(referee(*words).stdout)["leaderboards"]
    (row,) = board["rows"]
    tally = row["levels"]["easy"]
    page.goto(season_site.url + CLIMB)
    cells = page.get_by_role("table", name="Leaderboard").locator("tbody tr").first.locator("th, td")
    place, bot, owner, points, wins, margin, *rest = cells.all_inner_texts()

    assert (place, bot.strip(), owner, points) == ("1", "mine", "me", str(row["points"]))
    assert tally["matches"] + tally["beyond"] == 11
    assert tally["beyond"] or days(season) == 2
    beyond = [str(tally["beyond"]), "not", "taken"] if tally["beyond"] else []
    assert wins.split() == [str(tally["wins"]), "of", str(tally["matches"]), *beyond]
    assert margin == ("–" if tally["margin"] is None else str(tally["margin"]))
    assert rest == ["–"] * 4
    assert "higher is better" in page.locator("dl.legend").inner_text()
    sound(page, "challenge")


def test_the_way_to_a_leaderboard(season_site: Served, page: Page) -> None:
    """From the list of standings to the list of leaderboards, to one of them, to the same matches."""
    page.goto(season_site.url + "/standings")
    follow(page.get_by_role("link", name="Challenges against house bots"))
    assert "10 against easy, 30 against normal, 100 against expert" in page.locator("main").inner_text()
    sound(page, "challenges")
    follow(page.get_by_role("link", name="Block dominoes in climb"))
    follow(page.get_by_role("link", name="Standings of the same matches"))
    assert page.locator("h1").inner_text() == "Block dominoes in climb"


def test_what_is_no_leaderboard(season_site: Served) -> None:
    """An unknown one is refused with what is near; without its options the only one is found."""
    answer = patient.get(season_site.url + "/challenges/clim/block_dominoes")
    assert answer.status_code == 404
    assert "was climb meant?" in answer.text
    assert patient.get(season_site.url + "/challenges/climb/block_dominoes").headers["location"] == CLIMB

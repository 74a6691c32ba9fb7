"""Bots on the site: what each achieved, its faults, its think times, its versions, its matches."""

import json
import re
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Page

from referee.match import events as ev
from referee.replay.reader import read
from referee.store.store import Store
from tests.web import patient
from tests.web.looking import follow, sound
from tests.web.seasons import HOSTILE
from tests.web.serving import Served, referee


def test_the_results_are_those_of_the_tables(season_site: Served, page: Page, season: Path) -> None:
    """Place, matches and points in each game and tournament, with a link to the table."""
    page.goto(season_site.url + "/bots/expert/expert")
    told = json.loads(referee("standings", "--data", str(season), "--tournament", "cup", "--json").stdout)
    (row,) = (row for row in told["tables"][0]["rows"] if row["bot"] == "expert/expert")
    line = page.get_by_role("region", name="Results by table").locator("tbody tr", has_text="cup")
    text = line.inner_text()

    assert page.locator("h1").inner_text() == "expert"
    assert "A house bot" in page.locator("main").inner_text()
    assert f"{row['place']} of 5" in text
    assert f"{row['points']['mean']:.3f}" in text
    follow(line.get_by_role("link"))
    assert page.locator("h1").inner_text() == "Block dominoes in cup"


def test_think_times_are_those_of_the_logs(season_site: Served, page: Page, season: Path) -> None:
    """The columns hold as many turns as the logs of the last matches have, and are told in words."""
    with Store.under(season) as store:
        found = store.matches(limit=20, bot="expert/expert")
    turns = 0
    for one in found:
        log = read(season / one.log)
        (seat,) = (number for number, info in enumerate(log.setup.seats) if info.bot == "expert/expert")
        turns += sum(isinstance(record, ev.Act) and record.seat == seat for record in log.records)
    page.goto(season_site.url + "/bots/expert/expert")
    picture = page.get_by_role("img", name="Turns by think time")
    name = picture.get_attribute("aria-label") or ""

    assert turns > 0
    assert sum(map(int, re.findall(r"(\d+) took", name))) == turns
    assert sum(int(one) for one in picture.locator("text:not(.name)").all_text_contents() if one) == turns


def test_faults_versions_and_ratings(season_site: Served, page: Page, season: Path) -> None:
    """Faults by kind, each version with its dates, and a line for each version in the chart."""
    page.goto(season_site.url + "/bots/bot003")
    told = json.loads(referee("standings", "--data", str(season), "--tournament", "winter", "--json").stdout)
    rows = [row for row in told["tables"][0]["rows"] if row["bot"] == "bot003"]
    versions = page.get_by_role("region", name="Table of versions").locator("tbody tr")

    assert [one.split()[0] for one in versions.all_inner_texts()] == ["2", "1"]
    assert "2024-10-04" in versions.last.inner_text()
    faults = page.get_by_role("region", name="Faults by kind")
    for row in rows:
        shown = faults.locator("tbody tr", has_text="in winter").filter(
            has=page.locator(f"td:text-is('{row['version']}')")
        )
        if row["faults"]:
            counts = [int(one) for one in shown.first.locator("td.number").all_inner_texts()]
            assert counts == [row["faults"]["illegal"], row["faults"]["late"]]
    assert (
        page.get_by_role("img", name="Ratings in Block dominoes in winter")
        .locator("g.trace path.line")
        .count()
        == 2
    )
    sound(page, "bot")


def test_the_last_matches_are_linked(season_site: Served, page: Page) -> None:
    """Each has its place, its score, who else sat there, and its page."""
    page.goto(season_site.url + "/bots/me/mine")
    lines = page.get_by_role("region", name="Table of the last matches").locator("tbody tr")

    assert lines.count() == 11
    assert (
        set(lines.first.inner_text().split()) >= {"easy,", "easy-2,"} or "easy-3" in lines.first.inner_text()
    )
    follow(lines.first.locator("td").last.get_by_role("link"))
    assert "/matches/" in page.url
    assert page.locator("h1").is_visible()


def test_an_unknown_bot_is_refused_with_near_names(season_site: Served) -> None:
    """There is a page for each bot that has ended a match, and for no other; names lead to no file."""
    answer = patient.get(season_site.url + "/bots/bot0003")
    assert answer.status_code == 404
    assert "bot003" in answer.text
    for path in (
        "/bots/../../etc/passwd",
        "/bots/..%2f..%2fetc%2fpasswd",
        "/bots/%00",
        "/bots/",
        "/bots/~/~",
    ):
        found = patient.get(season_site.url + path, follow_redirects=True)
        assert found.status_code in {200, 404}, path
        assert "root:" not in found.text


def test_hostile_bots_have_pages(season_site: Served, page: Page) -> None:
    """The list of bots finds them, their pages show their names as they are."""
    for name in HOSTILE:
        page.goto(season_site.url + "/bots?q=" + quote(name))
        follow(page.locator("tbody th a").first)
        assert page.locator("h1").inner_text() == name
        assert page.locator("main script").count() == 0


def test_the_list_of_bots_is_searched(season_site: Served, page: Page) -> None:
    """By name and by owner."""
    page.goto(season_site.url + "/bots?q=bot01")
    sound(page, "bots")
    page.get_by_label("Bot or owner").fill("owner of bot19")
    follow(page.get_by_role("button", name="Search"))
    names = page.locator("tbody th a").all_inner_texts()
    assert names == [f"bot19{number}" for number in range(10)]

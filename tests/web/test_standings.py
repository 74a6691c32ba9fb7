"""Standings on the site: the tables, how they are sorted, who beats whom, and how ratings went."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Locator, Page

from referee.store.store import Store
from referee.tournament.standings import TableKey
from referee.web import links
from tests.tournament.samples import result
from tests.web import patient
from tests.web.looking import follow, overflows, photograph, sound, visitor
from tests.web.seasons import HOSTILE, ODD
from tests.web.serving import Served, referee, serve

CUP = "/standings/cup/block_dominoes?opt.target=15"
WINTER = "/standings/winter/block_dominoes"


def told(season: Path, tournament: str) -> dict[str, Any]:
    """Returns a table as the command line tells it."""
    words = ("standings", "--data", str(season), "--tournament", tournament, "--crosstable", "--json")
    (table,) = json.loads(referee(*words).stdout)["tables"]
    return dict(table)


def column(table: Locator, name: str) -> list[str]:
    """Returns what the rows of a table are sorted by in one of its columns."""
    script = """(table, name) => {
        const at = [...table.tHead.rows[0].cells].findIndex((cell) => cell.dataset.name === name);
        return [...table.tBodies[0].rows].map((row) => row.cells[at].dataset.value);
    }"""
    found: list[str] = table.evaluate(script, name)
    return found


def in_order(table: Locator, name: str) -> str | None:
    """Returns the order that a column claims, which is the one it has."""
    heading = table.locator(f"thead th[data-name={name}]")
    order = heading.get_attribute("aria-sort")
    found = column(table, name)
    filled = [one for one in found if one]
    number = "number" in (heading.get_attribute("class") or "").split()
    keys: list[Any] = [float(one) for one in filled] if number else filled

    assert found[: len(filled)] == filled, name
    assert keys == sorted(keys, reverse=order == "descending"), (name, order)
    return order


def test_the_page_tells_what_the_command_tells(season_site: Served, page: Page, season: Path) -> None:
    """Every figure of a table that was played is the one of `referee standings --json`."""
    page.goto(season_site.url + CUP)
    table = page.get_by_role("table", name="Standings")
    rows = [row for row in told(season, "cup")["rows"] if row["current"]]

    assert len(rows) == 5
    for name, value in {
        "place": lambda row: row["place"],
        "n": lambda row: row["matches"],
        "points": lambda row: row["points"]["mean"],
        "score": lambda row: row["score"]["mean"],
        "rating": lambda row: row["rating"]["ordinal"],
        "forfeits": lambda row: row["forfeits"],
        "faults": lambda row: sum(row["faults"].values()),
        "no_shows": lambda row: row["no_shows"],
        "longest": lambda row: row["think_longest_us"],
    }.items():
        assert [round(float(one), 6) for one in column(table, name)] == list(map(value, rows)), name
    for row, line in zip(rows, table.locator("tbody tr").all(), strict=True):
        text = line.inner_text()
        points = row["points"]
        assert f"{points['mean']:.3f}" in text
        assert f"{points['low']:.2f} to {points['high']:.2f}" in text
        assert row["name"] in text
        assert "-".join(map(str, row["placements"])) in text


def test_k10_ends_add_up_on_the_page(season_site: Served, page: Page, season: Path) -> None:
    """The ends of all matches sum to the matches, and those of each bot to its matches (K10)."""
    page.goto(season_site.url + WINTER)
    table = told(season, "winter")
    summary = page.locator("main > p", has_text="ended:").inner_text()
    ended = sum(table["terminations"].values())

    assert f"{ended} matches ended: " in summary
    assert ended == table["matches"] + sum(table["not_counted"].values())
    for count in (*table["terminations"].values(), table["matches"], *table["not_counted"].values()):
        assert str(count) in summary
    page.get_by_text("Every match of every bot has one end").click()
    lines = page.get_by_role("region", name="How matches ended for each bot").locator("tbody tr").all()
    for line in lines:
        *counts, every = map(int, line.locator("td").all_inner_texts())
        assert sum(counts) == every


def test_u10_the_legend_says_what_figures_mean(season_site: Served, page: Page) -> None:
    """What a score is, which way is better, how many matches, what the bars are; no inf, no nan (U10)."""
    page.goto(season_site.url + WINTER)
    legend = page.locator("dl.legend").inner_text()

    for word in (
        "pips won from the hands of others; higher is better",
        "95 % interval",
        "Matches that count",
    ):
        assert word in legend
    words = page.locator("main").inner_text().lower().split()
    assert not {"inf", "nan", "-inf", "none"} & set(words)


def test_a_click_and_a_key_sort_by_any_column(season_site: Served, page: Page) -> None:
    """Each heading sorts, the second time the other way round; empty cells come last; the address tells."""
    page.goto(season_site.url + WINTER)
    table = page.get_by_role("table", name="Standings")
    names = page.eval_on_selector_all(
        "table.standing >> nth=0 >> th[data-name]", "all => all.map(one => one.dataset.name)"
    )

    assert len(names) == 14
    for name in names:
        heading = table.locator(f"thead th[data-name={name}]")
        if heading.get_attribute("aria-sort") is None:
            heading.get_by_role("link").click()
        first = in_order(table, name)
        heading.get_by_role("link").focus()
        page.keyboard.press("Enter")
        second = in_order(table, name)
        assert {first, second} == {"ascending", "descending"}
        assert f"sort={name}&order={second}" in page.url
    assert table.locator("th[aria-sort]").count() == 1


def test_the_address_sorts_without_javascript(season_site: Served, browser: Any) -> None:
    """Headings are links that the server answers: the same order as with a click."""
    with visitor(browser, java_script_enabled=False) as page:
        page.goto(season_site.url + WINTER)
        follow(page.get_by_role("table", name="Standings").get_by_role("link", name="Forfeits"))
        lines = page.locator("table.standing").first.locator("tbody tr")
        forfeits = [int(line.locator("td").nth(7).inner_text()) for line in lines.all()]

    assert forfeits == sorted(forfeits, reverse=True)
    assert max(forfeits) > 0


def test_who_left_stands_last_and_is_flagged(season_site: Served, page: Page) -> None:
    """Withdrawn bots stand below all that stayed, disqualified ones last, each with a flag and the reason."""
    page.goto(season_site.url + WINTER)
    lines = page.get_by_role("table", name="Standings").locator("tbody tr").all_inner_texts()

    assert "bot010" in lines[-2]
    assert "withdrawn" in lines[-2]
    assert "bot011" in lines[-1]
    assert "disqualified" in lines[-1]
    notes = page.get_by_role("region", name="Notes").inner_text()
    assert "withdrawn: its author left" in notes
    assert "two owners in one" in notes
    assert "nobody <b>came</b>" in notes


def test_earlier_versions_are_folded_away(season_site: Served, page: Page) -> None:
    """A new version stands in the table; the old one is below, behind a line that opens."""
    page.goto(season_site.url + WINTER)
    older = page.get_by_role("table", name="Earlier versions")

    assert not older.is_visible()
    page.get_by_text("Earlier versions (6)").click()
    assert older.locator("tbody tr").count() == 6
    sound(page, "standings")


def test_the_crosstable_is_that_of_the_command(season_site: Served, page: Page, season: Path) -> None:
    """Share and number of matches of each two bots; the names stay in sight on a phone."""
    page.goto(season_site.url + WINTER + "/crosstable")
    rows = [row for row in told(season, "winter")["rows"] if row["current"]]
    cells = page.locator("table.crosstable tbody tr")

    assert cells.count() == len(rows) == 24
    for at, row in enumerate(rows[:6]):
        shown = cells.nth(at).locator("td").all_inner_texts()
        met = {(one["bot"], one["version"]): one for one in row["against"]}
        for other, text in zip(rows, shown, strict=True):
            found = met.get((other["bot"], other["version"]))
            if found:
                assert text.split() == [f"{found['share']:.2f}", str(found["matches"])]
    photograph(page, "crosstable")
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator(".scroll").evaluate("box => { box.scrollLeft = 600; }")
    name = cells.nth(3).locator("th").bounding_box()
    assert name is not None
    assert 0 <= name["x"] < 40


def test_the_rules_of_a_table_are_a_click_away(season_site: Served, page: Page) -> None:
    """They are shown with the options of the table in force."""
    page.goto(season_site.url + CUP)
    follow(page.get_by_role("navigation", name="Pages of this table").get_by_role("link", name="Rules"))
    assert page.locator("h1").inner_text() == "Rules of Block dominoes"
    assert page.get_by_role("table", name="Options").locator("tr.changed").inner_text().split()[:2] == [
        "target",
        "15",
    ]


def test_a_crosstable_is_read_by_everybody(season_site: Served, page: Page) -> None:
    """The checker of accessibility has nothing serious to say, nor is the page wider than a phone."""
    page.goto(season_site.url + CUP.replace("?", "/crosstable?"))
    sound(page, "crosstable-small")


def test_the_course_of_ratings_ends_at_the_table(season_site: Served, page: Page, season: Path) -> None:
    """A line and a band for each of the best bots, without style or script; a table says the same."""
    page.goto(season_site.url + WINTER + "/history")
    chart = page.get_by_role("img", name="Ratings in Block dominoes in winter, by day")
    rating = {row["name"]: row["rating"] for row in told(season, "winter")["rows"] if row["current"]}

    assert chart.locator("g.trace path.line").count() == 8
    assert chart.locator("g.band path").count() == 8
    assert chart.locator("style, script, [style]").count() == 0
    page.get_by_text("The same figures as a table").click()
    last = {}
    for line in page.get_by_role("region", name="Table: Ratings").locator("tbody tr").all():
        name, day, mean, _ = line.locator("th, td").all_inner_texts()
        assert day.startswith("2024-10-0"), day
        last[name.split()[0]] = float(mean)
    assert len(last) == 8
    for bot, found in last.items():
        assert found == round(rating[bot]["mu"], 2)
    sound(page, "history")


def test_other_lines_can_be_chosen(season_site: Served, page: Page) -> None:
    """Any bots, and along matches instead of days, by a form that works without JavaScript."""
    page.goto(season_site.url + WINTER + "/history")
    page.get_by_text("Bots (23)").click()
    for box in page.get_by_role("checkbox").all():
        box.set_checked(False)
    page.get_by_role("checkbox", name="bot020").check()
    page.get_by_label("Along").select_option("matches")
    follow(page.get_by_role("button", name="Show"))
    assert "by=matches&bot=bot020" in page.url

    assert page.get_by_role("img", name="by matches played").locator("g.trace path.line").count() == 1
    assert page.get_by_role("list", name="Lines of the chart").inner_text().strip() == "bot020 1"


def test_the_list_of_tables_is_searched(season_site: Served, page: Page) -> None:
    """Tables stand by game; a search finds them by tournament, option or bot."""
    page.goto(season_site.url + "/standings")
    sound(page, "standings-list")
    for words, found in {"winter": ["winter"], "spar": ["cup"], "nothing": []}.items():
        page.get_by_label("Tournament, option or bot").fill(words)
        follow(page.get_by_role("button", name="Search"))
        assert page.locator("tbody th a").all_inner_texts() == found
    assert page.get_by_text("No table fits this search.").is_visible()


def test_addresses_that_name_no_table_or_several(season_site: Served) -> None:
    """One that is not there is refused with what is near; one without options finds the only table."""
    for path, hint in {
        "/standings/wintr/block_dominoes": "winter",
        "/standings/winter/block_dominos": "block_dominoes",
    }.items():
        answer = patient.get(season_site.url + path)
        assert answer.status_code == 404
        assert f"was {hint} meant?" in answer.text
    answer = patient.get(season_site.url + "/standings/cup/block_dominoes")
    assert (answer.status_code, answer.headers["location"]) == (307, CUP)
    wrong = patient.get(season_site.url + "/standings/cup/block_dominoes?opt.target=99")
    assert "This address fits none" in wrong.text


def test_the_address_of_a_tournament_leads_to_its_tables(season_site: Served) -> None:
    """The only one is meant, and a name that is not there is refused with what is near."""
    answer = patient.get(season_site.url + "/standings/cup")
    assert (answer.status_code, answer.headers["location"]) == (307, CUP)
    answer = patient.get(season_site.url + "/standings/all")
    assert answer.status_code == 404
    assert "No match has ended that belongs to no tournament." in answer.text
    answer = patient.get(season_site.url + "/standings/wintr")
    assert answer.status_code == 404
    assert "was winter meant?" in answer.text


def test_the_tables_of_a_tournament_of_several_games_are_listed(tmp_path: Path) -> None:
    """Those of that tournament alone, each with its own address."""
    games = ("block_dominoes", "ding_niu", "guan_pai")
    with Store.under(tmp_path) as store:
        for number, game in enumerate(games):
            name = "other" if game == "guan_pai" else "mixed"
            store.add_result(replace(result(number, {"ann": 1, "bob": 2}), game=game, tournament=name))
    with serve(tmp_path) as site:
        text = patient.get(site.url + "/standings/mixed").text
    assert "The tables of mixed." in text
    assert [f"/standings/mixed/{game}" in text for game in games] == [True, True, False]
    assert "/standings/other" not in text


def test_hostile_names_are_text(season_site: Served, page: Page) -> None:
    """Markup, writing directions, slashes and very long names are shown as they are, and lead nowhere."""
    page.on("dialog", lambda _: pytest.fail("a script ran"))
    for tournament in (ODD, "all", ".."):
        page.goto(season_site.url + "/standings")
        follow(page.locator("tbody th").get_by_role("link", name=tournament, exact=True))
        assert tournament in page.locator("h1").inner_text()
        names = [one.inner_text() for one in page.locator("tbody th a.name").all()[:4]]
        assert sorted(names) == sorted(HOSTILE)
    assert overflows(page) == 0
    photograph(page, "hostile")
    follow(page.get_by_role("link", name="About .."))
    assert page.locator("h1").inner_text() == ".."
    assert "Its matches are known here, and nothing else" in page.locator("main").inner_text()
    page.go_back()
    for name in HOSTILE:
        follow(page.locator("tbody th").get_by_role("link", name=name, exact=True).first)
        assert page.locator("h1").inner_text() == name
        page.go_back()


@given(st.text(st.characters(codec="utf-8")))
def test_every_name_has_an_address_of_its_own(name: str) -> None:
    """A name comes back from its part of a path, which is one part and never leads up."""
    part = links.segment(name)
    path = httpx.URL(f"http://site/{part}/x").path

    assert path.count("/") == 2
    assert part not in {"", ".", ".."}
    assert links.name_of(path.split("/")[1]) == name
    assert links.bot_of("/".join(map(links.segment, name.split("/")))) == links.bot_of(links.bot(name)[6:])
    assert links.tournament_of(httpx.URL(f"http://site/{links.tournament_part(name)}").path[1:]) == name


def test_the_address_of_a_table_says_only_what_is_unusual() -> None:
    """Rules and options by default are left out; others are named."""
    usual = (("block_score", "others"), ("max_deals", 1000), ("target", 100), ("tie_opener", "same"))
    odd = (*usual[:2], ("target", 50), usual[3])

    assert links.table(TableKey("", "block_dominoes", "1", usual)) == "/standings/all/block_dominoes"
    key = TableKey("a b", "block_dominoes", "0", odd)
    assert links.table(key, "history") == "/standings/a%20b/block_dominoes/history?rules=0&opt.target=50"
    assert links.fits(key, "a b", "block_dominoes", {"rules": "0", "opt.target": "50"})
    assert not links.fits(key, "a b", "block_dominoes", {"opt.target": "50"})


def test_a_table_of_200_bots_is_a_page(season_site: Served, page: Page) -> None:
    """It is whole, small on the way, and sorts at once."""
    answer = patient.get(
        season_site.url + "/standings/huge/block_dominoes", headers={"Accept-Encoding": "gzip"}
    )
    assert answer.headers["content-encoding"] == "gzip"
    assert int(answer.headers["content-length"]) < 100_000
    page.goto(season_site.url + "/standings/huge/block_dominoes")
    table = page.get_by_role("table", name="Standings")
    table.get_by_role("link", name="Score").click()
    scores = [float(one) for one in column(table, "score") if one]

    assert len(column(table, "score")) == 200
    assert scores == sorted(scores, reverse=True)
    assert overflows(page) == 0


def test_an_empty_server_says_what_to_do(tmp_path: Path, page: Page) -> None:
    """Where nothing was played each page says what plays something."""
    with serve(tmp_path) as served:
        for path, word in {
            "/standings": "referee match",
            "/bots": "referee bot new",
            "/challenges": "challenge",
            "/tournaments": "referee tournament run FILE",
        }.items():
            page.goto(served.url + path)
            assert word in page.locator("main").inner_text()

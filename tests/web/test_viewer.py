"""The replay viewer: every position of every game, for each viewer, with and without JavaScript."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from referee.games import find
from referee.match.events import Rejected
from referee.replay.reader import Log
from tests.web import patient
from tests.web.filed import GAMES, check_position, fetched, filed, known, logs, views
from tests.web.looking import follow, sound, visitor
from tests.web.serving import Served, serve

every_game = pytest.mark.parametrize("game", GAMES)


@pytest.fixture(scope="module")
def matches(played: Path) -> dict[str, Log]:
    """Returns the logs of the matches that the site has, by game."""
    return logs(played)


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Log]]:
    """Returns a site with a match that is full of faults, from the pack of its day, and its log."""
    data: Path = tmp_path_factory.mktemp("faulty")
    log = filed(data, "guan_pai/faults")["guan_pai/faults"]
    with serve(data) as served:
        yield served, log


def address(site: Served, log: Log, query: str = "") -> str:
    """Returns the page of a match."""
    return f"{site.url}/matches/{log.setup.match_id}{query}"


def totals(page: Page) -> list[int]:
    """Returns the totals that are shown beside the table, by seat."""
    cells = page.locator("[data-stage] .seats tbody tr td:nth-child(2)").all_inner_texts()
    return [int(cell.split("(")[0].replace("\N{MINUS SIGN}", "-")) for cell in cells]


def position(page: Page) -> int:
    """Returns which position is shown, from 1."""
    return int(page.locator("[data-position]").inner_text())


@every_game
def test_the_arrow_keys_lead_to_the_end_and_the_final_scores(
    site: Served, matches: dict[str, Log], page: Page, game: str
) -> None:
    """Every step is a position; at the end the scores are those of the log; so it looks on the way."""
    log = matches[game]
    count = len(known(log, -2))
    page.goto(address(site, log))
    place = position(page)
    while place < count:
        page.keyboard.press("ArrowRight")
        place += 1
        assert position(page) == place
        if place == count // 2:
            expect(page.locator("[data-stage] .told")).not_to_be_empty()
            sound(page, f"viewer-{game}")
    told = page.locator("[data-stage] .told")
    expect(told).to_contain_text("The match is over")
    assert log.end
    assert totals(page) == [one.score for one in log.end.places]
    expect(page).to_have_url(re.compile(f"view=full&at={log.end.n}$"))
    ranked = page.get_by_role("table", name="Result").locator("tbody tr").all_inner_texts()
    first = min(log.end.places, key=lambda one: one.rank)
    assert ranked[0].split()[:2] == ["1", log.setup.seats[first.seat].name]


@every_game
def test_l9_each_view_holds_what_its_viewer_may_know_and_nothing_else(
    site: Served, matches: dict[str, Log], game: str
) -> None:
    """Pictures and words of all positions, of every seat, a spectator and the full view, for both windows."""
    log = matches[game]
    for view, viewer in views(log):
        frames = known(log, viewer)
        sent = fetched(site.url, log.setup.match_id, view, "narrow" if viewer == 1 else "wide")
        assert [one["n"] for one in sent] == [frame.n for frame in frames]
        for one, frame in zip(sent, frames, strict=True):
            check_position(one["html"], find(game), frame)


def test_it_plays_pauses_and_is_scrubbed(site: Served, matches: dict[str, Log], page: Page) -> None:
    """The space bar starts and stops; the slider leads anywhere; the address follows."""
    page.goto(address(site, matches["mexican_train"]))
    page.locator("[data-speed]").select_option("10×")
    page.locator("h1").click()
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.locator("[data-position]")).to_have_text(re.compile("^[6-9]|..$"))
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    stopped = position(page)
    page.wait_for_timeout(300)
    assert position(page) == stopped

    every = known(matches["mexican_train"], -2)
    at = len(every) - 5
    page.get_by_role("slider", name="Position").fill(str(at))
    expect(page.locator("[data-position]")).to_have_text(str(at + 1))
    expect(page.locator("[data-stage] .when")).to_contain_text(f"ply {every[at].ply},")
    expect(page).to_have_url(re.compile(f"view=full&at={every[at].n}$"))
    page.get_by_role("button", name="Play").click()
    expect(page.locator("[data-position]")).to_have_text(str(len(every)))
    expect(page.get_by_role("button", name="Play")).to_be_visible()


def test_keys_alone_lead_everywhere(site: Served, matches: dict[str, Log], page: Page) -> None:
    """Home and End, deals, buttons by Tab and Enter; another view stays at the same position."""
    log = matches["mexican_train"]
    page.goto(address(site, log))
    page.keyboard.press("End")
    assert position(page) == len(known(log, -2))
    page.keyboard.press("Shift+D")
    second = [frame for frame in known(log, -2) if frame.kind == "deal"][1]
    expect(page.locator("[data-stage] .told")).to_contain_text("Deal 2 begins")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("[data-stage] .told")).to_contain_text("Deal 1 is over")
    assert page.locator("[data-stage] .change").count() == 4, "what the deal was worth"
    page.keyboard.press("d")
    page.locator("[data-go=on]").focus()
    page.keyboard.press("Enter")
    page.get_by_role("link", name="a spectator").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="a spectator")).to_have_attribute("aria-current", "true")
    expect(page.get_by_role("link", name="a spectator")).to_be_focused()
    after = next(frame for frame in known(log, -1) if frame.n > second.n)
    expect(page.locator("[data-stage] .when")).to_contain_text(f"Deal 2, ply {after.ply}")
    page.keyboard.press("Home")
    assert position(page) == 1
    expect(page.locator("[data-stage] .told")).to_contain_text("The match begins")


def test_the_timeline_is_clicked_and_words_are_said(
    site: Served, matches: dict[str, Log], page: Page
) -> None:
    """A click leads to its action; readers of screens hear what happened, and find the table in words."""
    page.goto(address(site, matches["mexican_train"]))
    art = page.locator(".timeline-art")
    box = art.bounding_box()
    assert box
    width = int(page.locator(".viewer-state").get_attribute("data-width") or "")
    art.click(position={"x": 20 * width + 2, "y": 80})
    assert position(page) == 21
    said = page.locator("[data-say]")
    expect(said).not_to_be_empty()  # it is filled with the picture
    expect(said).to_have_text(page.locator("[data-stage] .told").inner_text().replace("\n", " "))
    page.locator("[data-stage] summary").click()
    assert page.locator("[data-stage] .facts-in-words li").count() > 4
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-stage] .facts-in-words li").first).to_be_visible()


def test_every_position_has_an_address_that_works_without_javascript(
    site: Served, matches: dict[str, Log], browser: Browser
) -> None:
    """The server draws it, and every step is a link; what the seat may not know is nowhere in the page."""
    log = matches["ding_niu"]
    with visitor(browser, java_script_enabled=False) as page:
        frames = known(log, 2)
        first = len(frames) // 2
        page.goto(address(site, log, f"?view=2&at={frames[first].n}"))
        sent = fetched(site.url, log.setup.match_id, "2")
        for place in (first, first + 1):
            expect(page.locator("[data-position]")).to_have_text(str(place + 1))
            stage = page.locator("[data-stage] .told").inner_text()
            assert sent[place]["told"] == " ".join(stage.split())
            if place == first:
                follow(page.get_by_role("link", name="Step on"))
        assert page.locator("[data-play]").is_hidden()
        follow(page.get_by_role("link", name="Last position"))
        expect(page.locator("[data-stage] .told")).to_contain_text("The match is over")


def test_faults_are_marked_and_jumped_to(faulty: tuple[Served, Log], page: Page) -> None:
    """Each has its mark and a line, f and Shift+f lead to them, and nobody reads what a bot wrote."""
    site, log = faulty
    page.goto(address(site, log))
    kinds = {"rejected", "default", "strike", "forfeit", "gone"}
    faults = [
        place
        for place, frame in enumerate(known(log, -2))
        if frame.kind in kinds and (frame.kind, frame.fault) != ("default", "forfeited")
    ]
    assert page.locator(".timeline-art .mark").count() == len(faults) > 10
    page.keyboard.press("Home")
    for place in faults[:3]:
        page.keyboard.press("f")
        assert position(page) == place + 1
    page.keyboard.press("Shift+F")
    assert position(page) == faults[1] + 1
    expect(page.locator("[data-stage] .told.wrong")).to_be_visible()
    page.locator(".faults summary").click()
    page.locator(".faults a").nth(5).click()
    assert position(page) == faults[5] + 1
    sound(page, "viewer-faults")
    page.get_by_role("link", name="a spectator").click()
    expect(page.get_by_role("link", name="a spectator")).to_have_attribute("aria-current", "true")
    forfeits = [frame for frame in known(log, -1) if frame.kind == "forfeit"]
    assert page.locator(".timeline-art .mark").count() == len(forfeits) > 0
    raws = [
        record.raw for record in log.records if isinstance(record, Rejected) and record.form == "malformed"
    ]
    assert raws
    everything = "".join(one["html"] + one["told"] for one in fetched(site.url, log.setup.match_id, "full"))
    assert not [raw for raw in raws if len(raw) > 3 and raw in everything + page.content()]


def test_what_cannot_be_asked_is_not_there(site: Served, matches: dict[str, Log]) -> None:
    """Views, positions, chunks and sizes that do not exist are refused in one line."""
    url = address(site, matches["guan_pai"])
    for query in ("?view=3", "?view=-1", "?view=<b>", "?at=-1", "?at=x", f"?at={'9' * 40}", "?view=²"):
        answer = patient.get(url + query)
        assert answer.status_code == 404, query
        assert "<b>" not in answer.text
    for query in ("?from=1", "?from=99999", "?size=huge", "?view=9", "?from=-16"):
        assert patient.get(f"{url}/frames{query}").status_code == 404, query
    assert patient.get(url + "?at=999999").status_code == 200, "behind the end is the end"

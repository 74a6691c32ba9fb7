"""Tournaments and ladders on the site: how they stand, what was decided, what stays untold."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page

from referee.store.store import Store
from tests.patience import PATIENCE
from tests.web import patient
from tests.web.looking import follow, sound
from tests.web.serving import Served, referee, serve

LADDER = """
[ladder]
name = "spring"
anonymous = true
time = "90s+0,bank=0"
[games.mexican_train]
seats = 2
options = { deals = 1 }
[house]
levels = ["easy"]
wait = "10ms"
"""
SLOW = """
import sys, time
from referee.bot import main

def choose(turn):
    print("asked", flush=True)
    time.sleep(600)

main(choose, games=["mexican_train"], version="1")
"""


def test_a_finished_tournament_tells_how_it_stands(season_site: Served, page: Page, season: Path) -> None:
    """Progress as `referee tournament status` has it, settings in words, the table, the schedule."""
    status = json.loads(referee("tournament", "status", "cup", "--data", str(season), "--json").stdout)
    page.goto(season_site.url + "/tournaments")
    sound(page, "tournaments")
    follow(page.get_by_role("link", name="cup", exact=True))
    text = page.locator("main").inner_text()

    assert f"{status['settled']} of {status['total']} matches settled: it is over" in text
    for words in (
        "round robin: every choice of 4 bots meets, 12 matches in all",
        "5, at tables of 4",
        "target 15",
        "5s for each turn, 60s in reserve for a match",
        "told from the start of a match",
    ):
        assert words in text
    schedule = page.get_by_role("region", name="Table of pairings").locator("tbody tr")
    assert schedule.count() == 12
    plan = json.loads(
        referee("tournament", "plan", str(season / "cup.toml"), "--data", str(season), "--json").stdout
    )
    for line, pairing in zip(schedule.all(), plan["pairings"], strict=True):
        assert line.locator("a.name").all_inner_texts() == pairing["matches"][0]
        assert line.locator("td").nth(2).inner_text() == "played"
    sound(page, "tournament")
    matches = page.get_by_role("region", name="Table of the last matches").locator("tbody tr")
    follow(matches.first.locator("td a").last)
    assert "/matches/" in page.url


def test_decisions_are_told_with_their_reasons(season_site: Served, page: Page) -> None:
    """Who left and why, what was made void and given up, who had a bye; of what has no file, too."""
    page.goto(season_site.url + "/tournaments/winter")
    decisions = page.get_by_role("region", name="Table of decisions").inner_text()

    for words in (
        "two owners in one",
        "its author left",
        "the power failed",
        "nobody <b>came</b>",
        "a bye in round 1",
    ):
        assert words in decisions
    assert "was away" in decisions
    assert "was asleep" not in page.content()  # that pairing is played again, by the same bots
    facts = page.locator("dl.facts").first.inner_text()
    assert re.search(r"No-shows\s+bot008: 1", facts)
    assert re.search(r"Pairings given up\s+1", facts)
    assert re.search(r"Matches made void\s+1", facts)
    follow(page.locator(".card a").first)
    assert page.locator("h1").inner_text() == "Block dominoes in winter"


def test_no_name_leads_out_of_the_tournaments(season_site: Served) -> None:
    """Names with dots and slashes are unknown, and a near one is told what may have been meant."""
    for path in ("...", "..%2f..%2fetc", "~2E~2E~2Freplays", "~2E", "~", "a%00b", "x" * 300):
        assert patient.get(f"{season_site.url}/tournaments/{path}").status_code == 404, path
    series = patient.get(
        f"{season_site.url}/tournaments/~2E."
    ).text  # of which there are matches, and no folder
    assert "Its matches are known here, and nothing else" in series
    assert "was winter meant?" in patient.get(season_site.url + "/tournaments/wintr").text


def test_progress_of_a_tournament_that_is_not_over(tmp_path: Path, page: Page) -> None:
    """One that was stopped says how far it is and how it goes on; if anonymous not who plays next."""
    file = tmp_path / "cup.toml"
    file.write_text(
        '[tournament]\nname = "cup"\ngame = "ding_niu"\nanonymous = true\n[options]\ndeals = 1\n'
        '[format]\nkind = "round_robin"\nmatches = 500\n'
        "[bots.easy]\n[bots.normal]\n[bots.expert]\n[bots.spar]\nhouse = 'easy'\n"
        "[bots.second]\nhouse = 'easy'\n",
        encoding="utf-8",
    )
    words = ("tournament", "run", str(file), "--data", str(tmp_path), "--quiet")
    running = subprocess.Popen(
        [sys.executable, "-m", "referee", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        with serve(tmp_path) as served:
            url = served.url + "/tournaments/cup"
            eventually(lambda: bool(re.search(r"<strong>[1-9]\d* of 500", patient.get(url).text)))
            page.goto(url)
            text = page.locator("main").inner_text()
            assert "played now" in text
            schedule = page.get_by_role("region", name="Table of pairings").locator("tbody tr")
            for line in schedule.all_inner_texts():
                assert ("not told yet" in line) == ("to be played" in line)
            running.terminate()
            running.wait(PATIENCE)
            page.reload()
            assert (
                "nobody plays it now: referee tournament resume cup goes on"
                in page.locator("main").inner_text()
            )
    finally:
        running.kill()
        running.wait()


def test_a_running_anonymous_match_names_nobody(season: Path, tmp_path: Path, page: Page) -> None:
    """A ladder tells who is connected, and no page tells who sits in its running match."""
    data = tmp_path / "data"
    shutil.copytree(season, data, ignore=shutil.ignore_patterns("*.sock"))
    (tmp_path / "ladder.toml").write_text(LADDER, encoding="utf-8")
    (tmp_path / "slow.py").write_text(SLOW, encoding="utf-8")
    with Store.under(data) as store:
        token = store.add_bot("slowpoke", "ann")
    with serve(data, "--ladder", str(tmp_path / "ladder.toml")) as served, slow(tmp_path, served, token):
        page.goto(served.url + "/tournaments/spring")
        text = page.locator("main").inner_text()
        assert re.search(r"Running here\s+1", text)
        assert "continuous" in text
        assert (
            page.get_by_role("region", name="Bots that are connected").inner_text().split()[-1] == "slowpoke"
        )
        sound(page, "ladder")
        page.goto(served.url + "/bots/easy/easy")
        states = (
            page.get_by_role("region", name="Table of the last matches")
            .locator("tbody td:nth-child(6)")
            .all_inner_texts()
        )
        assert states
        assert "running" not in states
        assert patient.get(served.url + "/bots/slowpoke").status_code == 404


@contextmanager
def slow(folder: Path, served: Served, token: str) -> Iterator[None]:
    """Has a bot sit in a match for as long as the block lasts."""
    bot = subprocess.Popen(
        [sys.executable, "slow.py"],
        cwd=folder,
        env={**os.environ, "REFEREE_ADDRESS": served.address, "REFEREE_TOKEN": token},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert bot.stdout
        assert bot.stdout.readline() == "asked\n"
        yield
    finally:
        bot.kill()
        bot.communicate()


def eventually(true: Callable[[], bool]) -> None:
    """Waits until something is so."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end
        time.sleep(0.1)

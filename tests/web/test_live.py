"""Matches that are watched on the site while they are played."""

import json
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

import httpx
import pytest
from playwright.sync_api import Page, expect

from referee.server.watch import message
from referee.server.watch.past import past
from referee.store.store import Store
from referee.v1 import arena_service_pb2 as pb
from referee.v1 import game_pb2
from referee.web.draw import Table
from referee.web.viewer.watching import Watching, hands_of
from tests.patience import PATIENCE
from tests.web import patient
from tests.web.draw import reading
from tests.web.filed import GAMES, logs, named
from tests.web.looking import follow, sound
from tests.web.serving import Served, serve

NAMES = ("<img src=x onerror=alert(1)>", "a\"b'c&amp;d", "x" * 60, "\N{GRINNING FACE} nine")
"""What bots may be called."""
THINK = "0.1"
PLACES = 16
"""Spectators that one address may have."""


class Hall(NamedTuple):
    """A server with bots that play slowly."""

    site: Served
    data: Path

    def running(self) -> str:
        """Waits for a match of which something is told, and returns its id."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            found = patient.get(self.site.url + "/live?part=1").text.partition("/matches/")[2][:36]
            if found and "data-backs" in patient.get(f"{self.site.url}/matches/{found}").text:
                return found
            time.sleep(0.1)
        raise AssertionError("no match began")


@contextmanager
def playing(data: Path, deals: int) -> Iterator[Hall]:
    """Serves Ding Niu, whose face-down tiles nobody else may know, with four slow bots.

    No deal of it is over after a few plays: who looks at a page has some seconds for each.
    """
    options = ("--option", f"deals={deals}", "--option", "settlement=off")
    with Store.under(data) as store:
        tokens = [store.add_bot(name) for name in NAMES]
    with serve(data, "--game", "ding_niu", *options, "--drain", "100ms") as site:
        command = (sys.executable, "-m", "tests.web.slow_bots", site.address, THINK, *tokens)
        bots = subprocess.Popen(command)
        try:
            yield Hall(site, data)
        finally:
            bots.kill()
            bots.wait()


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    """Returns a server with a match that ends in no test, however long that takes."""
    with playing(tmp_path_factory.mktemp("live"), deals=1000) as served:
        yield served


def test_a_match_is_watched_to_its_end_and_then_replayed(tmp_path: Path, page: Page) -> None:
    """The list leads to it, the table changes by itself, the result comes with the way to the replay."""
    with playing(tmp_path, deals=3) as hall:
        watched_to_its_end(hall, page)


def watched_to_its_end(hall: Hall, page: Page) -> None:
    """Watches the match that runs."""
    match_id = hall.running()
    page.goto(hall.site.url + "/live")
    follow(page.locator(f"tbody a[href$='{match_id}']"))
    expect(page.locator("[data-state]")).to_have_text("running")
    expect(page.locator("[data-log] li").nth(3)).to_be_attached()
    names = page.locator("[data-stage] .seats tbody th").all_inner_texts()
    assert sorted(names) == sorted(NAMES)
    assert page.locator("main img").count() == 0
    sound(page, "live")
    expect(page.locator("[data-state]")).to_have_text("ended")
    rows = page.get_by_role("table", name="Result").locator("tbody tr").all_inner_texts()
    follow(page.get_by_role("link", name="Result and replay"))
    expect(page.locator("[data-viewer]")).to_be_visible()
    assert len(rows) == 4
    shown = page.get_by_role("table", name="Result").locator("tbody tr").all_inner_texts()
    assert [row.split("\t")[1] for row in shown] == [row.split("\t")[1] for row in rows]
    assert page.locator("main img").count() == 0


def test_what_is_played_is_not_to_be_had_in_any_other_way(hall: Hall) -> None:
    """No position, log or check of a match that runs is shown; its page works without JavaScript."""
    match_id = hall.running()
    for path in ("frames", "log", "verify", "viewer", "signature", "frames?view=full", "viewer?view=0&at=3"):
        answer = patient.get(f"{hall.site.url}/matches/{match_id}/{path}")
        assert answer.status_code == 409, path
    text = patient.get(f"{hall.site.url}/matches/{match_id}?view=full").text
    assert "<svg" in text
    assert 'http-equiv="refresh"' in text
    assert "data-viewer" not in text


def told(response: httpx.Response, count: int) -> list[tuple[int, dict[str, str]]]:
    """Reads so many events of a stream: the number of each, and what it holds."""
    found: list[tuple[int, dict[str, str]]] = []
    number = 0
    for line in response.iter_lines():
        if line.startswith("id: "):
            number = int(line[4:])
        elif line.startswith("data: "):
            found.append((number, json.loads(line[6:])))
            if len(found) == count:
                break
    return found


def test_l9_a_stream_goes_on_where_it_broke_and_shows_no_hidden_tile(hall: Hall) -> None:
    """Pictures have no hand and no discard face up; `Last-Event-ID` leads on, and policies hold here too."""
    match_id = hall.running()
    url = f"{hall.site.url}/matches/{match_id}/live"
    with httpx.stream("GET", url, timeout=PATIENCE) as first:
        assert first.headers["content-type"].startswith("text/event-stream")
        assert "default-src 'none'" in first.headers["content-security-policy"]
        before = told(first, 3)
    with httpx.stream("GET", url, timeout=PATIENCE, headers={"Last-Event-ID": str(before[0][0])}) as again:
        after = told(again, 2)
    numbers = [number for number, _ in before]
    assert numbers == sorted(set(numbers))
    assert after[0][0] >= before[0][0]
    for _, event in before + after:
        (line,) = re.findall("<li>(Line: [^<;]*|The line is empty)", event["html"]) or [""]
        for picture in pictures(event["html"]):
            assert reading.shown(picture) == Counter(named(line))


def pictures(html: str) -> list[ET.Element]:
    """Returns the pictures of a piece of a page."""
    return [reading.parsed(picture) for picture in re.findall("<svg.*?</svg>", html, re.DOTALL)]


def test_a_spectator_who_leaves_gives_the_place_back(hall: Hall) -> None:
    """One address may watch as often as it likes, one after the other, and not more at once than it may."""
    match_id = hall.running()
    url = f"{hall.site.url}/matches/{match_id}/live"
    for _ in range(PLACES + 4):
        with httpx.stream("GET", url, timeout=PATIENCE) as response:
            assert response.status_code == 200
    with httpx.Client(timeout=PATIENCE, limits=httpx.Limits(max_connections=64)) as client:
        open_ = [client.send(client.build_request("GET", url), stream=True) for _ in range(PLACES + 1)]
        codes = [response.status_code for response in open_]
        for response in open_:
            response.close()
    assert codes.count(429) >= 1
    assert codes[: PLACES // 2] == [200] * (PLACES // 2)


@pytest.mark.parametrize("game", GAMES)
def test_l9_neither_the_first_picture_nor_a_later_one_holds_more_than_the_public_view(
    played: Path, game: str
) -> None:
    """Of each game, for those who came first and for late comers: exactly the pieces that lie open."""
    log = logs(played)[game]
    assert log.end
    shown = 0
    for late in (0, 7, 40):
        before = past(log, event_id=late)
        watching, table = Watching(), Open(game)
        groups = [group.data for group in before.groups]
        for data in (message.started(log.setup, before.start, 8), *groups, message.ended(log.setup, log.end)):
            watching.hear(data)
            table.hear(data)
            news = watching.news()
            for picture in pictures(str(news.scene.picture)) if news.scene else ():
                assert reading.shown(picture) == table.pieces()
                shown += 1
        assert news.ended
        assert [place.score for place in news.ended.placements] == [place.score for place in log.end.places]
    assert shown > log.end.plies


class Open:
    """What lies open to everybody, from the messages to a spectator alone."""

    def __init__(self, game: str) -> None:
        self._game = game
        self._public = game_pb2.Observation()
        self._hands: dict[int, game_pb2.Observation] = {}

    def hear(self, data: bytes) -> None:
        """Takes a message."""
        for frame in pb.WatchMatchResponse.FromString(data).frames:
            arm = frame.WhichOneof("frame")
            if arm == "deal_ended":
                self._hands = hands_of(frame.deal_ended.detail)
            elif arm in {"started", "observation"}:
                self._hands = {}
                self._public = frame.started.observation if arm == "started" else frame.observation
                assert not getattr(self._public, self._game).HasField("private")

    def pieces(self) -> Counter[int]:
        """Returns the pieces that may be seen."""
        names = ("",) * 4
        return reading.expected(Table(game=self._game, public=self._public, hands=self._hands, names=names))

"""Who may act in a seat of the site, and what its page holds: the seat's own view and nothing else."""

import html
import re
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from referee.games import names
from referee.replay.positions import Frame, frames
from referee.replay.reader import read, scan, unfinished
from referee.v1 import game_pb2
from tests.patience import PATIENCE
from tests.web import patient
from tests.web.serving import SHORT, Served, serve


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Path]]:
    """Returns a server that seats people, and its data."""
    data = tmp_path_factory.mktemp("guarded")
    with serve(data) as served:
        yield served, data


class Chair(NamedTuple):
    """A seat as a browser without a script has it."""

    client: httpx.Client
    path: str

    def page(self) -> str:
        """Returns the page, once the person is asked or the match is over."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            text = self.client.get(self.path).text
            if not re.search(r'data-phase="(asking|waiting)"', text):
                return text
        raise AssertionError("nobody was asked")

    def act(self, text: str, **changed: str) -> httpx.Response:
        """Answers the turn of a page by its first action."""
        return self.client.post(self.path, data={**fields(text), "choice": "0", **changed})

    def leave(self) -> None:
        """Gives up the seat: one address may hold only a few."""
        form = fields(self.page())["form"]
        assert self.client.post(f"{self.path}/leave", data={"form": form}).status_code == 303


def fields(text: str) -> dict[str, str]:
    """Returns the hidden fields of the form that asks for an action."""
    (form,) = re.findall(r'<form[^>]*class="act">.*?</form>', text, re.DOTALL)
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))


def sit_down(url: str, game: str = "block_dominoes", name: str = "Ann", **more: str) -> Chair:
    """Takes a seat."""
    client = httpx.Client(base_url=url, timeout=PATIENCE)
    given = {"game": game, "level": "easy", "name": name, **more}
    answer = client.post("/play", data=given)
    assert answer.status_code == 303, answer.text
    return Chair(client, answer.headers["location"])


@pytest.fixture(scope="module")
def chair(hall: tuple[Served, Path]) -> Chair:
    """Returns a seat whose turn it is."""
    found = sit_down(hall[0].url)
    assert 'data-phase="to_act"' in found.page()
    return found


def test_the_key_of_a_seat_is_in_its_cookie_alone(chair: Chair) -> None:
    """No script reaches it, no other site sends it, no other path gets it, and no page shows it."""
    (cookie,) = [one for one in chair.client.cookies.jar if one.name == "seat"]
    assert cookie.path == chair.path
    assert cookie.has_nonstandard_attr("HttpOnly")
    assert cookie.get_nonstandard_attr("SameSite") == "strict"
    page = chair.client.get(chair.path)
    assert cookie.value
    assert cookie.value not in page.text
    assert page.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["", "/events"])
def test_nobody_else_sees_a_seat(hall: tuple[Served, Path], chair: Chair, path: str) -> None:
    """Neither without a key, nor with a wrong one, nor with that of another seat."""
    other = sit_down(hall[0].url)
    foreign = next(one.value for one in other.client.cookies.jar if one.name == "seat")
    other.leave()
    for cookie in ("", "seat=", "seat=x", f"seat={foreign}", "seat=\N{LATIN SMALL LETTER E WITH ACUTE}"):
        headers = {b"Cookie": cookie.encode("latin-1")}
        answer = patient.get(hall[0].url + chair.path + path, headers=headers)
        assert answer.status_code == 403
        assert "data-piece" not in answer.text
    assert patient.get(f"{hall[0].url}/play/nonesuch{path}", headers={"Cookie": "seat=x"}).status_code == 404


def test_nobody_else_acts_in_a_seat(hall: tuple[Served, Path], chair: Chair) -> None:
    """Not from another site, without the key, or without what stands in the form; the turn stays open."""
    page = chair.page()
    given = {**fields(page), "choice": "0"}
    for ending in ("", "/leave", "/again"):
        path = chair.path + ending
        for headers in (
            {"Origin": "https://evil.example"},
            {"Origin": "null"},
            {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-site"},
        ):
            assert chair.client.post(path, data=given, headers=headers).status_code == 403
        assert patient.post(hall[0].url + path, data=given).status_code == 403
        for form in ("", "wrong"):
            assert chair.client.post(path, data={**given, "form": form}).status_code == 403
    assert fields(chair.page())["turn"] == given["turn"]
    assert patient.post(f"{hall[0].url}/play", headers={"Origin": "https://evil.example"}).status_code == 403


def test_an_answer_that_is_none_changes_nothing(chair: Chair) -> None:
    """Numbers that are none, turns that are not open, forms that are too large."""
    page = chair.page()
    for changed in ({"choice": "x"}, {"choice": "-1"}, {"turn": ""}, {"choice": "9" * 40}):
        assert chair.act(page, **changed).status_code == 400
    assert chair.act(page, more="x" * 20_000).status_code == 413
    assert chair.act(page, turn="99").status_code == 303
    assert fields(chair.page())["turn"] == fields(page)["turn"]
    chair.act(page, choice="999")
    assert "Refused: " in chair.page()
    chair.act(chair.page())
    chair.page()
    chair.act(page)  # the same form again


@pytest.mark.parametrize(
    ("given", "part"),
    [
        ({"game": "chess"}, "chess"),
        ({"level": "god"}, "god"),
        ({"name": "\N{WOMAN}\N{ZERO WIDTH JOINER}\N{GIRL}"}, "emoji are joined"),
        ({"name": "</b>"}, "a name holds no"),
        ({"name": "easy"}, "house bot"),
        ({"name": "a\nb"}, "printable"),
        ({"option-target": "0"}, "1..10000"),
        ({"option-target": "<b>"}, "&lt;b&gt;"),
    ],
)
def test_a_form_that_cannot_be_had_comes_back(
    hall: tuple[Served, Path], given: dict[str, str], part: str
) -> None:
    """With what was wrong, and what was filled in."""
    form = {"game": "block_dominoes", "level": "easy", "name": "Zed", **given}
    answer = patient.post(f"{hall[0].url}/play", data=form)
    assert answer.status_code == 400
    assert part in answer.text
    assert html.escape(form["name"]) in answer.text


def test_a_hostile_name_stays_text(hall: tuple[Served, Path]) -> None:
    """On the page, in the picture, and in the updates."""
    name = '<b onclick="x">\'&'
    seat = sit_down(hall[0].url, name=name)
    page = seat.page()
    seat.leave()
    assert name not in page
    assert "<b " not in page
    assert "onclick=&#34;x&#34;" in page


PIECES = re.compile(r"\b(?:1[0-2]|[0-9])-(?:1[0-2]|[0-9])\b|\b[3-9TJQKA2][SHCD]\b")
KEYS = re.compile(r'/play/[\w-]+|name="form" value="[\w-]+"|<path[^>]*>')
"""What is in a page by chance, in which a piece may seem to be named, and the lines of a picture."""


def _hand(data: bytes) -> list[int]:
    """Returns the pieces of a private part."""
    observation = game_pb2.Observation.FromString(data)
    private = getattr(observation, observation.WhichOneof("game") or "").private
    return list(private.hand_cards if hasattr(private, "hand_cards") else private.hand_tiles)


def _text(code: int, game: str) -> str:
    ranks, suits = "3456789TJQKA2", "DCHS"
    return f"{ranks[code >> 2]}{suits[code & 3]}" if game == "guan_pai" else f"{code >> 4}-{code & 15}"


@pytest.mark.parametrize("game", names())
def test_l3_a_page_shows_no_piece_of_another_hand(hall: tuple[Served, Path], game: str) -> None:
    """Whatever the page holds while the first deal is played: texts, picture, and attributes."""
    served, data = hall
    options = dict(word.split("=") for word in SHORT[game] if "=" in word)
    seat = sit_down(served.url, game, **{f"option-{name}": value for name, value in options.items()})
    pages: list[str] = []
    while 'data-phase="to_act"' in (page := seat.page()):
        pages.append(page)
        seat.act(page)
    (match_id,) = re.findall(r'href="/matches/([\w-]+)"', page)
    (path,) = [path for path in scan(data) if path.stem == match_id]
    log = read(path)
    own = next(at for at, one in enumerate(log.setup.seats) if one.owner == "people")
    questions = list(_before_own(frames(log), own))
    assert len(questions) == len(pages) > 0
    for before, shown in zip(questions, pages, strict=True):
        if before.deal == 1:  # later pages tell what was left in the hands of the deals before
            _hides(shown, [_hand(hand) for hand in before.hands], own, game)


def _before_own(found: Iterator[Frame], own: int) -> Iterator[Frame]:
    """Yields how the table was at each question to a seat."""
    for before, frame in pairwise(found):
        if frame.kind in {"action", "default"} and frame.seat == own:
            yield before


def _hides(shown: str, hands: list[list[int]], own: int, game: str) -> None:
    """Fails for a page that shows what is in other hands, and not in the own one too."""
    hidden = {code for at, hand in enumerate(hands) if at != own for code in hand} - {*hands[own]}
    told = set(PIECES.findall(KEYS.sub("", shown)))
    if game == "ding_niu":  # some tiles are there twice, and the other one may lie on the table
        hidden = {code for code in hidden if _text(code, game) not in told}
    assert not told & {_text(code, game) for code in hidden}
    drawn = re.findall(r'data-pieces?="([\d ]*)"', shown)
    assert not {int(code) for codes in drawn for code in codes.split()} & hidden


def test_what_the_form_shows_is_what_is_played(hall: tuple[Served, Path]) -> None:
    """A value equal to the default is played too where other options have another default; empty ones not."""
    for deals, played in (("4", "4"), ("", "13")):
        more = {"option-engine": "descending", "option-deals": deals, "option-doubles": "extra_turn"}
        seat = sit_down(hall[0].url, "mexican_train", **more)
        page = seat.page()
        (match_id,) = set(re.findall(r'data-match="([\w-]+)"', page))
        (path,) = [path for path in unfinished(hall[1]) if match_id in path.name]
        assert read(path).setup.options["deals"] == int(played)
        assert f"deals <strong>{played}</strong>" in page
        (rules,) = re.findall(r'href="(/rules/mexican_train\?[^"]+)"', page)
        assert f"opt.deals={played}" in html.unescape(rules)
        assert "descending" in seat.client.get(html.unescape(rules)).text
        seat.leave()


def test_running_matches_are_found_again(hall: tuple[Served, Path]) -> None:
    """By the browser that plays them and by no other; also where one more is refused."""
    first = sit_down(hall[0].url)
    given = {"game": "ding_niu", "level": "easy", "name": "Zoe"}
    for _ in range(10):
        refused = first.client.post("/play", data=given)
        if refused.status_code != 303:
            break
    assert refused.status_code == 429
    assert "your address" in refused.text
    assert "Zoe" in refused.text
    own = set(re.findall(r'<li><a href="(/play/[\w-]+)"', first.client.get("/play").text))
    assert first.path in own
    assert set(re.findall(r'<li><a href="(/play/[\w-]+)"', refused.text)) == own
    assert "Your running matches" not in patient.get(f"{hall[0].url}/play").text
    (cookie,) = [one for one in first.client.cookies.jar if one.name == "seats"]
    assert cookie.path == "/play"
    assert cookie.has_nonstandard_attr("HttpOnly")
    assert cookie.get_nonstandard_attr("SameSite") == "strict"
    for path in own:
        Chair(first.client, path).leave()
    assert "Your running matches" not in first.client.get("/play").text


def test_a_match_is_left_by_two_steps(hall: tuple[Served, Path]) -> None:
    """The first tells what it means and changes nothing; afterwards the page tells of the forfeit."""
    seat = sit_down(hall[0].url)
    assert f'href="{seat.path}/leave"' in seat.page()
    asked = seat.client.get(f"{seat.path}/leave")
    assert "Leaving is a forfeit" in asked.text
    assert 'data-phase="to_act"' in seat.page()
    assert patient.get(f"{hall[0].url}{seat.path}/leave").status_code == 403
    seat.leave()
    page = seat.client.get(seat.path).text
    assert "You have forfeited the match: you left." in page
    assert re.search(r'replay is then at <a href="/matches/[\w-]+">', page)
    assert seat.client.get(f"{seat.path}/leave").status_code == 303


@pytest.mark.parametrize(
    ("query", "part"),
    [("level=god", "god"), ("game=chess", "chess"), ("game=ding_niu&level=%3Cb%3E", "&lt;b&gt;")],
)
def test_an_address_that_asks_for_what_is_not_there_says_so(
    hall: tuple[Served, Path], query: str, part: str
) -> None:
    """Nothing else is chosen in silence."""
    answer = patient.get(f"{hall[0].url}/play?{query}")
    assert answer.status_code == 400
    (problem,) = re.findall(r'<p class="bad problem" role="alert">(.*?)</p>', answer.text)
    assert part in problem


def test_a_stream_begins_at_once(chair: Chair) -> None:
    """A browser takes it for open when something has come; nothing else may come for a long while."""
    version = re.findall(r'data-version="(\d+)"', chair.client.get(chair.path).text)[0]
    with chair.client.stream("GET", f"{chair.path}/events?since={version}") as stream:
        assert next(stream.iter_text()).startswith(":")


def test_a_page_asks_how_a_seat_is_by_its_head(hall: tuple[Served, Path], chair: Chair) -> None:
    """The status tells a seat that is no more, the header whose turn it is."""
    chair.page()
    head = chair.client.head(chair.path)
    assert (head.status_code, head.headers["seat-phase"], head.content) == (200, "to_act", b"")
    assert patient.head(f"{hall[0].url}/play/nonesuch", headers={"Cookie": "seat=x"}).status_code == 404

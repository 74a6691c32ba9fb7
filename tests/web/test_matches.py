"""The list of matches, the page of one as far as it is no viewer, and what names and ids may not do."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Page, expect

from referee.replay.reader import SEALED, Log, scan
from referee.server.logbook import place_of
from referee.web.viewer.kept import Kept
from tests.replay import scripts
from tests.web import patient
from tests.web.filed import GAMES, filed, known, logs
from tests.web.looking import follow, sound
from tests.web.serving import Served, referee, serve

GOLDENS = tuple(f"mexican_train/{name}" for name in ("plain", "faults", "no_show", "void", "adjudicated"))


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, dict[str, Log]]]:
    """Returns a site whose only day is packed, and its logs by name; one of them was changed by somebody."""
    data: Path = tmp_path_factory.mktemp("packed")
    found = filed(data, *GOLDENS)
    referee("standings", "--data", str(data))
    changed = next(path for path in scan(data) if found[GOLDENS[4]].setup.match_id in path.name)
    text = changed.read_bytes()
    changed.write_bytes(text.replace(b'"think":', b'"think":1', 1))
    referee("replay", "pack", "--data", str(data))
    with serve(data) as served:
        yield served, found


def ids(page: Page) -> list[str]:
    """Returns the matches that are listed, by the end of their ids."""
    return page.locator("main tbody td:last-child").all_inner_texts()


def test_matches_are_searched_by_everything(site: Served, played: Path, page: Page) -> None:
    """Game, state, name and id of a bot, a part of a match id: the form finds, and keeps what was asked."""
    found = logs(played)
    page.goto(site.url + "/matches")
    assert len(ids(page)) == len(GAMES)
    sound(page, "matches")
    page.get_by_label("Game").select_option("guan_pai")
    page.get_by_label("State").select_option("ended")
    search(page)
    assert ids(page) == [found["guan_pai"].setup.match_id[-8:]]
    assert page.get_by_label("Game").input_value() == "guan_pai"
    page.get_by_label("Game").select_option("")
    for bot, count in (("expert", len(GAMES)), ("easy-2", len(GAMES) - 1), ("<b>nobody</b>", 0)):
        page.get_by_label("Bot, by name or id").fill(bot)
        search(page)
        assert len(ids(page)) == count, bot
    expect(page.locator("main")).to_contain_text("No match is like that")
    page.get_by_label("Match id").fill(found["ding_niu"].setup.match_id[-10:])
    follow(page.get_by_role("button", name="Find"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("Ding Niu")


def search(page: Page) -> None:
    """Sends the form, and waits for the page that it leads to."""
    follow(page.get_by_role("button", name="Search"))


def test_pages_of_the_list_keep_what_was_asked(packed: tuple[Served, dict[str, Log]]) -> None:
    """A page token of other fields is refused in one line, like states and games that are none."""
    site, found = packed
    listed = patient.get(site.url + "/matches?game=mexican_train&state=ended").text
    assert all(log.setup.match_id in listed for log in found.values())
    for query in ("?page=nonsense", "?state=sleeping", "?game=poker", "?page=%00"):
        answer = patient.get(f"{site.url}/matches{query}")
        assert answer.status_code in {400, 404}, query
    assert patient.get(f"{site.url}/matches/find?id=%25%5f%25%5f").status_code == 404


@pytest.mark.parametrize("name", ["no_show", "void"])
def test_matches_without_a_result_have_a_page(
    packed: tuple[Served, dict[str, Log]], name: str, page: Page
) -> None:
    """It says why there is none, and shows what was played all the same."""
    site, found = packed
    page.goto(f"{site.url}/matches/{found[f'mexican_train/{name}'].setup.match_id}")
    expect(page.locator(".lead")).to_contain_text("did not come" if name == "no_show" else "Void")
    page.keyboard.press("End")
    expect(page.locator("[data-stage] .told")).to_contain_text("The match is")


def test_the_log_is_downloaded_as_it_was_written(packed: tuple[Served, dict[str, Log]], page: Page) -> None:
    """Under its own name, byte for byte, also from a pack; the server plays it again and tells its hash."""
    site, found = packed
    log = found["mexican_train/faults"]
    url = f"{site.url}/matches/{log.setup.match_id}"
    answer = patient.get(f"{url}/log")
    assert answer.headers["content-disposition"] == f'attachment; filename="{log.setup.match_id}.jsonl"'
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    assert hashlib.sha256(answer.content.splitlines()[-1]).hexdigest() == log.last_hash
    assert len(answer.content) == log.size
    page.goto(url)
    assert page.locator(".timeline-art .bar").count() == log.end.plies if log.end else False
    follow(page.get_by_role("link", name="Verify the result"))
    expect(page.get_by_role("heading", level=1)).to_have_text("The log holds")
    expect(page.locator("main")).to_contain_text(log.last_hash)
    sound(page, "verify")
    assert patient.get(f"{url}/signature").status_code == 404, "it is not signed"


def test_a_log_that_was_changed_is_not_shown_as_if_it_were_sound(
    packed: tuple[Served, dict[str, Log]],
) -> None:
    """The page keeps the result of the index, says what is wrong, and the check names the line."""
    site, found = packed
    url = f"{site.url}/matches/{found['mexican_train/adjudicated'].setup.match_id}"
    answer = patient.get(url)
    assert answer.status_code == 200
    assert "no longer whole" in answer.text
    checked = patient.get(f"{url}/verify")
    assert "does not hold" in checked.text
    assert "line " in checked.text
    assert patient.get(f"{url}/frames").status_code == 500


@pytest.mark.parametrize(
    "match_id",
    [
        "..%2f..%2freferee.db",
        "%2e%2e",
        "%3Cscript%3Ealert(1)%3C%2Fscript%3E",
        "x" * 3000,
        "%00",
        "01890000-0000-7000-8000-00000000000F",
        "01890000-0000-7000-8000-000000000000.jsonl",
        "01890000000070008000000000000000",
        "%0d%0aSet-Cookie:%20a=b",
    ],
)
def test_no_match_id_leads_elsewhere(packed: tuple[Served, dict[str, Log]], match_id: str) -> None:
    """Only the id of a match, spelt as it is, names anything."""
    site, _ = packed
    for path in ("", "/log", "/frames", "/verify", "/viewer", "/signature", "/live"):
        answer = patient.get(f"{site.url}/matches/{match_id}{path}")
        assert answer.status_code == 404, path
        assert "<script>alert" not in answer.text
        assert "set-cookie" not in answer.headers
        assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_two_matches_are_never_mixed_up(site: Served, played: Path) -> None:
    """What is kept in memory of one is not sent for another, whichever was asked first."""
    every = logs(played)
    for _ in range(2):
        for log in every.values():
            url = f"{site.url}/matches/{log.setup.match_id}/frames"
            for view, viewer in (("full", -2), ("0", 0)):
                sent = patient.get(url, params={"view": view, "from": 16}).json()["frames"]
                assert [one["n"] for one in sent] == [frame.n for frame in known(log, viewer)[16:32]]
                assert all(f"art wide {log.setup.game.replace('_', '-')}" in one["html"] for one in sent)


def test_memory_is_bounded() -> None:
    """What was not used for longest goes first, and what is too heavy is not kept at all."""
    kept: Kept[str, str] = Kept(10)
    for key in "abc":
        kept.put(key, key, 3)
    assert kept.get("a") == "a"
    kept.put("d", "d", 4)
    assert [kept.get(key) for key in "abcd"] == ["a", None, "c", "d"]
    kept.put("e", "e", 11)
    kept.put("d", "D", 1)
    kept.put("f", "f", 3)
    assert [kept.get(key) for key in "acdef"] == ["a", "c", "D", None, "f"]


@pytest.fixture(scope="module")
def unnamed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, dict[str, str]]]:
    """Returns a site with anonymous matches: one that came to nothing, and one of a block that goes on."""
    data: Path = tmp_path_factory.mktemp("unnamed")
    script = scripts.void("ding_niu")
    header = msgspec.structs.replace(script.header, anonymous=True)
    hidden = place_of(data, header.match_id)
    assert hidden
    hidden.parent.mkdir(parents=True)
    hidden.write_bytes(b"".join(line + b"\n" for line in scripts.lines(header, script.records)))
    with serve(data) as served:  # which would open a block that nobody goes on with
        sealed = filed(data, "ding_niu/block")["ding_niu/block"].setup.match_id
        place = place_of(data, sealed)
        assert place
        place.rename(place.with_name(f"{sealed}{SEALED}"))
        yield served, {"hidden": header.match_id, "sealed": sealed}


def test_nobody_learns_who_sat_at_an_anonymous_table(unnamed: tuple[Served, dict[str, str]]) -> None:
    """Neither pages nor searches name a seat of a match that came to nothing, or whose block goes on."""
    site, matches = unnamed
    for kind, match_id in matches.items():
        url = f"{site.url}/matches/{match_id}"
        page = patient.get(url)
        assert page.status_code == 200
        assert "seat 3" in page.text
        assert not re.search(r">\s*b[0-3]\s*<", page.text), kind
        assert "There is no replay of this match here" in page.text
        for path in ("log", "frames", "verify", "viewer", "signature"):
            assert patient.get(f"{url}/{path}").status_code == 409, (kind, path)
    listed = patient.get(site.url + "/matches")
    assert matches["hidden"] in listed.text
    found = patient.get(site.url + "/matches?bot=b1")
    assert not set(matches.values()) & set(re.findall(r"[0-9a-f-]{36}", found.text))

"""Pages on which there is nothing to see say so in whole sentences, and lead on."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from referee.web.filters import sentence
from tests.web import patient
from tests.web.serving import Served, serve


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Returns a site of which nothing can be told yet."""
    with serve(tmp_path_factory.mktemp("empty")) as served:
        yield served


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no such match is known here", "No such match is known here."),
        ("guan_pai has no option of that name", "guan_pai has no option of that name."),
        ("No bot 'x' has ended a match here.", "No bot 'x' has ended a match here."),
        ("was easy meant?", "Was easy meant?"),
    ],
)
def test_a_refusal_is_a_sentence(text: str, said: str) -> None:
    """It begins with a capital letter and ends with a stop; names stay as they are."""
    assert sentence(text) == said


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/matches/nope", 404, "No such match is known here."),
        ("/matches?page=zz", 400, "There is no such page of this list; begin with the newest matches."),
        ("/play?game=chess", 400, "No game is called"),
    ],
)
def test_an_odd_address_is_answered_by_a_sentence(empty: Served, path: str, status: int, said: str) -> None:
    """No word of the services behind the pages is in it."""
    answer = patient.get(empty.url + path)

    assert answer.status_code == status
    assert said in answer.text


def test_a_list_without_matches_tells_why(empty: Served, page: Page) -> None:
    """That none was played is something else than that none is like what was asked for."""
    page.goto(f"{empty.url}/matches")
    expect(page.locator("main")).to_contain_text("No match was played here yet.")

    page.goto(f"{empty.url}/matches?game=guan_pai")
    expect(page.locator("main")).to_contain_text("No match is like that.")


def test_a_path_that_names_no_bot_leads_to_all_of_them(empty: Served, page: Page) -> None:
    """Whoever cuts an address short gets the list."""
    page.goto(f"{empty.url}/bots/")

    assert page.url == f"{empty.url}/bots"

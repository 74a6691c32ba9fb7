"""Play on the site: whole matches by clicks, by keyboard, on a phone and without a script."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from playwright.sync_api import TimeoutError as NotInTime

from referee.games import REGISTRY, names
from referee.match.events import DealResult
from referee.replay.reader import read, scan
from tests.web.looking import follow, photograph, serious, sound, visitor
from tests.web.serving import SHORT, Served, serve

OPEN = "[data-phase=to_act] .act"
OVER = "[data-phase=ended]"


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Path]]:
    """Returns a server that seats people, and its data."""
    data = tmp_path_factory.mktemp("people")
    with serve(data) as served:
        yield served, data


def options(game: str) -> dict[str, str]:
    """Returns options that make a match a short one."""
    return dict(word.split("=") for word in SHORT[game] if "=" in word)


def sit_down(page: Page, url: str, game: str, name: str = "Ann") -> None:
    """Fills in the form and waits for the first turn, or for the end."""
    page.goto(f"{url}/play?game={game}")
    page.get_by_label("Your name").fill(name)
    page.get_by_text("Options of the game").click()
    for option, value in options(game).items():
        page.locator(f"#option-{option}").fill(value)
    follow(page.get_by_role("button", name="Sit down"))
    expect(page).to_have_url(re.compile(r"/play/[\w-]+$"))
    page.locator(f"{OPEN}, {OVER}").wait_for()


def pieces(page: Page) -> Locator:
    """Returns the pieces of the hand that may be chosen, of the picture that is shown."""
    return page.locator(".art [data-piece].playable:visible")


def click_on(page: Page) -> None:
    """Plays a turn by clicks: pieces of the hand first, then the end or the train, or the marked button."""
    page.locator("#seat:not(.cut)").wait_for()
    turn = page.locator("[data-phase]").get_attribute("data-turn")
    wanted = page.locator(".act button[name=choice]").first
    codes = (wanted.get_attribute("data-pieces") or "").split()
    cards = page.locator("[data-cards]").count() > 0
    for number, code in enumerate(codes):
        same = [one for one in codes[:number] if one == code]
        pieces(page).and_(page.locator(f'[data-piece="{code}"]')).nth(len(same)).click()
    if cards or not codes:
        page.locator(".act button.fits, .act button[name=choice]").first.click()
    elif page.locator(".act button.fits").count() > 1:
        end, train = wanted.get_attribute("data-end"), wanted.get_attribute("data-train")
        where = f'[data-end="{end}"]' if end else f'[data-train="{train}"]'
        page.locator(f".art {where}.playable:visible").first.click()
    answered(page, turn)


def answered(page: Page, turn: str | None) -> None:
    """Waits until a person is asked again or the match is over; tells what the page shows where it is not."""
    try:
        page.wait_for_function(
            "turn => { const phase = document.querySelector('[data-phase]').dataset;"
            " return phase.phase === 'ended' || (phase.phase === 'to_act' && phase.turn !== turn); }",
            arg=turn,
        )
    except NotInTime:
        raise AssertionError(page.locator("main").inner_html()) from None


def figures(table: Locator) -> list[list[int]]:
    """Returns the numbers of a score table, a row for each seat."""
    rows = table.locator("tbody tr").all()
    return [[number(cell) for cell in row.locator("td").all_inner_texts()] for row in rows]


def number(text: str) -> int:
    """Returns a number as pages write it."""
    return int(text.replace("\N{MINUS SIGN}", "-"))


def agrees_with_the_log(page: Page, data: Path) -> None:
    """Compares every score table and the places of the page with the log of the match."""
    href = page.get_by_role("link", name="Replay").get_attribute("href") or ""
    (path,) = [path for path in scan(data) if path.stem == href.rpartition("/")[2]]
    log = read(path)
    own = next(at for at, seat in enumerate(log.setup.seats) if seat.owner == "people")
    seats = len(log.setup.seats)
    for result in (record for record in log.records if isinstance(record, DealResult)):
        shown = figures(page.locator(f'.deals table[data-deal="{result.deal}"]'))
        by_seat = [shown[(seat - own) % seats] for seat in range(seats)]
        assert by_seat == [[*row] for row in zip(result.scores, result.totals, strict=True)]
    assert log.end
    told = sorted([place.rank, place.score] for place in log.end.places)
    assert sorted(figures(page.locator("table[data-places]"))) == told
    place = log.end.places[own]
    alone = sum(other.rank == 1 for other in log.end.places) == 1
    points = page.locator("[data-points]")
    if place.rank == 1 and alone:
        assert points.inner_text() == "10 ranking points"
    else:
        assert points.count() == 0


@pytest.mark.parametrize("game", names())
def test_a_whole_match_is_played_by_clicks(hall: tuple[Served, Path], page: Page, game: str) -> None:
    """Every score table and the places agree with the log; it is photographed on the way."""
    served, data = hall
    sit_down(page, served.url, game)
    if page.locator(OPEN).count():
        sound(page, f"play-{game}")
    while page.locator(OPEN).count():
        click_on(page)
    expect(page.locator(OVER)).to_be_visible()
    agrees_with_the_log(page, data)
    sound(page, f"play-{game}-end")


def test_a_whole_match_is_played_by_the_keyboard(hall: tuple[Served, Path], page: Page) -> None:
    """The next turn has the focus, and the actions follow on it."""
    served, data = hall
    sit_down(page, served.url, "ding_niu")
    page.locator("#ask").focus()
    while page.locator(OPEN).count():
        turn = page.locator("[data-phase]").get_attribute("data-turn")
        assert page.evaluate("document.activeElement.id") == "ask"
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.name") == "choice"
        page.keyboard.press("Enter")
        page.locator(f"[data-phase=to_act]:not([data-turn='{turn}']), {OVER}").wait_for()
    assert "place" in page.locator("#said").inner_text() or "won" in page.locator("#said").inner_text()
    agrees_with_the_log(page, data)


def test_a_whole_match_is_played_on_a_phone(hall: tuple[Served, Path], page: Page) -> None:
    """At 390 pixels nothing is cut off, and pieces can be touched."""
    served, data = hall
    page.set_viewport_size({"width": 390, "height": 844})
    sit_down(page, served.url, "block_dominoes")
    while page.locator(OPEN).count():
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide == 0
        click_on(page)
    agrees_with_the_log(page, data)


def test_a_whole_match_is_played_without_a_script(hall: tuple[Served, Path], browser: Browser) -> None:
    """Forms and redirects do it all."""
    served, data = hall
    with visitor(browser, java_script_enabled=False) as page:
        sit_down(page, served.url, "guan_pai")
        while page.locator(OPEN).count():
            follow(page.locator(".act button[name=choice]").first)
        agrees_with_the_log(page, data)


def test_the_form_says_what_cannot_be_had(hall: tuple[Served, Path], page: Page) -> None:
    """What was filled in stays; the refusal of a page is the only thing that the browser logs."""
    served, _ = hall
    page.goto(f"{served.url}/play?game=mexican_train&level=expert")
    assert page.get_by_label("Expert").is_checked()
    sound(page, "play-form")


def test_a_match_is_left_and_played_again(hall: tuple[Served, Path], page: Page) -> None:
    """Who leaves has given up the seat; Again begins another match of the same kind."""
    served, _ = hall
    sit_down(page, served.url, "ding_niu", "Bartholomew von und zu Hohenstein")
    assert page.locator(".art .name", has_text=", you)").count()
    first = page.url
    photograph(page, "play-long-name")
    page.goto(f"{served.url}/play?game=ding_niu")
    sound(page, "play-running")
    follow(page.get_by_role("link", name="Ding Niu against easy house bots").first)
    follow(page.get_by_role("link", name="Leave the match"))
    sound(page, "play-leave")
    follow(page.get_by_role("button", name="Leave and forfeit"))
    expect(page.locator("[data-phase=lost]")).to_contain_text("You have forfeited the match")
    sound(page, "play-left")
    follow(page.get_by_role("button", name="Again"))
    assert page.url != first
    page.locator(f"{OPEN}, {OVER}").wait_for()
    assert serious(page) == []
    photograph(page, "play-again")


def test_every_game_can_be_chosen(hall: tuple[Served, Path], page: Page) -> None:
    """With all its options and their defaults."""
    served, _ = hall
    for game in REGISTRY:
        page.goto(f"{served.url}/play?game={game.info.name}")
        page.get_by_text("Options of the game").click()
        for option in game.info.options:
            assert page.locator(f"#option-{option.name}").input_value() == str(option.default)


def test_what_was_chosen_goes_along_to_another_game(hall: tuple[Served, Path], page: Page) -> None:
    """Name and level are those of the person, whatever is played."""
    page.goto(f"{hall[0].url}/play?game=block_dominoes")
    page.get_by_label("Your name").fill("Ann & Bob")
    page.get_by_label("Expert").check()
    follow(page.get_by_role("link", name="Ding Niu"))
    expect(page.get_by_role("heading", name="Ding Niu")).to_be_visible()
    expect(page.get_by_label("Your name")).to_have_value("Ann & Bob")
    expect(page.get_by_label("Expert")).to_be_checked()

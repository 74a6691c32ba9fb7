"""What the page on formats says can be played, and holds as it is told."""

import re
from pathlib import Path

import pytest

from referee.organiser.file import Document
from referee.organiser.reading import read_tournament
from referee.organiser.tournament import Tournament
from referee.tournament.formats import make
from referee.tournament.formats.base import Bye
from referee.tournament.formats.settings import SETTINGS, SwissSettings
from referee.tournament.leaderboard import A_DAY, RANKING_POINTS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
STANZAS = re.findall(r"^```toml$\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
HEAD = '[tournament]\nname = "cup"\ngame = "block_dominoes"\n'
NAMES = ("mine", "mine-2", "b1", "b2", "b3", "b4")
BOTS = "".join(f'[bots.{name}]\ncommand = "sample_bots/python/first_bot.py"\n' for name in NAMES)


def planned(stanza: str) -> Tournament:
    """Returns the tournament of a stanza, with a head and bots where it has none."""
    text = stanza if "[tournament]" in stanza else HEAD + stanza + BOTS
    return read_tournament(Document("cup.toml", text), tuple)


@pytest.mark.parametrize("stanza", STANZAS, ids=lambda stanza: stanza.split("kind = ")[1].split('"')[1])
def test_u9_every_stanza_makes_a_schedule_that_can_be_listed(stanza: str) -> None:
    """The examples are read as they stand, and their pairings are as many as they say (U9)."""
    cup = planned(stanza)
    schedule = make(cup.format, cup.field)
    drawn = [one for one in schedule.pairings(0) if not isinstance(one, Bye)]

    assert schedule.total() == sum(len(one.sittings) for one in drawn) * schedule.rounds


def test_every_format_has_its_stanza() -> None:
    """The page has an example of each format."""
    assert {type(planned(stanza).format) for stanza in STANZAS} == set(SETTINGS.values())
    assert all(f"`{kind}`" in PAGE for kind in SETTINGS)


def test_the_numbers_of_the_page_are_those_of_the_code() -> None:
    """What a bye and a won challenge are worth, and how many challenges of a day count."""
    assert all(f"| {level} | {points} |" in PAGE for level, points in RANKING_POINTS.items())
    assert f"the first {A_DAY} of a bot" in PAGE
    assert f"bye = {SwissSettings(rounds=1).bye}" in PAGE

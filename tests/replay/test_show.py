"""The story of a log: what is told of each deal besides what the log says."""

import json
import re
from pathlib import Path

import pytest

from referee.match import events as ev
from referee.replay import reader
from referee.replay.show import Chapter, story
from tests.replay import tampering
from tests.replay.golden import FOLDER

GOLDENS = sorted(FOLDER.glob("*/*.jsonl"))
every_golden = pytest.mark.parametrize("path", GOLDENS, ids=lambda path: f"{path.parent.name}/{path.stem}")


def chapters(game: str, name: str) -> tuple[Chapter, ...]:
    """Returns what a golden tells."""
    return story(reader.read(FOLDER / game / f"{name}.jsonl")).chapters


@every_golden
def test_every_deal_that_was_played_tells_what_is_left(path: Path) -> None:
    """The table is told as it was when the deal ended: the new totals stand in it, and nobody is to act."""
    for number, chapter in enumerate(story(reader.read(path)).chapters):
        played = any(row.think for row in chapter.rows) and number > 0
        assert bool(chapter.left) == played
        seats = [line.split() for line in chapter.left if "seat" in line.split()[:2]]
        if chapter.result:
            totals = [words[words.index("total") + 1] for words in seats]
            assert totals == chapter.result.rpartition(" totals ")[2].split()
            assert not any(line.startswith(">") for line in chapter.left)


def test_the_extra_tile_of_a_revoke_is_told_when_the_deal_ended() -> None:
    """In Ding Niu the tiles that lie face down are listed, those too that a revoke cost besides."""
    deal = chapters("ding_niu", "options")[1]

    assert [(row.what, row.note) for row in deal.rows if row.seat == "2 b2"][1:] == [
        ("discard 3-3", "2 revoke"),
        ("discard 3-6", "2 revoke"),
        ("discard 2-2", ""),
    ]
    assert deal.left == (
        "deal 1 dealer 1 leader 1",
        "line 1-1 1-6 6-6 6-5",
        "  seat 0 total   -1 hand none face down 1-3 4-6 2-2 4-6 3-3 1-1",
        "  seat 1 total   -2 hand none face down 5-5 5-6 4-4 1-6",
        "  seat 2 total    6 hand none face down 3-3 5-5 3-6 1-5 2-2",
        "  seat 3 total   -3 hand none face down 4-4 6-6 2-6 1-5 1-3",
    )


def test_the_cards_that_are_left_are_told() -> None:
    """In Guan Pai the hands explain the scores: five a card at this base, three cards against one."""
    deal = chapters("guan_pai", "options")[1]

    assert deal.left[2:] == (
        "  seat 0 total   -15 hand 9H",
        "  seat 1 total   -15 hand 3H 4C 5C",
        "  seat 2 total    30 hand none",
    )
    assert deal.result == "scores -15 -15 30, totals -15 -15 30"


@pytest.mark.parametrize("name", ["options", "plain"])
def test_the_pips_that_are_left_are_the_scores(name: str) -> None:
    """In Mexican Train the tiles that are told of each seat come to what the deal added for it."""
    _, *deals = chapters("mexican_train", name)
    for deal in deals:
        hands = [line.partition(" hand ")[2] for line in deal.left if " hand " in line]
        pips = [sum(int(half) for half in hand.replace("-", " ").split() if half != "none") for hand in hands]
        assert deal.result.startswith(f"scores {' '.join(map(str, pips))}, ")


def test_a_deal_that_broke_off_tells_its_table_after_the_last_action() -> None:
    """The seat that would have acted next is marked."""
    _, deal = chapters("mexican_train", "alone")

    assert deal.result == ""
    assert [line[:8] for line in deal.left if line.startswith(">")] == ["> seat 3"]


def test_before_the_first_action_nothing_is_left() -> None:
    """A match without a deal, and the time before the first one, have no table to tell."""
    assert [chapter.left for chapter in chapters("mexican_train", "no_show")] == [()]
    lines = (FOLDER / "mexican_train" / "plain.jsonl").read_bytes().splitlines(keepends=True)
    *_, dealt = (at for at, line in enumerate(lines) if b'"kind":"deal",' in line)
    *_, before, last = story(reader.parse(b"".join(lines[: dealt + 1]))).chapters
    assert (bool(before.left), last.left) == (True, ())


@every_golden
def test_what_followed_is_told_as_in_the_log_and_every_draw_with_its_tile(path: Path) -> None:
    """To the canonical text of what followed only the drawn tiles are added."""
    log = reader.read(path)
    rows = [row for chapter in story(log).chapters for row in chapter.rows]
    silent = ev.Deal | ev.DealResult | ev.Turn | ev.End
    records = [record for record in log.records if not isinstance(record, silent)]
    for row, record in zip(rows, records, strict=True):
        if isinstance(record, ev.Act | ev.Default):
            assert re.sub(r" drew \d+-\d+", " drew", row.note).endswith("; ".join(record.events))
            assert not re.search(r"drew(;|$)", row.note)


def test_a_draw_names_the_tile_that_the_boneyard_gave() -> None:
    """The tiles of the draws are those of the boneyard, in its order."""
    deal = chapters("mexican_train", "options")[1]
    (boneyard,) = [line.split()[1:] for line in deal.table if line.startswith("boneyard")]
    (left,) = [line.split()[1:] for line in deal.left if line.startswith("boneyard")]
    drawn = [
        part.split()[2] for row in deal.rows for part in row.note.split("; ") if part.split()[1:2] == ["drew"]
    ]

    assert len(drawn) > 20
    assert drawn == boneyard[: len(drawn)]
    assert left == (boneyard[len(drawn) :] or ["empty"])


def test_a_log_that_tells_another_story_is_shown_as_it_is() -> None:
    """Where the events of a log do not follow from its actions, nothing is made up in their place."""
    path = FOLDER / "mexican_train" / "options.jsonl"
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    drew = next(line for line in lines if line["kind"] == "act" and "0 drew" in line["events"])
    drew["events"] = ["0 drew", "0 won"]
    notes = [
        row.note for chapter in story(reader.parse(tampering.chained(lines))).chapters for row in chapter.rows
    ]

    assert "0 drew; 0 won" in notes

"""`referee replay show` as people read it: how wide it gets, and what it tells of the end of a deal."""

import io

import pytest
from rich.console import Console

from referee.cli.app import run
from referee.cli.replay_table import print_story
from referee.games import names
from referee.replay.show import Chapter, Row, Story
from tests.replay.golden import FOLDER


@pytest.mark.parametrize("columns", ["", "80"])
@pytest.mark.parametrize("game", names())
def test_u6_a_file_or_a_pipe_gets_lines_of_a_fair_length(
    game: str, columns: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a terminal no line ends with blanks or is too long to read, and `COLUMNS` is kept to."""
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns:
        monkeypatch.setenv("COLUMNS", columns)
    for name in ("faults", "options"):
        assert run(["replay", "show", str(FOLDER / game / f"{name}.jsonl")]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert not [line for line in lines if line != line.rstrip()]
        assert max(map(len, lines)) <= int(columns or 140)


def test_u6_a_long_chain_of_events_is_folded_between_them() -> None:
    """A note of hundreds of events takes lines of its own, and every event stays whole."""
    events = [f"{at % 8} {what}" for at in range(99) for what in ("drew 10-12", "passed", "marker on")]
    row = Row("0.000", "0 b0", "play 12-12 on public", "1.0 ms", "; ".join(events))
    out = io.StringIO()
    chapter = Chapter("deal 1", ("deal 1",), (row,), (), "")
    print_story(Story((), (), (chapter,), (), "unfinished"), Console(file=out, width=10_000))
    lines = out.getvalue().splitlines()
    told = [line[line.index(" ms ") + 4 :] if " ms " in line else line for line in lines if ";" in line]

    assert max(map(len, lines)) < 130
    assert [event.strip() for line in told for event in line.rstrip(";").split(";")][:-1] == events[:-1]
    assert told[-1].endswith(events[-1])


def test_show_tells_what_was_left_before_the_result(capsys: pytest.CaptureFixture[str]) -> None:
    """The table stands between the last action and the scores, which it explains."""
    assert run(["replay", "show", str(FOLDER / "guan_pai" / "options.jsonl")]) == 0
    lines = capsys.readouterr().out.splitlines()
    at = lines.index("when the deal ended")

    assert lines[at + 1 : at + 7] == [
        "  deal 1 leader 0",
        "  trick 0 play 8C, 1 pass, 2 play KD",
        "    seat 0 total   -15 hand 9H",
        "    seat 1 total   -15 hand 3H 4C 5C",
        "    seat 2 total    30 hand none",
        "  scores -15 -15 30, totals -15 -15 30",
    ]


def test_show_tells_where_a_deal_broke_off(capsys: pytest.CaptureFixture[str]) -> None:
    """A deal without a result has its table after the last action."""
    assert run(["replay", "show", str(FOLDER / "mexican_train" / "alone.jsonl")]) == 0
    out = capsys.readouterr().out

    assert "when the deal ended" not in out
    assert "\nafter the last action\n  engine 9-9 of seat 3\n" in out
    assert "\n  > seat 3 " in out


@pytest.mark.parametrize("columns", ["1", "10"])
def test_u6_a_console_of_next_to_no_width_is_borne(
    columns: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever width is asked for, the match is shown up to its end."""
    monkeypatch.setenv("COLUMNS", columns)
    assert run(["replay", "show", str(FOLDER / "block_dominoes" / "void.jsonl")]) == 0
    assert "void" in capsys.readouterr().out.splitlines()[-1]

"""What a drill asked, what came back, and what it came to."""

from typing import Literal, TypeAlias

import msgspec

Verdict: TypeAlias = Literal["same", "differs", "illegal", "malformed", "late", "missing", "unknown"]
"""What an answer was, against the log: `unknown` where the log has no answer of this turn, `missing` where
none came, `late` where it came after the time that the log gives."""

VERDICTS: tuple[Verdict, ...] = ("same", "differs", "illegal", "malformed", "late", "missing", "unknown")


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One turn of a drill; times are in microseconds, actions in the text of the game.

    Attributes:
        turn: as the seat counts its questions.
        deal: the deal, from 1.
        ply: the actions that had been played before.
        logged: what was played in the match; empty where the log has nothing.
        cause: why that was the default action; empty where it was an answer.
        answer: what the bot answered, as it is read; empty for nothing.
        verdict: what that was.
        reason: what was wrong with it, for people; empty where nothing was.
        budget: the time that the seat had in the match, base and bank together.
        think: the time from the write of the turn to the answer; 0 where none came.
        slow: it took longer than the base of the time control, and so from the bank.
    """

    turn: int
    deal: int
    ply: int
    logged: str
    cause: str = ""
    answer: str = ""
    verdict: Verdict = "missing"
    reason: str = ""
    budget: int = 0
    think: int = 0
    slow: bool = False


class Drill(msgspec.Struct, frozen=True, kw_only=True):
    """What a drill came to.

    Attributes:
        match_id: the match of the log.
        game: its game.
        seat: the seat.
        command: how the bot was started.
        turns: how many turns the seat had in the match.
        counts: how many of the rows have each verdict.
        slow: how many of them are slow.
        rows: the turns that were asked.
        stray: how many further acts came that answered no open turn.
        ended: why not all turns were asked; empty where they were.
        stderr: the last lines that the bot wrote there, where it ended by itself.
        output: the file with what it printed.
    """

    match_id: str
    game: str
    seat: int
    command: str
    turns: int
    counts: dict[Verdict, int]
    slow: int
    rows: tuple[Row, ...]
    stray: int
    ended: str
    stderr: tuple[str, ...]
    output: str

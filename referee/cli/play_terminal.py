"""A seat at a terminal: shows what happens, asks for what to do, explains what was refused."""

import asyncio
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import referee.games
from referee.cli.play_input import Lines
from referee.cli.tables import Column, console, fitting, name_column, say, show
from referee.games import find
from referee.person import table, words
from referee.person.outcome import Outcome, outcome
from referee.person.player import Player
from referee.person.seat import OVER, Phase, Seat, Told
from referee.v1 import play_service_pb2 as pb

QUIT: Final = frozenset({"q", "quit", "exit"})
_WIDEST: Final = 100
"""Columns of text; longer lines are hard to read."""
_MOST: Final = 40
"""How many actions are listed unless all are asked for."""
_HELP: Final = (
    "Type the number of what you want to do, or its text, as it stands in the list.",
    "t shows the table again, a all that you can do, rules the rules of the game, q leaves the match.",
)


class Terminal:
    """Plays one seat by lines of text."""

    def __init__(self, player: Player, lines: Lines) -> None:
        self._player = player
        self._lines = lines
        self._out = console()
        self._line: asyncio.Task[str | None] | None = None
        self._shown: Told | None = None
        self._begun = False
        self._trouble = ""

    async def play(self) -> bool:
        """Plays the match to its end; says whether it came to one, and was not left."""
        seat = self._seat
        while True:
            version = seat.version
            self._tell_news()
            if seat.phase in OVER:
                return True
            if seat.phase is not Phase.TO_ACT:
                await self._player.change(version)
            elif not await self._turn():
                return False

    @property
    def _seat(self) -> Seat:
        return self._player.seat

    async def _turn(self) -> bool:
        """Asks until the turn is answered; says whether the person stays."""
        turn = self._seat.turn
        assert turn is not None  # noqa: S101  -- it is the person's
        if self._seat.rejected:
            self._say(f"refused: {self._seat.rejected.reason}")
            self._say(f"type 1 to {len(turn.legal_actions)}, or a text as it stands in the list; ? for help")
        else:
            if self._leaves():
                return False
            self._show_turn()
        version = self._seat.version
        while True:
            self._prompt()
            line = await self._typed(version)
            word = (line or "").strip()
            if self._seat.version != version:
                return True
            if line is None or word.lower() in QUIT:
                return False
            if not self._explain(word.lower()) and await self._answer(turn, word):
                return True

    def _leaves(self) -> bool:
        """Says whether a person has left before this turn; no turn is answered by what came before it.

        A program may be ahead of what it is asked.
        """
        if not self._lines.typed:
            return False
        late = self._lines.so_far()
        line = self._line
        if line and line.done() and (word := line.result()) is not None:
            self._line = None
            late.append(word)
        return any(word.strip().lower() in QUIT for word in late)

    async def _typed(self, version: int) -> str | None:
        """Returns the next line, None after the last one, or also when the turn has run out meanwhile."""
        self._line = line = self._line or asyncio.ensure_future(self._lines.next())
        changed = asyncio.ensure_future(self._player.change(version))
        await asyncio.wait({line, changed}, return_when=asyncio.FIRST_COMPLETED)
        changed.cancel()
        if self._seat.version != version:
            self._say("")
            return None
        self._line = None
        return line.result()

    def _explain(self, word: str) -> bool:
        """Answers what is no action; says whether it was that."""
        if word == "":
            return True
        if word in {"?", "h", "help"}:
            self._say_all(_HELP)
        elif word in {"t", "table"}:
            self._show_turn()
        elif word in {"a", "all"}:
            self._show_choices(sys.maxsize)
        elif word == "rules":
            self._say_all(rules(self._seat.wish.game))
        else:
            return False
        return True

    async def _answer(self, turn: pb.Turn, word: str) -> bool:
        """Answers the turn; says whether it was an answer that can be."""
        listed = [text.lower() for text in table.choices(self._seat)]
        if word.isascii() and word.isdigit():
            count = len(turn.legal_actions)
            number = int(word[:9])
            if not 1 <= number <= count:
                self._say(f"there is no {number}: type 1 to {count}, or ? for help")
                return False
            await self._player.answer(turn.turn_id, number - 1)
        elif word.lower() in listed:
            await self._player.answer(turn.turn_id, listed.index(word.lower()))
        else:
            await self._player.answer(turn.turn_id, word)
        return True

    # What is shown

    def _tell_news(self) -> None:
        seat = self._seat
        if self._player.trouble != self._trouble:
            self._trouble = self._player.trouble
            if self._trouble:
                self._say(self._trouble)
        if seat.started and not self._begun:
            self._begun = True
            self._say(f"You are South, against {', '.join(self._others())}. ? tells what you can type.")
        for what in self._news():
            self._say(f"- {words.sentence(what, words.places(seat))}")
            if isinstance(what, pb.DealEnded):
                self._show_scores(what)
        if seat.phase is Phase.ENDED:
            self._show_end()

    def _news(self) -> list[Told]:
        """Returns what happened and was not shown yet."""
        told = self._seat.told
        at = next((at for at, what in enumerate(told) if what is self._shown), -1)
        self._shown = told[-1] if told else self._shown
        return told[at + 1 :]

    def _others(self) -> list[str]:
        started = self._seat.started
        titles = words.titles(self._seat)
        return [title for at, title in enumerate(titles) if started and at != started.seat]

    def _show_turn(self) -> None:
        self._say("")
        self._say_all(table.lines(self._seat))
        self._show_choices(_MOST)

    def _show_choices(self, most: int) -> None:
        choices = table.choices(self._seat)
        for number, text in enumerate(choices[:most], 1):
            self._say(f"{number:4}. {text}")
        if len(choices) > most:
            self._say(f"      and {len(choices) - most} more: a shows them all")

    def _show_scores(self, ended: pb.DealEnded) -> None:
        columns = (name_column("seat", 8), Column("deal", number=True), Column("total", number=True))
        rows = [
            (who, str(score), str(total)) for who, score, total in table.score_table(self._seat, ended.deal)
        ]
        show(self._out, columns, rows)
        self._say_all(table.shown_hands(self._seat, ended))

    def _show_end(self) -> None:
        seat = self._seat
        found = outcome(seat)
        if seat.ended:
            titles = words.titles(seat)
            rows = [
                (str(one.rank), titles[one.seat], str(one.score))
                for one in sorted(seat.ended.placements, key=lambda one: one.rank)
            ]
            if rows:
                place = Column("place", number=True)
                show(self._out, (place, name_column("seat", 8), Column("score", number=True)), rows)
        self._say_all(ending(found, seat))

    def _prompt(self) -> None:
        minutes, seconds = divmod(int(self._player.left()), 60)
        text = f"your turn ({minutes}:{seconds:02} left), number or text: "
        self._out.print(text, end="" if self._out.is_terminal else "\n", markup=False, soft_wrap=True)
        self._out.file.flush()

    def _say_all(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._say(line)

    def _say(self, line: str) -> None:
        """Prints a line; one that is too long for the terminal goes on below, indented."""
        text = fitting(line, self._out)
        width = min(_WIDEST, self._out.width)
        if not self._out.is_terminal or len(text) <= width:
            say(self._out, text)
            return
        indent = " " * (len(text) - len(text.lstrip()))
        for part in textwrap.wrap(text, width, subsequent_indent=f"{indent}    ", break_long_words=True):
            say(self._out, part)


def ending(found: Outcome, seat: Seat) -> list[str]:
    """Returns in sentences what the match came to."""
    if not found.place:
        return [f"The match does not count: {found.note}."]
    lines = [f"{found.note}."] if found.note else []
    if found.points:
        lines.append(f"You have won: {found.points} ranking points against {seat.wish.level} house bots.")
    elif found.forfeited:
        lines.append(f"You have forfeited, and have place {found.place}.")
    else:
        shared = "share" if found.shared else "have"
        lines.append(f"You {shared} place {found.place}; ranking points are for a win.")
    return lines


def rules(game: str) -> list[str]:
    """Returns the rules of a game, from its page, without the marks of the page's links."""
    page = Path(referee.games.__file__).parent / game / "README.md"
    try:
        text = page.read_text(encoding="utf-8")
    except OSError:
        return [find(game).info.summary]
    return text.partition("\n## What you see")[0].splitlines()

"""The two ways to put questions to a command: one process for all of them, or a fresh one for each."""

import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Protocol

from answer import WrongAnswerError, read, shown
from program import EndedError, NoAnswerError, Program, TimeUpError

from referee.bot.telling import say

PATIENCE = 30.0
"""Seconds after which it is told that a command is not ready yet."""
ANSWER = "answer with one line: the number or the text of an action\n?\n"
"""The end of every question."""
READY = f"nothing has begun yet and no clock runs\nyou may do one of these\n1. ready\n{ANSWER}"
"""The first question to a process that stays."""


class Talk(Protocol):
    """Asks a command."""

    def ask(self, question: str, until: float) -> str:
        """Returns the line that answers; raises `NoAnswerError` when the time is up, or none will come."""

    def tell(self, line: str) -> None:
        """Tells what needs no answer."""

    def close(self) -> None:
        """Ends what runs."""


class OneProcess:
    """One process for all questions; started anew when it ends, or does not answer in time."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self._program: Program | None = None

    def get_ready(self, tries: int) -> None:
        """Waits until the command has answered that it is ready; raises `NoAnswerError`."""
        wrong = ""
        for _ in range(tries):
            self._running().send(f"{wrong}{READY}")
            try:
                read(self._first_line(), ["ready"])
            except WrongAnswerError as error:
                wrong = f"wrong: {error}\n"
            else:
                return
        raise NoAnswerError(f"gave no answer to `1. ready`: {wrong.removeprefix('wrong: ').strip()}")

    def ask(self, question: str, until: float) -> str:
        """Returns the next line that it prints once it was asked."""
        try:
            unasked = self._running().drop()
        except EndedError as ended:
            say(f"the command {ended} without being asked; starting it anew")
            self._end()
        else:
            if unasked:
                say(f"the command printed without being asked, which is not read: {shown(unasked[0])}")
        program = self._running()
        program.send(question)
        try:
            return program.line(until)
        except NoAnswerError:
            self._end()
            with suppress(NoAnswerError):
                self._running()  # it gets ready while others play
            raise

    def tell(self, line: str) -> None:
        """Tells what needs no answer."""
        if self._program is not None:
            self._program.send(f"{line}\n")

    def close(self) -> None:
        """Ends the process."""
        if self._program is not None:
            self._program.close()

    def _running(self) -> Program:
        if self._program is None:
            self._program = Program(self._words)
        return self._program

    def _end(self) -> None:
        if self._program is not None:
            self._program.kill()
            self._program = None

    def _first_line(self) -> str:
        try:
            return self._running().line(time.monotonic() + PATIENCE)
        except TimeUpError:
            say(f"the command is not ready after {PATIENCE:g} s; waiting for its answer to `1. ready`")
            return self._running().line(float("inf"))


class EachTurn:
    """A process for each question, which it reads to the end of its input; its last line answers."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words

    def ask(self, question: str, until: float) -> str:
        """Returns the last line that a fresh process prints."""
        program = Program(self._words)
        try:
            program.send(question, last=True)
            return program.last_line(until)
        finally:
            program.kill()

    def tell(self, line: str) -> None:
        """Tells nobody: no process is there."""

    def close(self) -> None:
        """Does nothing: no process is there."""

"""Lets any command play: it reads a turn as plain text on its input, and prints what it chooses."""

import argparse
import secrets
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from answer import WrongAnswerError, read
from program import NoAnswerError, TimeUpError
from talk import ANSWER, EachTurn, OneProcess, Talk

from referee.bot import Turn, main, prompt
from referee.bot.endpoint import seconds
from referee.bot.run import options
from referee.bot.telling import misused, say
from referee.v1 import play_service_pb2 as play

GAMES = ("block_dominoes", "guan_pai", "mexican_train", "ding_niu")


class Player:
    """Puts turns to a command, as often as it answers wrongly, and plays for it when it does not answer."""

    def __init__(self, talk: Talk, tries: int, margin: float) -> None:
        self._talk = talk
        self._tries = tries
        self._margin = margin
        self._seat: int | None = None
        self._happened: list[str] = []

    def choose(self, turn: Turn) -> int:
        """Returns the action that the command chose; the first one when it failed to, or is too slow."""
        until = time.monotonic() + self._time(turn)
        wrong = f"the referee refused your answer: {turn.rejected.reason}" if turn.rejected else ""
        texts = prompt.actions(turn)
        for left in reversed(range(self._tries)):
            try:
                chosen = read(self._talk.ask(self._question(turn, until, wrong), until), texts)
            except WrongAnswerError as error:
                wrong, is_over = str(error), not left
            except NoAnswerError as error:
                wrong, is_over = f"the command {error}", not left or isinstance(error, TimeUpError)
            else:
                break
            then = f"played the first action, {texts[0]}" if is_over else "asking again"
            say(f"match {turn.match_id}, turn {turn.turn_id}: {wrong}; {then}")
            if is_over:
                chosen = 0
                break
        self._happened.clear()
        return chosen

    def on_match(self, started: play.MatchStarted) -> None:
        """Takes note of the seat."""
        self._seat = started.seat
        self._happened.clear()

    def on_deal_ended(self, ended: play.DealEnded) -> None:
        """Keeps the result of a deal for the next question."""
        self._happened.append(prompt.deal_ended(ended))

    def on_match_ended(self, ended: play.MatchEnded) -> None:
        """Tells the command how the match ended."""
        self._talk.tell(prompt.match_ended(ended, self._seat))

    def _time(self, turn: Turn) -> float:
        """Returns the seconds that the command has: the answer must be there before the deadline."""
        remaining = turn.remaining
        if turn.rejected is not None:
            remaining = turn.rejected.remaining_duration.ToTimedelta().total_seconds()
        return max(remaining - self._margin, remaining / 2)

    def _question(self, turn: Turn, until: float, wrong: str) -> str:
        left = max(0.0, until - time.monotonic())
        lines = [f"wrong: {wrong}"] if wrong else []
        return "".join(f"{line}\n" for line in (*lines, *prompt.lines(turn, left, self._happened))) + ANSWER


def command(words: Sequence[str]) -> list[str]:
    """Returns the words that start the command: one on the PATH, a file, or one beside this script."""
    program, *rest = words
    beside = Path(__file__).resolve().parent / program
    found = shutil.which(program) or (shutil.which(str(beside)) if beside.is_file() else None)
    if found is None:
        hint = f"; try chmod +x {program}" if Path(program).is_file() else ""
        misused(f"{program} is no command that can be run, on the PATH or from {Path.cwd()}{hint}")
    return [found, *rest]


def parser() -> argparse.ArgumentParser:
    """Returns what reads the command line before `--`."""
    made = argparse.ArgumentParser(
        description=__doc__,
        usage="%(prog)s [options] -- COMMAND [ARGUMENT...]",
        parents=[options()],
        allow_abbrev=False,
    )
    made.add_argument("--each-turn", action="store_true", help="start the command anew for each turn")
    made.add_argument(
        "--tries",
        type=int,
        default=3,
        metavar="N",
        help="wrong answers to a turn after which the first action is played; default 3",
    )
    made.add_argument(
        "--margin",
        type=seconds,
        default=0.5,
        metavar="SECONDS",
        help="time before the deadline at which the command is given up; default 0.5",
    )
    return made


def play_with(argv: Sequence[str]) -> None:
    """Plays with the command that stands after `--`."""
    end = argv.index("--") if "--" in argv else len(argv)
    own, words = list(argv[:end]), argv[end + 1 :]
    given = parser().parse_args(own)
    if not words:
        misused("name the command after --, as in: adapter.py -- ./mybot.sh")
    if given.tries < 1:
        misused(f"--tries is {given.tries}; give 1 or more")
    if given.matches not in {None, 1}:
        misused("the adapter plays one match at a time; start another one with --instance NAME for more")
    program = command(words)
    talk: Talk = EachTurn(program) if given.each_turn else OneProcess(program)
    player = Player(talk, given.tries, given.margin)

    def get_ready() -> None:
        if isinstance(talk, OneProcess):
            try:
                talk.get_ready(given.tries)
            except NoAnswerError as error:
                sys.exit(f"bot: {words[0]} {error}; nothing was played")

    try:
        main(
            player.choose,
            argv=own,
            games=GAMES,
            version="1",
            instance=secrets.token_hex(8),
            on_start=get_ready,
            on_match=player.on_match,
            on_deal_ended=player.on_deal_ended,
            on_match_ended=player.on_match_ended,
        )
    finally:
        talk.close()


if __name__ == "__main__":
    try:
        play_with(sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit(130)

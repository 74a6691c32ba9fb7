"""Practice against house bots: one match of each game of the bot, then it leaves."""

import math
from collections import deque
from collections.abc import Sequence

from referee.bot.telling import say
from referee.v1 import play_service_pb2 as play

LEVELS = ("easy", "normal", "expert")
"""The levels of house bots, weakest first; a server may have fewer."""
_FOR_ALL = (
    play.PRACTICE_REFUSAL_NOT_OFFERED,
    play.PRACTICE_REFUSAL_UNKNOWN_LEVEL,
    play.PRACTICE_REFUSAL_TOO_OFTEN,
    play.PRACTICE_REFUSAL_CLOSED,
)
"""What is refused for one game and holds for all."""


class Practice:
    """What is left to practise, over all streams of a bot.

    Attributes:
        level: the house bots to play against; empty for a bot that does not practise.
        played: how many matches have ended.
        refused: why the last one was not to be had.
    """

    def __init__(self, level: str, games: Sequence[str]) -> None:
        self.level = level
        self.played = 0
        self.refused = ""
        self._left = deque(dict.fromkeys(games))
        self._asked = False
        self._playing = False

    def new_stream(self) -> None:
        """Takes note that what was asked for on an earlier stream, and did not begin, will not."""
        self._asked = False

    def started(self) -> None:
        """Takes note that a match begins, or goes on."""
        self._playing, self._asked = True, False

    def ended(self) -> None:
        """Takes note that a match is over."""
        self._playing = False
        self.played += 1
        if self.level and self._left:
            self._left.popleft()

    def refuse(self, refusal: play.PracticeRefused) -> None:
        """Tells why a match is not to be had, and gives it up, with all others where that holds for them."""
        if self._playing or not self._left:
            return  # it was asked for once more after a stream was lost
        self._asked = False
        if refusal.refusal in _FOR_ALL:
            self._left.clear()
            what = "no practice"
        else:
            what = f"no practice of {self._left.popleft()}"
        wait = refusal.retry_duration.ToTimedelta().total_seconds()
        later = f"; ask again in {math.ceil(wait)} s" if wait > 0 else ""
        self.refused = f"{what}: {refusal.note}{later}"
        say(self.refused)

    def request(self) -> play.PlayRequest | None:
        """Returns what to say now, if anything: a wish for the next match, or goodbye after the last."""
        if not self.level or self._asked or self._playing:
            return None
        self._asked = True
        if not self._left:
            return play.PlayRequest(frames=[play.PlayRequestFrame(leave=play.Leave())])
        wish = play.Practice(game=self._left[0], level=self.level)
        return play.PlayRequest(frames=[play.PlayRequestFrame(practice=wish)])

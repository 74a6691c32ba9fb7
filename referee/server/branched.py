"""A match that goes on from a position of another one.

Once its seats are ready the actions of the parent are played anew, at that one moment, so that the log
begins with them and can be checked by itself. The bots are told what they missed as after a reconnect:
`MatchStarted` once more, resumed, with all events so far, and whose turn it is.
"""

from typing import TYPE_CHECKING

from referee.match.attempt import Chosen
from referee.match.config import Setup
from referee.replay.writer import LogWriter
from referee.server.codec import Codec
from referee.server.live import LiveMatch
from referee.server.request import MatchRequest, Origin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.server.member import Member
    from referee.server.outcomes import Owner
    from referee.server.runner import Runner


def live_match(
    request: MatchRequest,
    setup: Setup,
    writer: LogWriter,
    codec: Codec,
    members: "Sequence[Member]",
    runner: "Runner",
    owner: "Owner",
) -> LiveMatch:
    """Returns the match that a request asks for."""
    live = (BranchedMatch if request.origin else LiveMatch)(setup, writer, codec, members, runner, owner)
    if isinstance(live, BranchedMatch):
        live.origin = request.origin
    return live


class BranchedMatch(LiveMatch):
    """Begins where its origin says."""

    origin: Origin | None = None

    def ready(self, seat: int, entropy: bytes, now: int) -> None:
        """Takes the readiness of a seat; the deals are those of the parent, with its entropy."""
        origin = self.origin
        if origin is None or self.match.phase != "starting":
            super().ready(seat, entropy, now)
        else:
            self._feed(self._begin, origin, seat, max(now, self._asked_at))

    def _begin(self, origin: Origin, seat: int, now: int) -> None:
        match = self.match
        match.ready(seat, origin.contributions[seat], now)
        if match.phase != "running":
            return
        for action in origin.actions:
            question = match.open_turn
            if question is None:
                raise AssertionError(
                    f"the parent has an action after ply {match.plies}, and nobody is to act"
                )
            match.act(question.seat, question.turn, Chosen(action), now)
        if match.plies != len(origin.actions):
            raise AssertionError(f"of the parent's actions only {match.plies} are legal")
        self.codec.clear()
        for told in range(len(self.members)):
            self.codec.resync(match, told, now)

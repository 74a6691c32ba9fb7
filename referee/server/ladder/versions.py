"""Which versions of a bot are taken: each new one begins a new line of ratings."""

from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime
from typing import Final

from referee.match.config import SECOND
from referee.server.auth import Identity
from referee.server.hello import Introduction
from referee.server.session import Closing
from referee.tournament.decision import Admitted
from referee.v1 import play_service_pb2 as pb

DAY: Final = 24 * 3600 * SECOND


class Versions:
    """When each version of a bot was first seen, in microseconds since the Unix epoch.

    House bots, by their ids, and those who only practise have no such lines. `keep` writes down each
    version that is new: it is one of those of its day over a restart too, and may always come back.
    """

    def __init__(
        self,
        limit: int,
        house: Collection[str],
        wall: Callable[[], int],
        keep: Callable[[Admitted], None],
    ) -> None:
        self._keep = keep
        self._limit = limit
        self._house = house
        self._wall = wall
        self._seen: dict[str, dict[str, int]] = {}

    def know(self, seen: Mapping[str, Mapping[str, int]]) -> None:
        """Takes what the record tells of earlier days."""
        for bot, versions in seen.items():
            known = self._seen.setdefault(bot, {})
            for version, at in versions.items():
                known[version] = min(at, known.get(version, at))

    def admit(self, who: Identity, said: Introduction) -> Closing | None:
        """Takes note of the version of a bot that says hello, or says why it is one too many."""
        if who.bot_id in self._house or said.practice_only:
            return None
        known, now = self._seen.setdefault(who.bot_id, {}), self._wall()
        if said.version in known:
            return None
        lately = sorted(at for at in known.values() if at > now - DAY)
        if len(lately) >= self._limit:
            free = datetime.fromtimestamp((lately[-self._limit] + DAY) / SECOND, UTC)
            note = (
                f"Hello.bot_version: {self._limit} new versions of a bot are taken within 24 hours, and"
                f" {said.version!r} is one more; come with one that was here before, or after"
                f" {free:%Y-%m-%d %H:%M} UTC"
            )
            return Closing(pb.GOODBYE_REASON_BAD_HELLO, note)
        known[said.version] = now
        self._keep(Admitted(at=now, bot=who.bot_id, version=said.version))
        return None

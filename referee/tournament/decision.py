"""What people and the organiser decided about a tournament or ladder, and what it does to results.

Results come from the replay logs. What no log can tell stands in the decisions: which attempt at a
pairing was accepted, who had a bye, what was given up, what an operator made void, who left. Times
are microseconds since the Unix epoch.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import msgspec


class _Decision(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    at: int


class Opened(_Decision, frozen=True, tag="opened"):
    """The first line: the tournament, and the SHA-256 of its file in hexadecimal."""

    tournament: str
    file: str


class Accepted(_Decision, frozen=True, tag="accepted"):
    """An attempt at a pairing counts: these matches and no others, one or all of a block."""

    pairing_id: str
    attempt: int
    match_ids: tuple[str, ...]


class Unplayed(_Decision, frozen=True, tag="unplayed"):
    """A pairing was given up; `at_fault` are the bots that did not show up, by id."""

    pairing_id: str
    why: str
    at_fault: tuple[str, ...] = ()


class NoShow(_Decision, frozen=True, tag="no_show"):
    """An attempt at a pairing came to no match, as these bots, by id, did not show up in time.

    An attempt that did come to a match, of bots that were here and not ready, is told by its log.
    """

    pairing_id: str
    attempt: int
    bots: tuple[str, ...]
    why: str


class Bye(_Decision, frozen=True, tag="bye"):
    """A bot had nobody to play in a round; rounds count from 0."""

    round: int
    bot: str


class Drawn(_Decision, frozen=True, tag="drawn"):
    """The pairings of a round that depends on the rounds before it.

    They stay, whatever is decided about those later. `pairings` has, for each pairing from number
    `first` on, the matches that it takes, with the entrant of every seat by its name.
    """

    round: int
    first: int
    pairings: tuple[tuple[tuple[str, ...], ...], ...]


class Admitted(_Decision, frozen=True, tag="admitted"):
    """A ladder took a version of a bot that was never there before, whether it comes to play or not."""

    bot: str
    version: str


class Voided(_Decision, frozen=True, tag="voided"):
    """An operator took a match out of the standings."""

    match_id: str
    why: str


class Disqualified(_Decision, frozen=True, tag="disqualified"):
    """A bot was removed for what it did: none of its matches counts, for anybody."""

    bot: str
    why: str


class Withdrawn(_Decision, frozen=True, tag="withdrawn"):
    """A bot left for good; what it has played counts."""

    bot: str
    why: str


class Paused(_Decision, frozen=True, tag="paused"):
    """A bot gets no matches for the time being."""

    bot: str
    why: str


class Returned(_Decision, frozen=True, tag="returned"):
    """A bot that was paused, withdrawn or disqualified is back, as if it had not been away."""

    bot: str
    why: str


Decision: TypeAlias = (
    Opened
    | Accepted
    | Unplayed
    | NoShow
    | Bye
    | Drawn
    | Admitted
    | Voided
    | Disqualified
    | Withdrawn
    | Paused
    | Returned
)

Ruling: TypeAlias = Voided | Disqualified | Withdrawn | Paused
"""What holds about a match or a bot from then on."""


@dataclass(slots=True)
class Rulings:
    """What the decisions of one tournament come to.

    Attributes:
        accepted: the matches that count, by pairing id.
        unplayed: the pairings that were given up.
        no_shows: how many attempts a bot missed before there was a match, by bot id.
        byes: the bots without a match, by round.
        drawn: the pairings of rounds that depend on results, by round.
        voided: why a match was taken out, by match id.
        disqualified: why a bot was removed, by bot id.
        withdrawn: why a bot left, by bot id.
        paused: why a bot waits, by bot id.
    """

    accepted: dict[str, Accepted] = field(default_factory=dict)
    unplayed: dict[str, Unplayed] = field(default_factory=dict)
    no_shows: Counter[str] = field(default_factory=Counter)
    byes: dict[int, list[str]] = field(default_factory=dict)
    drawn: dict[int, Drawn] = field(default_factory=dict)
    voided: dict[str, str] = field(default_factory=dict)
    disqualified: dict[str, str] = field(default_factory=dict)
    withdrawn: dict[str, str] = field(default_factory=dict)
    paused: dict[str, str] = field(default_factory=dict)
    _holding: dict[tuple[type[Ruling], str], Ruling] = field(default_factory=dict)

    def take(self, decision: Decision) -> None:
        """Takes the next decision. The first attempt that is accepted for a pairing stays accepted."""
        match decision:
            case Accepted(pairing_id=pairing_id):
                self.accepted.setdefault(pairing_id, decision)
            case Unplayed(pairing_id=pairing_id):
                self.unplayed.setdefault(pairing_id, decision)
            case NoShow(bots=bots):
                self.no_shows.update(bots)
            case Bye(round=number, bot=bot):
                byes = self.byes.setdefault(number, [])
                if bot not in byes:
                    byes.append(bot)
            case Drawn(round=number):
                self.drawn.setdefault(number, decision)
            case Voided() | Disqualified() | Withdrawn() | Paused():
                self._rule(decision)
            case Returned(bot=bot):
                for away in (self.disqualified, self.withdrawn, self.paused):
                    away.pop(bot, None)
                for kind in (Disqualified, Withdrawn, Paused):
                    self._holding.pop((kind, bot), None)

    def _rule(self, decision: Ruling) -> None:
        """Has a decision hold from now on, unless one like it holds already."""
        if self._holding.setdefault(_about(decision), decision) is not decision:
            return
        match decision:
            case Voided(match_id=match_id, why=why):
                self.voided[match_id] = why
            case Disqualified(bot=bot, why=why):
                self.disqualified[bot] = why
            case Withdrawn(bot=bot, why=why):
                self.withdrawn[bot] = why
            case Paused(bot=bot, why=why):
                self.paused[bot] = why

    def holding(self, decision: Ruling) -> Ruling | None:
        """Returns the earlier decision of the same kind about the same that holds, None if none does."""
        return self._holding.get(_about(decision))

    def plays(self, bot: str) -> bool:
        """Says whether a bot, by its id, may be given matches."""
        return not self.away(bot)

    def away(self, bot: str) -> str:
        """Says by which decision a bot, by its id, is given no matches, and why; nothing where it plays."""
        for word, gone in (
            ("disqualified", self.disqualified),
            ("withdrawn", self.withdrawn),
            ("paused", self.paused),
        ):
            if bot in gone:
                return f"{word}: {gone[bot]}"
        return ""


def _about(decision: Ruling) -> tuple[type[Ruling], str]:
    return type(decision), decision.match_id if isinstance(decision, Voided) else decision.bot


def rulings(decisions: Iterable[Decision]) -> Rulings:
    """Returns what the decisions of one tournament come to, in their order."""
    found = Rulings()
    for decision in decisions:
        found.take(decision)
    return found


NO_RULINGS: Mapping[str, Rulings] = {}
"""Stands for tournaments about which nothing was decided."""

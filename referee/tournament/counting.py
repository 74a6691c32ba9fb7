"""Which matches count, and why the others do not: the same for every order of arrival.

An attempt at a pairing is one match, or a block of matches that share a deal group; a block is whole
when all its matches came to an end that counts. Of the attempts at a pairing one counts:

1. the accepted one, if the decisions name one; no attempt at a pairing that was given up;
2. else the latest whole one: it was made because the earlier ones were given up.

What an operator decided comes after that choice: where a match of the attempt was made void, or one
of its bots is disqualified, the attempt does not count, and no other takes its place.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from referee.tournament.decision import NO_RULINGS, Accepted, Rulings
from referee.tournament.result import COUNTED, MatchResult, check

NO_SHOW = "no_show"
"""A seat did not show up."""
VOID = "void"
"""Its end was void."""
VOIDED = "voided"
"""An operator made it void, or another match of its block."""
DISQUALIFIED = "disqualified"
"""A bot of the match, or of its block, was disqualified."""
UNRATED = "unrated"
"""It was not meant to count."""
SUPERSEDED = "superseded"
"""Another attempt counts, or the pairing was given up."""
INCOMPLETE = "incomplete"
"""A match of its block is missing, or did not come to an end that counts."""

_NOTHING = Rulings()


class Judged(NamedTuple):
    """A match, and why it does not count; empty where it does."""

    result: MatchResult
    apart: str


def judged(results: Iterable[MatchResult], rulings: Mapping[str, Rulings] = NO_RULINGS) -> Iterator[Judged]:
    """Yields each match once, in the order in which they were made; `rulings` are by tournament.

    Of two matches for the same part of the same attempt at a pairing only the one made first is
    there, or the accepted one: a host that was cut off and comes back cannot count twice. Raises
    `RecordError` for a result that is not sound.
    """
    known = {result.match_id: result for result in results}
    pairings: dict[str, list[MatchResult]] = defaultdict(list)
    found: list[Judged] = []
    for result in sorted(known.values(), key=lambda result: result.order):
        check(result)
        if result.pairing_id:
            pairings[result.pairing].append(result)
        else:
            found.extend(_settled([result], rulings.get(result.series, _NOTHING)))
    for pairing, matches in pairings.items():
        found.extend(_of_pairing(pairing, matches, rulings.get(matches[0].series, _NOTHING)))
    found.sort(key=lambda each: each.result.order)
    yield from found


def counted(results: Iterable[MatchResult], rulings: Mapping[str, Rulings] = NO_RULINGS) -> list[MatchResult]:
    """Returns the matches that count, in the order in which they were made."""
    return [result for result, apart in judged(results, rulings) if not apart]


def _of_pairing(pairing: str, results: list[MatchResult], rulings: Rulings) -> Iterator[Judged]:
    """Yields the matches that were made for one pairing."""
    accepted = rulings.accepted.get(pairing)
    named = accepted.match_ids if accepted else ()
    attempts: dict[int, dict[str, MatchResult]] = {}
    for result in sorted(results, key=lambda result: (result.match_id not in named, result.order)):
        attempts.setdefault(result.attempt, {}).setdefault(result.pairing_id, result)
    made = {attempt: list(parts.values()) for attempt, parts in attempts.items()}
    chosen = _chosen(made, accepted, given_up=pairing in rulings.unplayed)
    for attempt, parts in made.items():
        yield from _settled(parts, rulings, "" if attempt == chosen else _left_out(parts))


def _chosen(made: Mapping[int, list[MatchResult]], accepted: Accepted | None, *, given_up: bool) -> int:
    """Returns the attempt that counts, 0 for none."""
    if accepted:
        parts = made.get(accepted.attempt, [])
        return accepted.attempt if {part.match_id for part in parts} <= {*accepted.match_ids} else 0
    return 0 if given_up else max((attempt for attempt, parts in made.items() if _is_whole(parts)), default=0)


def _left_out(parts: list[MatchResult]) -> str:
    return SUPERSEDED if _is_whole(parts) else INCOMPLETE


def _is_whole(parts: list[MatchResult]) -> bool:
    """Says whether the matches of an attempt are all of its block, and all came to an end that counts."""
    return (
        len(parts) == parts[0].parts
        and len({part.deal_group for part in parts}) == 1
        and all(part.termination in COUNTED for part in parts)
    )


def _settled(parts: list[MatchResult], rulings: Rulings, apart: str = "") -> Iterator[Judged]:
    """Yields the matches of one attempt; `apart` says why its pairing would not have it count."""
    if not apart and not _is_whole(parts):
        apart = INCOMPLETE
    if any(seat.bot in rulings.disqualified for part in parts for seat in part.seats):
        apart = DISQUALIFIED
    if any(part.match_id in rulings.voided for part in parts):
        apart = VOIDED
    for part in parts:
        if part.termination not in COUNTED:
            yield Judged(part, part.termination)
        elif not part.rated and apart not in {VOIDED, DISQUALIFIED}:
            yield Judged(part, UNRATED)
        else:
            yield Judged(part, apart)

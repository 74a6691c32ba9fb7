"""Finds results that name a tournament and are none of it: of other bots, seats or pairings.

A log says for itself which pairing it is of. Whoever has a match played under the name of a tournament,
or copies a log of another run of it into the data folder, should not have it count.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from referee.organiser.tournament import Tournament
from referee.tournament.decision import Rulings
from referee.tournament.formats import make
from referee.tournament.formats.base import Pairing
from referee.tournament.result import MatchResult

Seats: TypeAlias = Mapping[str, Sequence[str]]
"""The matches of a pairing by the ids in their logs, each with the bot of every seat."""
_NUMBER = re.compile("0|[1-9][0-9]{0,17}")


def strays(tournament: Tournament, rulings: Rulings, results: Iterable[MatchResult]) -> dict[str, str]:
    """Returns by match id why results are none of the tournament, for those that are not.

    Of a round that is drawn when those before it are settled nothing can have been played before.
    """
    asked = [(result, place_of(result.pairing_id)) for result in results]
    wanted = {index for _, index in asked if index is not None}
    planned = dict(_planned(tournament, rulings, wanted)) if wanted else {}
    known = {bot.bot_id for bot in tournament.bots}
    reasons = {
        result.match_id: _why(tournament, result, planned.get(index, {}), known) for result, index in asked
    }
    return {match_id: why for match_id, why in reasons.items() if why}


def _why(tournament: Tournament, result: MatchResult, matches: Seats, known: set[str]) -> str:
    """Says why a result is none of the matches of its pairing; nothing where it is."""
    bots = [seat.bot for seat in result.seats]
    unknown = [bot for bot in bots if bot not in known]
    seats = matches.get(result.pairing_id)
    if result.game != tournament.game:
        return f"it is of {result.game}, and {tournament.name} is of {tournament.game}"
    if unknown:
        return f"{unknown[0]} does not play in {tournament.name}"
    if seats is None:
        return f"{result.pairing_id} is none of the pairings so far"
    if [*seats] != bots:
        return f"its seats are not those of {result.pairing_id}: {', '.join(seats)}"
    return "" if result.parts == len(matches) else f"{result.pairing_id} is one of {len(matches)} matches"


def _planned(
    tournament: Tournament, rulings: Rulings, wanted: Iterable[int]
) -> Iterator[tuple[int | None, Seats]]:
    """Yields the wanted pairings, as far as they are known by now."""
    form = make(tournament.format, tournament.field)
    left = set(wanted)
    if form.rounds > 1:
        for drawn in rulings.drawn.values():
            for index, sittings in enumerate(drawn.pairings, drawn.first):
                yield index, _seats(tournament, index, sittings)
        return
    for one in form.pairings(0):
        if isinstance(one, Pairing) and one.index in left:
            left.remove(one.index)
            yield one.index, _seats(tournament, one.index, one.sittings)
        if not left:
            return


def _seats(tournament: Tournament, index: int, sittings: Sequence[Sequence[str]]) -> Seats:
    ids = {bot.name: bot.bot_id for bot in tournament.bots}
    pairing = tournament.pairing_id(index)
    return {
        f"{pairing}.{part}" if tournament.duplicate else pairing: [ids[name] for name in sitting]
        for part, sitting in enumerate(sittings)
    }


def place_of(pairing_id: str) -> int | None:
    """Returns the number of a pairing by the id in a log, whoever wrote that; None where it has none."""
    number = pairing_id.rpartition("/")[2].partition(".")[0]
    return int(number) if _NUMBER.fullmatch(number) else None

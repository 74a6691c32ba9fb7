"""What a spectator is told, as lines for people: of any game, from the names of its fields."""

from collections.abc import Iterator, Sequence
from typing import Any

from referee.bot.action_text import happened
from referee.bot.wording import only, parts, told
from referee.cli.words import many
from referee.v1 import arena_service_pb2 as pb
from referee.v1 import match_pb2


class Reporter:
    """Turns the frames of one match into lines, in order."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._deal = 0
        self._headed = False
        self._last: Any = None

    def lines(self, frame: pb.WatchMatchFrame) -> Iterator[str]:
        """Yields the lines for the next frame; the table is shown when a deal begins and when it ends."""
        arm = frame.WhichOneof("frame")
        if arm == "started":
            yield from self._started(frame.started)
        elif arm == "event":
            if not self._headed:
                self._headed = True
                yield "  ply  seat"
            yield self._event(frame)
        elif arm == "observation":
            yield from self._table(only(frame.observation))
        elif arm == "deal_ended":
            yield from self._left()
            yield f"deal {frame.deal_ended.deal} ended: {told(only(frame.deal_ended.detail))}"
            yield f"  scores {_numbers(frame.deal_ended.scores)}, totals {_numbers(frame.deal_ended.totals)}"
        elif arm == "ended":
            yield from ended(frame.ended)

    def _started(self, started: pb.WatchStarted) -> Iterator[str]:
        self._names = [_seat(seat.seat, seat.display_name) for seat in started.match.seats]
        yield described(started.match)
        yield f"told {many(started.delay_plies, 'ply', 'plies')} late, from after event {started.event_id}"
        if started.HasField("observation"):
            yield from self._table(only(started.observation))

    def _event(self, frame: pb.WatchMatchFrame) -> str:
        event = frame.event
        who = self._names[event.seat] if 0 <= event.seat < len(self._names) else ""
        kind = event.WhichOneof("detail")
        what = happened(event.game) if kind == "game" else str(kind)
        return f"{event.ply:>5}  {who}{': ' if who else ''}{what}"

    def _table(self, observation: Any) -> Iterator[str]:
        self._last, public = observation.public, observation.public
        if public.deal != self._deal:
            self._deal = public.deal
            yield from (f"  {part}" for part in parts(public))

    def _left(self) -> Iterator[str]:
        if self._last:
            yield from (f"  {part}" for part in parts(self._last))


def described(match: match_pb2.Match) -> str:
    """Returns one line about a match."""
    state = match_pb2.MatchState.Name(match.state).removeprefix("MATCH_STATE_").lower()
    seats = ", ".join(seat.display_name for seat in match.seats)
    return f"{match.match_id}  {state}  {match.game}  {seats}"


def ended(end: pb.WatchEnded) -> Iterator[str]:
    """Yields the lines for the end of a match, the best place first."""
    name = match_pb2.Termination.Name(end.termination).removeprefix("TERMINATION_").lower()
    yield f"{name}{f': {end.note}' if end.note else ''}"
    for place in sorted(end.placements, key=lambda place: (place.rank, place.seat)):
        forfeited = ", forfeited" if place.forfeited else ""
        yield f"  {place.rank}. {place.display_name}: {place.score} ({place.points:.3f} points{forfeited})"


def _seat(number: int, name: str) -> str:
    """Returns what a seat is called in the lines of events; one without a name is its number alone."""
    return str(number) if name in {"", f"seat {number}"} else f"{number} {name}"


def _numbers(values: Sequence[int]) -> str:
    return " ".join(map(str, values))

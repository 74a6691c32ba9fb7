"""What one seat was told of its match, as lines for people."""

from collections.abc import Iterator, Sequence
from typing import Any

from google.protobuf.duration_pb2 import Duration

from referee.bot.action_text import happened, text
from referee.bot.wording import only, parts, told, value_name
from referee.match.config import Penalties, TimeControl
from referee.v1 import event_pb2, fault_pb2, match_pb2
from referee.v1 import play_service_pb2 as pb

_MICROSECOND = 1_000
"""Nanoseconds in a microsecond."""


class SeatReporter:
    """Turns the frames for one seat into lines, in order; what a line explains is moved in below it."""

    def __init__(self) -> None:
        self._names: list[str] = []

    def lines(self, t: int, frame: pb.PlayResponseFrame) -> Iterator[str]:
        """Yields the lines for the next frame, which was told `t` microseconds after the start."""
        arm = frame.WhichOneof("frame")
        at = f"{t / 1_000_000:.3f}"
        if arm == "match_started":
            yield from self._started(at, frame.match_started)
        elif arm == "turn":
            yield from self._turn(at, frame.turn)
        elif arm == "event":
            yield f"{at}  {self._event(frame.event)}"
        elif arm == "rejected":
            yield from self._rejected(at, frame.rejected)
        elif arm == "deal_ended":
            yield from self._deal_ended(at, frame.deal_ended)
        elif arm == "match_ended":
            yield from self._match_ended(at, frame.match_ended)

    def _started(self, at: str, started: pb.MatchStarted) -> Iterator[str]:
        seats = [_seat(seat.seat, seat.display_name) for seat in started.seats]
        seats[started.seat] += " (you)"
        self._names = seats
        if started.resumed:
            yield f"{at}  match {started.match_id} goes on"
            return
        yield f"match {started.match_id}"
        yield f"{started.game}, rules {started.rules_version}"
        yield f"seats {', '.join(map(_identified, seats, started.seats))}"
        yield f"options {', '.join(f'{one.option}={one.value}' for one in started.options)}"
        yield f"time {_control(started.time_control)}; {_conduct(started.penalties)}"
        fair = "deals provable" if started.provable else "deals from a seed, not provable"
        yield f"{'rated' if started.rated else 'unrated'}, {fair}, commitment {started.commitment.hex()}"

    def _turn(self, at: str, turn: pb.Turn) -> Iterator[str]:
        clock = turn.clock
        yield (
            f"{at}  turn {turn.turn_id}: {_span(clock.remaining_duration)} to answer,"
            f" {_span(clock.bank_duration)} of them from the bank"
        )
        if turn.events:
            yield f"    happened: {'; '.join(map(self._event, turn.events))}"
        seen = only(turn.observation)
        yield f"    table: {'; '.join(parts(seen.public))}"
        yield f"    own: {'; '.join(parts(seen.private))}"
        yield f"    legal: {'; '.join(map(text, turn.legal_actions))}"

    def _event(self, event: event_pb2.Event) -> str:
        who = self._names[event.seat] if 0 <= event.seat < len(self._names) else ""
        what = happened(event.game) if event.WhichOneof("detail") == "game" else "forfeited by conduct"
        return f"{who}: {what}" if who else what

    def _rejected(self, at: str, refused: pb.Rejected) -> Iterator[str]:
        fault = value_name(fault_pb2.FaultKind.DESCRIPTOR, refused.fault)
        yield f"{at}  refused, {fault} in turn {refused.answered_turn_id}: {refused.reason}"
        facts = [f"strikes {refused.strike_count}"]
        if refused.turn_id:
            facts += [
                f"turn {refused.turn_id} is open",
                f"retries left {refused.retries_left}",
                f"{_span(refused.remaining_duration)} left",
            ]
        if refused.HasField("played_action"):
            facts.append(f"played instead: {text(refused.played_action)}")
        yield f"    {', '.join(facts)}"

    def _deal_ended(self, at: str, ended: pb.DealEnded) -> Iterator[str]:
        scores, totals = _numbers(ended.scores), _numbers(ended.totals)
        yield f"{at}  deal {ended.deal} ended: scores {scores}, totals {totals}"
        if ended.HasField("detail"):
            yield f"    {told(only(ended.detail))}"

    def _match_ended(self, at: str, ended: pb.MatchEnded) -> Iterator[str]:
        name = value_name(match_pb2.Termination.DESCRIPTOR, ended.termination)
        yield f"{at}  match ended: {name}{f', {ended.note}' if ended.note else ''}"
        for place in sorted(ended.placements, key=lambda place: (place.rank, place.seat)):
            forfeited = ", forfeited" if place.forfeited else ""
            who = _seat(place.seat, place.display_name)
            yield f"    {place.rank}. {who}: {place.score} ({place.points:.3f} points{forfeited})"
        kinds = fault_pb2.FaultKind.DESCRIPTOR
        own = [f"{one.fault_count} {value_name(kinds, one.kind)}" for one in ended.faults if one.fault_count]
        yield f"    own faults: {', '.join(own) or 'none'}"
        if ended.HasField("reveal"):
            yield f"    secret {ended.reveal.secret.hex()}"


def _seat(number: int, name: str) -> str:
    """Returns what a seat is called; one without a name is its number alone."""
    return str(number) if name in {"", f"seat {number}"} else f"{number} {name}"


def _identified(called: str, seat: match_pb2.Seat) -> str:
    known = " ".join(filter(None, (seat.bot_id, seat.bot_version)))
    return f"{called} [{known}]" if known else called


def _control(control: match_pb2.TimeControl) -> TimeControl:
    names = ("base", "bank", "increment", "join", "start")
    return TimeControl(**{name: _microseconds(getattr(control, f"{name}_duration")) for name in names})


def _conduct(rules: match_pb2.Penalties) -> str:
    kept = Penalties(retries=rules.max_retries, strikes=rules.max_strikes, strays=rules.stray_acts_per_strike)
    return f"{kept.retries} retries a turn, {kept.strikes} strikes a match, {kept.strays} strays a strike"


def _microseconds(span: Duration) -> int:
    return span.seconds * 1_000_000 + span.nanos // _MICROSECOND


def _span(span: Any) -> str:
    return f"{_microseconds(span) / 1_000_000:.3f} s"


def _numbers(values: Sequence[int]) -> str:
    return " ".join(map(str, values))

"""The first and the last word about a match."""

from collections.abc import Iterator

from referee.match.config import Setup
from referee.match.events import End
from referee.match.flow import COUNTING
from referee.server import frames
from referee.v1 import fault_pb2, match_pb2
from referee.v1 import play_service_pb2 as pb
from referee.v1.game_pb2 import GameOption


def match_started(setup: Setup, seat: int, *, resumed: bool = False) -> bytes:
    """Returns the frame that tells a seat all that is fixed about a match."""
    message = pb.MatchStarted(
        match_id=setup.match_id,
        game=setup.game,
        rules_version=setup.rules_version,
        options=[GameOption(option=name, value=str(value)) for name, value in setup.options.items()],
        seat=seat,
        seats=seats(setup),
        time_control=frames.time_control(setup.time_control),
        penalties=frames.penalties(setup.penalties),
        deal_group_id=setup.deal_group,
        commitment=bytes.fromhex(setup.commitment),
        provable=setup.provable,
        rated=setup.rated,
        resumed=resumed,
    )
    return frames.frame("match_started", message.SerializeToString())


def match_ended(setup: Setup, end: End) -> Iterator[bytes]:
    """Yields the last frame of each seat, with its own faults only.

    The deals of a block are opened by its logs, once nobody meets them any more.
    """
    common = pb.MatchEnded(
        match_id=setup.match_id,
        termination=match_pb2.Termination.Value(f"TERMINATION_{end.termination.upper()}"),
        note=end.note,
        placements=placements(setup, end) if end.termination in COUNTING else (),
        reveal=None if setup.block else reveal(setup, end),
    )
    for place in end.places:
        message = pb.MatchEnded()
        message.CopyFrom(common)
        for kind, count in place.faults.items():
            fault = fault_pb2.FaultKind.Value(f"FAULT_KIND_{kind.upper()}")
            message.faults.add(kind=fault, fault_count=count)
        yield frames.frame("match_ended", message.SerializeToString())


def seats(setup: Setup) -> list[match_pb2.Seat]:
    """Returns who sits where, as it is told before the end."""
    if setup.anonymous:
        return nameless(len(setup.seats))
    return [
        match_pb2.Seat(seat=at, display_name=info.name, bot_id=info.bot, bot_version=info.version)
        for at, info in enumerate(setup.seats)
    ]


def nameless(count: int) -> list[match_pb2.Seat]:
    """Returns so many seats without who sits there."""
    return [match_pb2.Seat(seat=at, display_name=nobody(at)) for at in range(count)]


def nobody(seat: int) -> str:
    """Returns what a seat is called where nobody is told who sits there."""
    return f"seat {seat}"


def reveal(setup: Setup, end: End) -> match_pb2.Reveal:
    """Returns what opens the commitment of a match that is over."""
    return match_pb2.Reveal(
        deal_group_id=setup.deal_group,
        secret=bytes.fromhex(end.secret),
        contributions=map(bytes.fromhex, end.contributions),
    )


def placements(setup: Setup, end: End) -> Iterator[match_pb2.Placement]:
    """Yields the outcome for each seat of a match that counts, with the names of all."""
    for place, info in zip(end.places, setup.seats, strict=True):
        yield match_pb2.Placement(
            seat=place.seat,
            rank=place.rank,
            score=place.score,
            points=place.points,
            forfeited=place.forfeited,
            display_name=info.name,
        )

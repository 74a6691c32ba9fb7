"""The messages to a spectator, as bytes."""

from collections.abc import Iterator, Sequence

from referee.match import events as ev
from referee.match.config import Setup
from referee.match.flow import COUNTING
from referee.server import announce
from referee.server.reads import describe
from referee.server.watch.telling import BEGINNING, Group, Position, frame
from referee.v1 import arena_service_pb2 as pb
from referee.v1 import match_pb2


def started(setup: Setup, start: Position, delay: int) -> bytes:
    """Returns the first message: what is fixed, and the position from which the match is told."""
    state = match_pb2.MATCH_STATE_STARTING if start == BEGINNING else match_pb2.MATCH_STATE_RUNNING
    message = pb.WatchStarted(
        match=describe.unfinished(setup, state), delay_plies=delay, event_id=start.event_id
    )
    if start.table:
        message.observation.ParseFromString(start.table)
    return frame("started", message.SerializeToString())


def ended(setup: Setup, end: ev.End | None, void: str = "") -> bytes:
    """Returns the last message; `void` says why a match came to nothing whose end says otherwise."""
    name = end.termination if end and not void else "void"
    message = pb.WatchEnded(
        termination=describe.termination(name),
        note=void or (end.note if end else ""),
        placements=announce.placements(setup, end) if end and name in COUNTING else (),
        reveal=announce.reveal(setup, end) if end else None,
    )
    return frame("ended", message.SerializeToString())


def joined(groups: Sequence[Group], limit: int) -> Iterator[bytes]:
    """Yields messages of about `limit` bytes at the most; what happened with one ply is in one."""
    parts: list[bytes] = []
    size, ply = 0, -1
    for group in groups:
        if parts and group.ply != ply and size + len(group.data) > limit:
            yield b"".join(parts)
            parts, size = [], 0
        parts.append(group.data)
        size, ply = size + len(group.data), group.ply
    if parts:
        yield b"".join(parts)


def after(groups: Sequence[Group], event_id: int) -> list[Group]:
    """Returns the groups without the events up to `event_id`, which only the first can hold."""
    if not groups or not event_id:
        return list(groups)
    message = pb.WatchMatchResponse.FromString(groups[0].data)
    kept = [one for one in message.frames if not 0 < one.event.event_id <= event_id]
    data = pb.WatchMatchResponse(frames=kept).SerializeToString()
    return [groups[0]._replace(data=data), *groups[1:]]

"""Running matches as the operator is told of them: with all names."""

from referee.server.live import LiveMatch
from referee.server.reads import describe
from referee.v1 import match_pb2


def match_here(live: LiveMatch) -> match_pb2.Match:
    """Returns a match of this process, which runs or was just made void."""
    setup, end = live.match.setup, live.match.end
    message = describe.running(live.match)
    del message.seats[:]
    for at, info in enumerate(setup.seats):
        message.seats.add(seat=at, display_name=info.name, bot_id=info.bot, bot_version=info.version)
    if end:
        message.state = match_pb2.MATCH_STATE_ENDED
        message.termination = describe.termination(end.termination)
        message.end_time.CopyFrom(describe.timestamp(setup.created + end.t))
    return message

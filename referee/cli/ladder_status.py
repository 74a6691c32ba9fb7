"""How a ladder is doing, for people."""

from collections.abc import Iterable, Sequence

from referee.cli.operator_call import Operator
from referee.cli.tables import Column, console, name_column, say, show
from referee.cli.words import many
from referee.errors import UsageError
from referee.v1 import admin_service_pb2 as pb

_STATES = {
    pb.BOT_STATE_ACTIVE: "may play",
    pb.BOT_STATE_REVOKED: "revoked",
    pb.BOT_STATE_PAUSED: "paused",
    pb.BOT_STATE_REMOVED: "removed",
    pb.BOT_STATE_DISQUALIFIED: "disqualified",
}


def bots_of(calls: Operator) -> list[pb.Bot]:
    """Returns all registered bots, the revoked ones too."""
    request = pb.ListBotsRequest(include_revoked=True, page_size=1000)
    bots: list[pb.Bot] = []
    while True:
        page: pb.ListBotsResponse = calls.call("ListBots", request)
        bots.extend(page.bots)
        if not page.next_page_token:
            return bots
        request.page_token = page.next_page_token


def ladder_name(calls: Operator) -> str:
    """Returns the name of the server's ladder; raises `UsageError` where it has none."""
    status: pb.GetStatusResponse = calls.call("GetStatus", pb.GetStatusRequest())
    if not status.HasField("ladder"):
        raise UsageError("this server has no ladder; start it with --ladder FILE")
    return status.ladder.ladder


def show_status(status: pb.GetStatusResponse, bots: Sequence[pb.Bot]) -> None:
    """Prints the state of the server, and a line for each bot."""
    out = console()
    for line in _lines(status):
        say(out, line)
    columns = (
        name_column(),
        name_column("owner", least=8),
        Column("state"),
        Column("streams", number=True, drop=1),
        Column("matches", number=True),
    )
    rows = [
        (b.display_name, b.owner, _STATES.get(b.state, "?"), str(b.stream_count), str(b.running_match_count))
        for b in bots
    ]
    if rows:
        show(out, columns, rows)


def _lines(status: pb.GetStatusResponse) -> Iterable[str]:
    since = status.start_time.ToDatetime().strftime("%Y-%m-%d %H:%M:%SZ")
    state = "drains" if status.draining else "serves"
    yield f"server {status.server_id} {state} since {since}: {many(status.stream_count, 'stream')} of bots"
    if status.problem:
        yield f"no more matches are started: {status.problem}"
    if not status.HasField("ladder"):
        running = many(status.running_match_count, "match runs", "matches run")
        yield f"{running} at open tables; there is no ladder"
        return
    ladder = status.ladder
    yield (
        f"ladder {ladder.ladder}: {ladder.running_match_count} of {ladder.max_running_match_count} matches"
        f" run, {many(ladder.waiting_bot_count, 'bot waits', 'bots wait')},"
        f" {many(ladder.practice_match_count, 'match', 'matches')} of practice"
    )
    counted = many(ladder.accepted_pairing_count, "pairing")
    yield f"since then {counted} counted, {many(ladder.unplayed_pairing_count, 'was', 'were')} given up"
    if ladder.frozen_note:
        yield f"frozen: {ladder.frozen_note}"
    for house in ladder.house_bots:
        processes = many(house.stream_count, "process", "processes")
        matches = many(house.running_match_count, "match", "matches")
        yield f"house bot {house.level}: {house.problem or f'{processes}, {matches}'}"

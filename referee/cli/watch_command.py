"""`referee watch`: shows a match that is played on a server as its spectators may see it."""

import sys
from collections.abc import Iterator
from typing import Annotated, Any, Final

import typer

from referee.cli import arguments as args
from referee.cli.printing import answer
from referee.cli.reads_call import LIMIT, CaOption, Server, ServerOption, TlsOption, TokenOption, connected
from referee.errors import RefereeError, UsageError

EXAMPLES = args.examples(
    "referee watch --address 127.0.0.1:7700",
    "referee watch 0198a2b4-0000-7000-8000-000000000000 --address 127.0.0.1:7700 --json",
    "referee watch --list --address example.org:7700 --tls",
)
_HINT: Final = "--list names the matches there"


def register(app: typer.Typer) -> None:
    """Adds `watch`."""
    app.command("watch", epilog=EXAMPLES)(_watch)


def _watch(
    match: Annotated[
        str, typer.Argument(metavar="[MATCH]", help="The id of a match. Default: the newest that runs.")
    ] = "",
    address: ServerOption = "",
    after: Annotated[
        int, typer.Option(metavar="EVENT", min=0, help="Only what follows on this event; 0: from now on.")
    ] = 0,
    listed: Annotated[
        bool, typer.Option("--list", help="List the newest matches instead: running ones and ended ones.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print each frame as a line of JSON.")] = False,
    tls: TlsOption = False,
    ca: CaOption = None,
    token: TokenOption = "",
) -> None:
    """Show a match in the terminal: the view of spectators, some plies late, to its end."""
    with connected(address, tls=tls, ca=ca, token=token) as server:
        arena = _Arena(server)
        if listed:
            _list(arena, as_json=as_json)
        else:
            _follow(arena, match or _newest(arena), after, as_json=as_json)


class _Arena:
    """The public reads of one server."""

    def __init__(self, server: Server) -> None:
        from referee.v1.arena_service_pb2_grpc import ArenaServiceStub

        self._stub: Any = ArenaServiceStub(server.channel)
        self._server = server

    def matches(self, **fields: Any) -> Any:
        """Returns the newest matches."""
        from referee.v1 import arena_service_pb2 as pb

        with self._server.named(_HINT):
            request = pb.ListMatchesRequest(**fields)
            return self._stub.ListMatches(request, metadata=self._server.metadata, timeout=LIMIT).matches

    def frames(self, match_id: str, event_id: int) -> Iterator[Any]:
        """Yields the frames of a match as they come."""
        from referee.v1 import arena_service_pb2 as pb

        with self._server.named(_HINT):
            request = pb.WatchMatchRequest(match_id=match_id, last_event_id=event_id)
            for message in self._stub.WatchMatch(request, metadata=self._server.metadata):
                yield from message.frames


def _newest(arena: _Arena) -> str:
    from referee.v1 import match_pb2

    found = arena.matches(state=match_pb2.MATCH_STATE_RUNNING, page_size=1)
    if not found:
        raise UsageError("no match runs there now; name an ended one to see how it ended, --list has them")
    match_id: str = found[0].match_id
    return match_id


def _list(arena: _Arena, *, as_json: bool) -> None:
    from referee.cli.tables import console, say
    from referee.cli.watch_text import described

    for match in arena.matches():
        if as_json:
            answer(_json(match))
        else:
            say(console(), described(match))


def _follow(arena: _Arena, match_id: str, after: int, *, as_json: bool) -> None:
    from referee.cli.tables import console, say
    from referee.cli.watch_text import Reporter

    out, reporter = console(), Reporter()
    try:
        for frame in arena.frames(match_id, after):
            if as_json:
                answer(_json(frame), flush=True)
            else:
                for line in reporter.lines(frame):
                    say(out, line)
            after = max(after, frame.event.event_id)
    except RefereeError as error:
        if after and not isinstance(error, UsageError):
            raise RefereeError(f"{error}; to go on: referee watch {match_id} --after {after}") from None
        raise
    except KeyboardInterrupt:
        sys.stdout.flush()
        raise typer.Exit(130) from None


def _json(message: Any) -> str:
    from google.protobuf.json_format import MessageToJson

    return MessageToJson(message, preserving_proto_field_name=True, indent=None)

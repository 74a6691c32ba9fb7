"""`referee replay report`: what a server tells a bot, by its token, of a match that it played there."""

import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee.cli import arguments as args
from referee.cli.reads_call import (
    LIMIT,
    CaOption,
    NotShownError,
    OwnTokenOption,
    ServerOption,
    TlsOption,
    connected,
)
from referee.errors import RecordError, UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from referee.cli.reads_call import Server
    from referee.replay.processes import Process
    from referee.replay.reader import Log
    from referee.v1 import replay_service_pb2 as pb

EXAMPLES = args.examples(
    "REFEREE_TOKEN=… referee replay report 0198a2b4-0000-7000-8000-000000000000 --address 127.0.0.1:7700"
)


def register(group: typer.Typer) -> None:
    """Adds `report` to the commands of `referee replay`."""
    group.command("report", epilog=EXAMPLES)(_report)


def _report(
    match: Annotated[str, typer.Argument(metavar="MATCH", help="The id of a match that the bot played.")],
    address: ServerOption = "",
    tls: TlsOption = False,
    ca: CaOption = None,
    token: OwnTokenOption = "",
    as_json: args.JsonOption = False,
) -> None:
    """Tell a bot how its match on a server went: as `explain` does, for all of its own seats.

    Only the bot itself is told: the call takes its token. With it comes what its process wrote to stderr,
    where the server has launched it.
    """
    from referee.cli.printing import answer
    from referee.cli.tables import console

    if not token:
        raise UsageError(
            "a report is told to the bot only: give its token with --token, or set REFEREE_TOKEN"
        )
    with connected(address, tls=tls, ca=ca, token=token) as server:
        told = _asked(server, match)
        if as_json:
            answer(_json(told))
            return
        log = _log(server, match)
    for number, one in enumerate(told.reports):
        if number:
            console().print()
        _show(one, log, console())


def _asked(server: "Server", match_id: str) -> "pb.GetReportResponse":
    from referee.v1 import replay_service_pb2 as pb
    from referee.v1.replay_service_pb2_grpc import ReplayServiceStub

    stub: Any = ReplayServiceStub(server.channel)
    with server.named("`referee watch --list` names the matches there"):
        found: pb.GetReportResponse = stub.GetReport(
            pb.GetReportRequest(match_id=match_id), metadata=server.metadata, timeout=LIMIT
        )
    return found


def _log(server: "Server", match_id: str) -> "Log | None":
    """Returns the log of a match, None for one that is never shown; raises `RecordError` for a bad one."""
    from referee.cli.fetched import Source
    from referee.replay.reader import parse

    try:
        log = parse(Source(server).log(match_id)[0])
    except NotShownError:
        return None
    if log.fault:
        raise RecordError(f"{server.address}: the log that came is damaged: {log.fault}")
    return log


def _show(told: "pb.Report", log: "Log | None", out: "Console") -> None:
    from referee.cli import replay_explained
    from referee.cli.replay_table import say_folded
    from referee.cli.tables import say
    from referee.replay.report import report

    launched = [_process(told.process)] if told.HasField("process") else []
    if log:
        command = told.process.command
        replay_explained.show(log, report(log, told.seat, command=command), launched, out)
        return
    for line in _short(told):
        say_folded(out, line)
    replay_explained.show_processes(launched, out)
    say(out, "\nOf this match nothing else is shown: it was anonymous, and is played again.")


def _short(told: "pb.Report") -> "list[str]":
    """Returns what is told without the log, a line each."""
    from referee.bot.wording import value_name
    from referee.v1.fault_pb2 import FaultKind
    from referee.v1.match_pb2 import Termination

    termination = value_name(Termination.DESCRIPTOR, told.termination)
    lines = [f"match {told.match_id}, {told.game}, seat {told.seat}", f"{termination}: {told.note}"]
    for fault in told.faults:
        at = fault.elapsed_duration.ToMicroseconds() / 1_000_000
        lines.append(f"{at:.3f} s: {value_name(FaultKind.DESCRIPTOR, fault.kind)}: {fault.reason}")
    return lines


def _process(told: "pb.ProcessReport") -> "Process":
    from referee.replay.processes import Process

    return Process(
        command=told.command,
        folder="",
        output=Path(),
        code=told.exit_code if told.HasField("exit_code") else None,
        signal=signal.Signals[told.signal].value if told.signal in signal.Signals.__members__ else None,
        stopped=told.stopped,
        head=told.stderr_head,
        tail=told.stderr_tail,
        dropped=told.stderr_dropped_bytes,
    )


def _json(message: Any) -> str:
    from google.protobuf.json_format import MessageToJson

    return MessageToJson(message, preserving_proto_field_name=True, indent=2)

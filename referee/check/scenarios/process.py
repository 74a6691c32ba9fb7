"""The end of a bot that was launched, and all that it printed."""

import asyncio
import signal
from typing import Final

from referee.check.bench import Bench, Sitting
from referee.check.notes import StreamNotes
from referee.check.scenario import Failed, NotApplicable, Scenario, Terms
from referee.server import proctree
from referee.server.launch_report import Exit, LaunchReport
from referee.server.launcher import LaunchedBot
from referee.v1 import play_service_pb2 as pb

GRACE: Final = 10.0
"""How long a bot may take from the end of its last match to its own, in seconds."""

FOREVER: Final = 24 * 3600.0
"""How long a match may go on after SIGTERM, in seconds: as long as its clocks allow."""


async def _leave(bench: Bench, terms: Terms) -> str:
    process, game = bench.process, terms.games[0]
    if process is None:
        raise NotApplicable("it needs a bot that is launched here")
    async with bench.sit(game, terms.patient) as sitting:
        await sitting.until(lambda: sitting.answered > 1, "it answered no two turns")
        stopping = asyncio.ensure_future(process.stop())
        await bench.journal.until(lambda: process.exited.done() or sitting.over or bench.trouble(), FOREVER)
        killed = await end(process, stopping, GRACE)
        exited = await stopping
        if complaint := _complaint(
            process.report(), bench.journal.greeted[-1], sitting, exited, killed=killed
        ):
            raise Failed(complaint)
    return "on SIGTERM it said Leave, finished its match, and ended by itself with status 0"


async def end(process: LaunchedBot, stopping: "asyncio.Future[Exit]", grace: float) -> bool:
    """Waits so many seconds for a bot that was asked to stop, and then kills it; says whether it did."""
    done, _ = await asyncio.wait({stopping}, timeout=grace)
    if not done:
        proctree.send_group(process.pid, signal.SIGKILL)
        await stopping
    return not done


def _complaint(
    report: LaunchReport, stream: StreamNotes, sitting: Sitting, exited: Exit, *, killed: bool
) -> str:
    """Says what was wrong with the end of a bot; nothing where it was in order."""
    left = report.behind or len(report.survivors)
    finished = sitting.notes is not None and sitting.notes.ended is not None
    if killed:
        return f"it did not end within {GRACE:g} s of SIGTERM and of its match, and was killed"
    if left:
        return f"it left {left} {'process' if left == 1 else 'processes'} behind"
    if not stream.left:
        return f"on SIGTERM it said no Leave: it ended with {exited} in the middle of a match"
    if stream.goodbye != pb.GOODBYE_REASON_LEFT or not finished:
        return f"it said Leave, and ended with {exited} before its match was over"
    if exited != Exit(code=0):
        return f"it said Leave and finished its match, and ended with {exited} instead of 0"
    return ""


LEAVE: Final = Scenario(
    name="leave",
    expected="on SIGTERM it says Leave, finishes its matches, and ends with status 0 and all that it started",
    anchor="leaving",
    play=_leave,
    launched=True,
    last=True,
)

"""The end of a bot that was launched, and all that it printed."""

from typing import Final

from referee.check.bench import PATIENT, Bench
from referee.check.scenario import Failed, Scenario, Terms
from referee.match.config import SECOND
from referee.server.launch_report import Exit
from referee.v1 import play_service_pb2 as pb

GRACE: Final = 15.0
"""How long a bot may take from SIGTERM to its end, in seconds."""


async def _leave(bench: Bench, terms: Terms) -> str:
    process, game = bench.process, terms.games[0]
    if process is None:
        raise Failed("it was not launched here")
    async with bench.sit(game) as sitting:
        await sitting.until(lambda: sitting.answered > 1, PATIENT.base / SECOND, "it answered no two turns")
        exited = await process.stop()
        report = process.report()
        stream = bench.journal.greeted[-1]
        if report.killed:
            raise Failed(f"it did not end within {GRACE:g} s of SIGTERM, and was killed")
        if report.behind or report.survivors:
            left = report.behind or len(report.survivors)
            raise Failed(f"it left {left} {'process' if left == 1 else 'processes'} behind")
        if not stream.left:
            raise Failed(f"on SIGTERM it said no Leave: it ended with {exited} in the middle of a match")
        if stream.goodbye != pb.GOODBYE_REASON_LEFT or sitting.notes is None or sitting.notes.ended is None:
            raise Failed(f"it said Leave, and ended with {exited} before its match was over")
        if exited != Exit(code=0):
            raise Failed(f"it said Leave and finished its match, and ended with {exited} instead of 0")
    return "on SIGTERM it said Leave, finished its match, and ended by itself with status 0"


LEAVE: Final = Scenario(
    name="leave",
    expected="on SIGTERM it says Leave, finishes its matches, and ends with status 0 and all that it started",
    anchor="leaving",
    play=_leave,
    launched=True,
    last=True,
)

"""All scenarios, in the order in which they are told."""

from typing import Final

from referee.check.scenario import Scenario
from referee.check.scenarios import answers, play, process, streams

ALL: Final[tuple[Scenario, ...]] = (
    play.HELLO,
    play.MATCHES,
    play.SHORT,
    *play.SCENARIOS,
    *answers.SCENARIOS,
    streams.LOST,
    streams.IDLE,
    streams.DRAIN,
    process.LEAVE,
    streams.TAKEN_OVER,
)

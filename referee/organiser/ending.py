"""How a run of a tournament ends."""

from dataclasses import dataclass
from enum import StrEnum


class Ending(StrEnum):
    """Why a run ended."""

    FINISHED = "finished"
    STOPPED = "stopped"
    """By its stopping rule."""
    PAUSED = "paused"
    """Nothing more could be played for now."""
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended, and why in a line for people; empty where the ending says it all."""

    ending: Ending
    why: str = ""


class EndError(Exception):
    """Ends a run from within; `outcome` is how."""

    def __init__(self, ending: Ending, why: str) -> None:
        super().__init__(why)
        self.outcome = Outcome(ending, why)

"""Why a person gets no seat."""

from typing import Final

from referee.errors import RefereeError

STOPS: Final = "the server stops and begins no more matches; come back in a while"


class CrowdedError(RefereeError):
    """Says that there is no room for another person now."""


class StoppingError(RefereeError):
    """Says that nobody is seated any more."""

"""How Python itself is set up in a server."""

import gc
import sys
from typing import Final

_TURN_OF_A_THREAD: Final = 0.000_5
"""How long another thread may compute while the loop has something to do, in seconds: results are read
and standings folded beside it, and with Python's 5 ms every turn of a bot would wait for that long."""
_COLLECT_AFTER: Final = 10_000
"""How many new objects start a short pass of the collector."""


def settle() -> None:
    """Spares the collector what lives as long as the process; its long passes would be stalls."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_COLLECT_AFTER, 10, 10)
    sys.setswitchinterval(_TURN_OF_A_THREAD)

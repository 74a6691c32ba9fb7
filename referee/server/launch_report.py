"""What became of a launched bot's process."""

import contextlib
import signal

import msgspec


class Exit(msgspec.Struct, frozen=True):
    """How a process ended: one of `code` and `signal`, or neither when it went with the launcher."""

    code: int | None = None
    signal: int | None = None

    @property
    def lost(self) -> bool:
        """Says that the process that launches bots was killed, which is no fault of the bot."""
        return self.code is None and self.signal is None

    def __str__(self) -> str:
        if self.code is not None:
            return f"status {self.code}"
        if self.signal is None:
            return "the launcher process of the referee, which was killed"
        with contextlib.suppress(ValueError):
            return f"signal {self.signal} ({signal.Signals(self.signal).name})"
        return f"signal {self.signal}"


class Remains(msgspec.Struct, frozen=True, kw_only=True):
    """What was found of a bot when its process had ended, as the spawner tells it."""

    stderr: str = ""
    """Its end."""
    survivors: tuple[int, ...] = ()
    """Processes that even SIGKILL did not end."""
    killed: bool = False
    """It did not end when it was asked to."""
    behind: int = 0
    """How many processes it had started that had to be killed after it."""
    dropped: int = 0
    """Bytes of its output that were not kept."""


class LaunchReport(msgspec.Struct, frozen=True, kw_only=True):
    """All that its author needs to start a bot again by hand; without its token."""

    bot: str
    command: str
    folder: str
    environment: dict[str, str]
    exit: Exit | None
    """None while it runs."""
    stopped: bool
    """It was running when the referee ended it."""
    stderr: tuple[str, ...]
    """The last lines."""
    output: str
    """The file with stdout and stderr."""
    survivors: tuple[int, ...] = ()
    """As in `Remains`, and so are those that follow."""
    killed: bool = False
    behind: int = 0
    dropped: int = 0

"""Every exception of the package.

RefereeError
├── RulesError
│   ├── IllegalActionError      well formed, and not legal now
│   └── MalformedActionError    no action at all
├── OptionError                 a game option that the rules do not know
├── RecordError                 a replay log that cannot be trusted
│   └── LogWriteError           a replay log that cannot be written; no match may go on
│       └── LogBusyError            one for which no file can be opened now; the next may do
├── StoreError                  the index of results cannot be used
│   └── StoreUnavailableError   its database does not answer, or cannot be used now
│       └── StoreUnwritableError    it can be read at the most
├── LaunchError                 a bot command that cannot be started
└── UsageError                  anything else that a person asked for and cannot have
    ├── SettingError            a setting of a tournament that makes no schedule
    ├── TooFewError             those who are left in a tournament fill no table
    └── DecidedError            what is to be decided holds already

An exception means a referee bug or bad operator input. What a bot does wrong is a fault, which is
data; `RulesError` never leaves the match machine.
"""


class RefereeError(Exception):
    """Has a message of one line that says what is wrong, where, and what to do."""


class RulesError(RefereeError):
    """Refuses an action; the message may be shown to the seat that acted."""


class IllegalActionError(RulesError):
    """Refuses an action that is well formed and not in the legal list."""


class MalformedActionError(RulesError):
    """Refuses something that names no action of the game."""


class OptionError(RefereeError):
    """Refuses a game option: unknown name, or value out of range."""


class RecordError(RefereeError):
    """Refuses a replay log.

    Attributes:
        line: the first bad line, counted from 1; 0 when the file as a whole is meant.
        problem: what is wrong, without the line.
    """

    def __init__(self, message: str, line: int = 0) -> None:
        message = "\\n".join(message.splitlines())
        super().__init__(f"line {line}: {message}" if line else message)
        self.line = line
        self.problem = message


class LogWriteError(RecordError):
    """Says which file of the record cannot be written and why; play stops."""


class LogBusyError(LogWriteError):
    """Says that too many files are open for one more; it passes when others are closed."""


class StoreError(RefereeError):
    """Says why the index of results cannot be read or written."""


class StoreUnavailableError(StoreError):
    """Says what is wrong with the database itself; the same request may succeed later."""


class StoreUnwritableError(StoreUnavailableError):
    """Says why the database cannot be written now; it may be that it can be read."""


class LaunchError(RefereeError):
    """Says why a bot cannot be started, with the command and where it was looked for."""


class UsageError(RefereeError):
    """Says what was asked for and cannot be had."""


class SettingError(UsageError):
    """Says which setting of a tournament makes no schedule; `key` names it as in a file, `format.laps`."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


class TooFewError(UsageError):
    """Says that there are not enough players for a match, and who is left."""


class DecidedError(UsageError):
    """Says what was decided before, since when it holds, and why."""


def printable(text: str) -> str:
    """Returns a text without anything that a terminal obeys; it is shown as an escape instead."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def in_one_line(error: Exception) -> str:
    """Returns what an unexpected exception says, with its kind, in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"

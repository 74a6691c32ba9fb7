"""Where lines are printed: the only place that does, beside the tables. What it prints commands no terminal.

Names, notes and keys come from files and peers, so an escape in them is shown and not obeyed.
"""

import sys

from referee.errors import printable


def tell(line: str, *, flush: bool = False) -> None:
    """Prints a line for people on stdout."""
    print(_clean(line), flush=flush)


def warn(line: str) -> None:
    """Prints a line for people on stderr, where it stands beside results."""
    print(_clean(line), file=sys.stderr, flush=True)


def refuse(text: str) -> None:
    """Prints on stderr, line by line, what cannot be had, or what failed."""
    for line in text.split("\n"):
        warn(f"referee: {line}")


def answer(json: str, *, flush: bool = False) -> None:
    """Prints JSON for programs on stdout; what is not ASCII in it is escaped already."""
    print(json, flush=flush)


def _clean(line: str) -> str:
    return "\t".join(map(printable, line.split("\t")))

"""Where lines are printed: the only place that does, beside the tables. What it prints commands no terminal.

Names, notes and keys come from files and peers, so an escape in them is shown and not obeyed.
"""

import json
import re
import sys
from typing import Final

from referee.errors import printable

_FOREIGN: Final = re.compile("[^\x00-\x7f]")


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


def answer(text: str, *, flush: bool = False) -> None:
    """Prints JSON for programs on stdout, as ASCII: a console of any encoding shows it."""
    print(ascii_json(text), flush=flush)


def json_of(values: object, *, indent: int | None = 2) -> str:
    """Returns values, structs among them, as JSON in ASCII; raises `ValueError` for a NaN."""
    import msgspec

    plain = msgspec.to_builtins(values, str_keys=True)
    return ascii_json(json.dumps(plain, indent=indent, ensure_ascii=False, allow_nan=False))


def ascii_json(text: str) -> str:
    """Returns JSON with everything that is not ASCII as JSON itself escapes it.

    A byte of a name that is not UTF-8 is no character, and many readers of JSON refuse it. It stands there as
    it does for people: as a backslash and what follows it.
    """
    return text if text.isascii() else _FOREIGN.sub(lambda found: _escaped(found[0]), text)


def _escaped(char: str) -> str:
    if "\ud800" <= char <= "\udfff":
        return "\\" + printable(char)
    code = char.encode("utf-16-be").hex()
    return "".join(f"\\u{code[at : at + 4]}" for at in range(0, len(code), 4))


def _clean(line: str) -> str:
    return "\t".join(map(printable, line.split("\t")))

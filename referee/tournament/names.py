"""What bots, owners, tournaments and ladders may be called: one rule for every way to come by a name.

A name is printed in tables, told to opponents and typed again, so it has to be one visible line that
cannot be taken for anything else. Outer and repeated spaces do not count, nor does case.
"""

import re
import unicodedata
from typing import Final

from referee.errors import UsageError
from referee.tournament.house import LEVELS

LONGEST: Final = 64
"""The most characters of a name."""
SHORT: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
"""What may be part of a path or of an id: a tournament, a ladder, a bot in a file."""
SHORT_TOLD: Final = "1 to 64 letters, digits, '.', '_' or '-', the first one a letter or a digit"
"""The same for people."""
_BLANK: Final = re.compile("[\u115f\u1160\u2800\u3164\uffa0]")
"""Characters that count as printable and show nothing."""
_JOINER: Final = "\u200d"
_LABEL: Final = re.compile(r"seat\d+")


def shown(name: str) -> str:
    """Returns a name as it is shown, or raises `UsageError` for a text that can be none.

    That is more than 64 characters, or any that is a control character, invisible, or white space
    other than a plain space.
    """
    return _shown(name, "name")


def owner(text: str) -> str:
    """Returns an owner as it is shown, or raises `UsageError` for a text that can be none.

    Bots that are launched play under the id `OWNER/NAME`, and the owner of a house bot is its level.
    """
    found = _shown(text, "owner")
    if "/" in found:
        raise UsageError(f"owner {found!r}: '/' ends the owner in the id of a bot; take another")
    if key(found) in LEVELS:
        raise UsageError(f"owner {found!r}: this is the name of a house bot; take another")
    return found


def key(name: str) -> str:
    """Returns what names have in common that differ in case, spaces or typographic form only.

    Raises `UsageError` as `shown` does.
    """
    return folded(shown(name))


def folded(text: str) -> str:
    """Returns a text without case and typographic form, for comparing."""
    # Some typographic forms of capitals have no lower case: they are capitals only once they are plain.
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def check_new(name: str) -> None:
    """Raises `UsageError` for a name that a bot cannot take.

    Opponents without names are `seat N`, and bots that are launched play under the id `OWNER/NAME`.
    """
    if "/" in folded(name):  # which some characters hold in a typographic form
        raise UsageError(
            f"name {_cut(name)}: a name holds no '/', which stands between the owner and the name of a bot;"
            " leave it out"
        )
    if is_label(name):
        raise UsageError(
            f"name {_cut(name)}: opponents are told as 'seat 0', 'seat 1', ... while they have no names;"
            " take another"
        )


def is_label(name: str) -> bool:
    """Says whether a name could be taken for that of a seat: `seat 1`, `Seat-1`, `seat_01`."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    return _LABEL.fullmatch("".join(filter(str.isalnum, plain))) is not None


def is_line(text: str) -> bool:
    """Says whether a text can be shown in one line, and is seen there."""
    return text.isprintable() and not _BLANK.search(text)


def is_tag(text: str) -> bool:
    """Says whether a text may tell versions or processes of a bot apart: no two look the same."""
    return len(text) <= LONGEST and is_line(text) and text == _neat(text)


def _shown(text: str, what: str) -> str:
    found = _neat(text) if is_line(text) else ""
    if not found or len(found) > LONGEST:
        raise UsageError(
            f"{what} {_cut(text)}: 1 to {LONGEST} printable characters make a name; {_why(text)}"
        )
    return found


def _why(text: str) -> str:
    """Returns what is wrong with a text that can be no name, as far as more is to be said of it."""
    hidden = next((char for char in text if not is_line(char)), "")
    if hidden == _JOINER:
        return "in it emoji are joined by an invisible character (U+200D): take emoji that are not joined"
    if hidden and not hidden.isspace():
        return f"it holds the invisible character U+{ord(hidden):04X}"
    if hidden:
        return "of all white space only plain spaces may stand in it"
    return f"this has {len(_neat(text))}"


def _neat(text: str) -> str:
    """Returns a text without outer and repeated spaces."""
    return " ".join(filter(None, text.split(" ")))


def _cut(name: str) -> str:
    return repr(name) if len(name) <= LONGEST else f"{name[:LONGEST]!r}..."

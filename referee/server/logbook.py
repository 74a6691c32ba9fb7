"""Where the log of a match lies that does not run here."""

import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from referee.replay import packs
from referee.replay.reader import FINISHED, REPLAYS, SEALED

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_VERSION: Final = 7


def place_of(data: Path, match_id: str) -> Path | None:
    """Returns the name that the finished log of a match has, whether there is one or not.

    The id tells the day: it is a UUIDv7. A text that is none names no match, and has no place.
    """
    try:
        known = uuid.UUID(match_id)
        day = _EPOCH + timedelta(milliseconds=known.int >> 80)
    except (ValueError, OverflowError):
        return None
    if known.version != _VERSION or str(known) != match_id:
        return None
    return data / REPLAYS / f"{day:%Y/%m/%d}" / f"{match_id}{FINISHED}"


def find_log(data: Path, match_id: str) -> Path | None:
    """Returns the finished log of a match, which may be sealed; None where there is none.

    The end of a block renames what is sealed: looked for in this order, a log is never missed.
    """
    place = place_of(data, match_id)
    if place is None:
        return None
    sealed = place.with_name(match_id + SEALED)
    if sealed.exists():  # never in a pack
        return sealed
    return place if packs.exists(place) else None


def is_sealed(path: Path) -> bool:
    """Says whether a log is of a block that is not over."""
    return path.name.endswith(SEALED)

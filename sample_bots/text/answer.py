"""What a line means that a command printed: one of the actions it was shown, or what is wrong with it."""

import re
from collections.abc import Sequence

_NUMBER = re.compile(r"[0-9]{1,9}")
_NUMBERED = re.compile(r"([0-9]{1,9})\. (.+)")
_TILE = re.compile(r"([0-9]{1,2})-([0-9]{1,2})")
_CARD = re.compile(r"[3-9tjqka2][dchs]")
_SHOWN = 60
"""Characters of a line that are shown."""


class WrongAnswerError(Exception):
    """Says in one line why a line is no answer."""


def read(line: str, texts: Sequence[str]) -> int:
    """Returns which of the actions a line means, counted from 0; raises `WrongAnswerError`.

    It is the number of an action, its text, or both as they were shown. Case, a byte order mark, and
    spaces or a carriage return around it make no difference, nor does how a tile is turned or in
    which order cards stand.
    """
    words = _normal(line)
    if not words:
        raise WrongAnswerError("an empty line is no answer")
    if _NUMBER.fullmatch(words):
        return _numbered(int(words), texts)
    both = _NUMBERED.fullmatch(words)
    if both:
        index = _numbered(int(both[1]), texts)
        if _meaning(both[2]) != _meaning(texts[index]):
            raise WrongAnswerError(f"action {both[1]} is {texts[index]!r}, and not {shown(both[2])}")
        return index
    meanings = [_meaning(text) for text in texts]
    meant = _meaning(words)
    if meant in meanings:
        return meanings.index(meant)
    raise WrongAnswerError(_why(words, texts))


def shown(line: str) -> str:
    """Returns a line of a command as it is told to others: in quotes, and not too long."""
    return repr(line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…")


def _numbered(number: int, texts: Sequence[str]) -> int:
    if not 1 <= number <= len(texts):
        only = "1 is the only number" if len(texts) == 1 else f"the numbers are 1 to {len(texts)}"
        raise WrongAnswerError(f"there is no action {number}; {only}")
    return number - 1


def _normal(line: str) -> str:
    return " ".join(line.replace("\ufeff", "").casefold().split())


def _meaning(text: str) -> tuple[str, ...]:
    """Returns what is the same for all ways to write an action."""
    words = [_low_first(word) for word in _normal(text).split(" ")]
    end = next((at for at, word in enumerate(words) if at and not _CARD.fullmatch(word)), len(words))
    return (words[0], *sorted(words[1:end]), *words[end:])


def _low_first(word: str) -> str:
    tile = _TILE.fullmatch(word)
    return "-".join(map(str, sorted(map(int, tile.groups())))) if tile else word


def _why(words: str, texts: Sequence[str]) -> str:
    """Says where a line leaves the last action that it could have become."""
    known = [_normal(text) for text in texts]
    fits = max(_common(words, text) for text in known)
    if not fits:
        return f"{shown(words)} is neither the number nor the text of an action"
    if fits == len(words):
        goes_on = next(text for text, normal in zip(texts, known, strict=True) if normal.startswith(words))
        return f"{shown(words)} ends too early; {goes_on!r} would be an action"
    return (
        f"{shown(words)} is no action of the list: none goes on with {words[fits]!r} at character {fits + 1}"
    )


def _common(one: str, other: str) -> int:
    """Counts the characters with which both begin."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))

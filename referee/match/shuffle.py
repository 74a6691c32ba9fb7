"""Fair deals: commitment, seed of a deal, and the shuffle, fully specified.

Another language can re-implement all of it from `replays/README.md`, which has test vectors. Every
hashed part is preceded by its length in bytes as 8 bytes, big-endian, so that no two lists of parts
give the same bytes.
"""

import hashlib
import hmac
import struct
from collections.abc import Iterator, Sequence

from referee.games.base import Chance, Outcome

_COMMIT_LABEL = b"referee commitment v1"
_DEAL_LABEL = b"referee deal v1"
_DERIVE_LABEL = b"referee derived secret v1"

_WORD = 1 << 32
_EIGHT_WORDS = struct.Struct(">8I")


def commit(group: str, secret: bytes) -> str:
    """Returns the commitment to the secret of a deal group, in hexadecimal."""
    return hashlib.sha256(_join(_COMMIT_LABEL, group.encode(), secret)).hexdigest()


def derived_secret(seed: int, group: str) -> bytes:
    """Returns the secret of a deal group that a repeatable experiment derives from a number."""
    return hashlib.sha256(_join(_DERIVE_LABEL, str(seed).encode(), group.encode())).digest()


def deal_seed(secret: bytes, group: str, deal: int, contributions: Sequence[bytes]) -> bytes:
    """Returns the 32-byte seed of deal `deal` (from 1), with the entropy of every seat in order."""
    parts = (_DEAL_LABEL, group.encode(), str(deal).encode(), *contributions)
    return hmac.digest(secret, _join(*parts), "sha256")


def draw(seed: bytes, chance: Chance) -> Outcome:
    """Returns what the seed draws: first the uniform numbers, then the order of the pieces."""
    words = _words(seed)
    draws = tuple(_below(words, size) for size in chance.draws)
    order = list(range(chance.size))
    for last in range(chance.size - 1, 0, -1):
        other = _below(words, last + 1)
        order[last], order[other] = order[other], order[last]
    return Outcome(draws, tuple(order))


def _words(seed: bytes) -> Iterator[int]:
    counter = 0
    while True:
        yield from _EIGHT_WORDS.unpack(hashlib.sha256(seed + counter.to_bytes(8, "big")).digest())
        counter += 1


def _below(words: Iterator[int], size: int) -> int:
    """Returns a number 0..size-1; words in the uneven rest of the range are thrown away."""
    limit = _WORD - _WORD % size
    while (word := next(words)) >= limit:
        pass
    return word % size


def _join(*parts: bytes) -> bytes:
    return b"".join(len(part).to_bytes(8, "big") + part for part in parts)

"""Match ids: UUIDs that sort by time."""

import uuid

_RANDOM_BYTES = 10


def uuid7(now_ms: int, randomness: bytes) -> str:
    """Returns a UUID version 7 (RFC 9562 §5.7) for a time in milliseconds since the Unix epoch.

    Of the 10 bytes of `randomness` 74 bits are used. It must be drawn apart from every secret of a
    match: an id is public from the start.
    """
    if len(randomness) != _RANDOM_BYTES:
        raise ValueError(f"a match id takes {_RANDOM_BYTES} random bytes, not {len(randomness)}")
    bits = (now_ms & (1 << 48) - 1) << 80 | int.from_bytes(randomness, "big")
    bits = bits & ~(0xF << 76) | 0x7 << 76
    bits = bits & ~(0x3 << 62) | 0x2 << 62
    return str(uuid.UUID(int=bits))

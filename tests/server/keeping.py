"""The moment after the end of a match, while its result is kept, held for as long as a test likes."""

import asyncio
import itertools

import pytest

from referee.server.index import Index


def held(patch: pytest.MonkeyPatch, after: int = 0) -> asyncio.Event:
    """Has one wait for results, after so many, last until it is cancelled; returns what tells of it."""
    begun = asyncio.Event()
    settled = Index.settled
    waits = itertools.count()

    async def wait(index: Index) -> None:
        if next(waits) == after:
            begun.set()
            await asyncio.Event().wait()
        await settled(index)

    patch.setattr(Index, "settled", wait)
    return begun

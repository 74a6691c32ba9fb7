"""A match of a block: its deals are those of the block, whatever its own seats send."""

import msgspec
import pytest

from referee.errors import UsageError
from referee.match import events as ev
from referee.match.config import MAX_ENTROPY, Block, Setup
from tests.match.harness import Driver, setup

ENTROPY = (b"one", b"", b"three", b"4")


def _part(number: int, contributions: tuple[bytes, ...] | None = None) -> Setup:
    fixed = msgspec.UNSET if contributions is None else tuple(one.hex() for one in contributions)
    part = Block(kind="rotate", part=number, parts=4, contributions=fixed)
    return msgspec.structs.replace(setup(options={"target": 10}), block=part)


def _played(header: Setup, entropy: tuple[bytes, ...]) -> Driver:
    driver = Driver(header, start=False)
    for seat, sent in enumerate(entropy):
        driver.match.ready(seat, sent, driver.now)
    driver.asked()
    driver.finish()
    return driver


def _deals(driver: Driver) -> list[tuple[int, ...]]:
    return [deal.order for deal in driver.all(ev.Deal)]


def test_s1_later_parts_have_the_deals_of_the_first() -> None:
    """The entropy of the first part makes them; what the seats of a later one send is only logged."""
    first = _played(_part(0), ENTROPY)
    later = _played(_part(1, ENTROPY), (b"other", b"bytes", b"from", b"them"))
    alone = _played(setup(options={"target": 10}), (b"other", b"bytes", b"from", b"them"))

    assert _deals(first) == _deals(later) != _deals(alone)
    assert [ready.entropy for ready in later.all(ev.Ready)] == [
        text.encode().hex() for text in ("other", "bytes", "from", "them")
    ]
    given = tuple(one.hex() for one in ENTROPY)
    assert [driver.all(ev.End)[0].contributions for driver in (first, later)] == [given, given]


@pytest.mark.parametrize(
    "block",
    [
        Block(kind="rotate", part=0, parts=2, contributions=("",) * 4),
        Block(kind="rotate", part=1, parts=2),
        Block(kind="rotate", part=1, parts=2, contributions=("",) * 3),
        Block(kind="rotate", part=1, parts=2, contributions=("", "", "", "0g")),
        Block(kind="rotate", part=1, parts=2, contributions=("", "", "", "0A")),
        Block(kind="rotate", part=1, parts=2, contributions=("", "", "", "00" * (MAX_ENTROPY + 1))),
        Block(kind="same_seat", part=2, parts=2, contributions=("",) * 4),
        Block(kind="same_seat", part=-1, parts=2),
    ],
)
def test_a_block_that_cannot_be_is_refused(block: Block) -> None:
    """A first part takes entropy, a later one has it fixed, by seat and in hexadecimal."""
    driver = Driver(start=False)
    header = msgspec.structs.replace(setup(), block=block)

    with pytest.raises(UsageError, match=r"block"):
        header.check(driver.match.game.info)

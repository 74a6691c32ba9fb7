"""The shuffle: pinned, specified well enough for a second implementation, and fair."""

import hashlib
import hmac
import itertools
import math
import re
import struct
from collections import Counter
from pathlib import Path

import pytest

from referee.games.base import Chance, Outcome
from referee.match import shuffle

PAGE = Path(__file__).parents[2] / "replays" / "README.md"
GROUP = "018f0000-0000-7000-8000-000000000001"
SECRET = bytes(range(32))
CONTRIBUTIONS = (b"", b"\x01\x02", b"", b"abc")


def _vectors() -> dict[str, str]:
    """Returns the table of test vectors of the page, as it is printed."""
    table = PAGE.read_text("utf-8").partition("## Test vectors")[2]
    return dict(re.findall(r"^\| ([^|]+?) \| (`[^|]+`) \|$", table, re.MULTILINE))


class Other:
    """The page once more, written from its words alone."""

    def __init__(self, seed: bytes) -> None:
        self.seed = seed
        self.taken = 0

    @staticmethod
    def packed(*parts: bytes) -> bytes:
        """Returns the parts, each after its length."""
        return b"".join(struct.pack(f">Q{len(part)}s", len(part), part) for part in parts)

    def word(self) -> int:
        """Returns the next word of the stream."""
        block, at = divmod(self.taken, 8)
        self.taken += 1
        words = struct.unpack(">8I", hashlib.sha256(self.seed + struct.pack(">Q", block)).digest())
        return int(words[at])

    def below(self, size: int) -> int:
        """Returns a number below `size`."""
        while True:
            word = self.word()
            if word < 2**32 - 2**32 % size:
                return word % size

    def deal(self, sizes: tuple[int, ...], count: int) -> Outcome:
        """Returns the numbers and the order of a deal."""
        draws = tuple(self.below(size) for size in sizes)
        pieces = list(range(count))
        for last in reversed(range(1, count)):
            other = self.below(last + 1)
            pieces[other], pieces[last] = pieces[last], pieces[other]
        return Outcome(draws, tuple(pieces))


def test_the_vectors_of_the_page_follow_from_its_words() -> None:
    """Whoever re-implements the page comes to its table."""
    packed = Other.packed

    def seed(deal: int) -> bytes:
        label = packed(b"referee deal v1", GROUP.encode(), str(deal).encode(), *CONTRIBUTIONS)
        return hmac.new(SECRET, label, hashlib.sha256).digest()

    def order(deal: int, *sizes: int, count: int = 28) -> str:
        told = [" ".join(map(str, numbers)) for numbers in Other(seed(deal)).deal(sizes, count) if numbers]
        return " and ".join(f"`{numbers}`" for numbers in told)

    commitment = hashlib.sha256(packed(b"referee commitment v1", GROUP.encode(), SECRET)).hexdigest()
    derived = hashlib.sha256(packed(b"referee derived secret v1", b"7", GROUP.encode())).hexdigest()

    assert _vectors() == {
        "commitment": f"`{commitment}`",
        "seed of deal 1": f"`{seed(1).hex()}`",
        "seed of deal 2": f"`{seed(2).hex()}`",
        "secret from the number 7": f"`{derived}`",
        "order of 28 pieces, deal 1": order(1),
        "order of 28 pieces, deal 2": order(2),
        "a number below 4, then the order of 6 pieces, deal 1": order(1, 4, count=6),
    }


def test_the_vectors_are_pinned() -> None:
    """The algorithm cannot change together with its page: old logs must stay checkable."""
    vectors = _vectors()

    assert vectors["commitment"] == "`fdbac450b5911f654571873370c2340fd19b65df89c51179698ece8a48ecb292`"
    assert vectors["order of 28 pieces, deal 1"] == (
        "`12 18 4 13 15 3 11 24 9 7 6 19 2 17 5 20 21 10 23 16 0 25 8 1 26 14 27 22`"
    )


def test_a_second_implementation_agrees() -> None:
    """Commitment, seeds and deals are those of the definitions, for many groups and deals."""
    packed = Other.packed
    for number in range(200):
        group, secret = f"group {number} ä", hashlib.sha256(bytes([number])).digest()
        parts = (b"", secret[:number], b"\x00" * (number % 65), b"x")
        label = packed(b"referee deal v1", group.encode(), str(number).encode(), *parts)
        seed = hmac.new(secret, label, hashlib.sha256).digest()
        commitment = hashlib.sha256(packed(b"referee commitment v1", group.encode(), secret)).hexdigest()
        sizes, count = ((), 28) if number % 2 else ((6, number + 1), number)

        assert shuffle.commit(group, secret) == commitment
        assert shuffle.deal_seed(secret, group, number, parts) == seed
        assert shuffle.draw(seed, Chance(sizes, count)) == Other(seed).deal(sizes, count)


def test_no_two_lists_of_parts_give_the_same_seed() -> None:
    """A byte that moves from one seat's entropy to the next seat's changes the deal."""
    lists = [(b"ab", b""), (b"a", b"b"), (b"", b"ab"), (b"ab",), (b"ab", b"", b"")]

    assert len({shuffle.deal_seed(SECRET, GROUP, 1, parts) for parts in lists}) == len(lists)
    assert shuffle.deal_seed(SECRET, "g1", 1, ()) != shuffle.deal_seed(SECRET, "g", 11, ())


def test_every_number_is_drawn_from_equally_many_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """With words of 6 bits, tried one by one, each number below a size has the same count of words."""
    monkeypatch.setattr(shuffle, "_WORD", 64)
    for size in range(1, 65):
        counts: Counter[int] = Counter()
        for word in range(64):
            words = iter([word])
            try:
                counts[shuffle._below(words, size)] += 1
            except StopIteration:
                assert word >= 64 - 64 % size
        assert counts == dict.fromkeys(range(size), 64 // size)


@pytest.mark.parametrize("size", [3, 5, 7, 24, 28, 52, 91, 2**31 + 1])
def test_the_uneven_rest_of_the_words_is_thrown_away(size: int) -> None:
    """The last word before the limit counts; the first word at it is skipped."""
    limit = 2**32 - 2**32 % size

    assert shuffle._below(iter([limit - 1]), size) == size - 1
    assert shuffle._below(iter([limit, 2**32 - 1, 1]), size) == 1


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6])
def test_every_order_comes_from_exactly_one_run_of_choices(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All runs of equally likely choices give all orders, each once: the shuffle is unbiased."""
    orders = set()
    runs = list(itertools.product(*(range(last + 1) for last in range(size - 1, 0, -1))))
    for run in runs:
        monkeypatch.setattr(shuffle, "_words", lambda _seed, run=run: iter(run))
        orders.add(shuffle.draw(b"", Chance((), size)).order)

    assert len(runs) == len(orders) == math.factorial(size)

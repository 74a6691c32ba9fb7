"""A table in words, for those who do not see the picture."""

from collections.abc import Sequence

from referee.games import tiles
from referee.web.draw.table import Table


def deal(number: int) -> str:
    """Says which deal is played."""
    return f"Deal {number}." if number else "Before the first deal."


def line(codes: Sequence[int]) -> str:
    """Tells a line of dominoes and its open ends."""
    if not codes:
        return "The line is empty."
    told = " ".join(map(tiles.text, codes))
    return f"Line: {told}; open ends {codes[0] >> 4} at the left and {codes[-1] & 15} at the right."


def last(table: Table, play: str) -> str:
    """Tells what was played last."""
    who = table.name(table.last_seat) if table.last_seat >= 0 else "somebody"
    return f"Last: {who}: {play}."


def passed(table: Table, to_act: int, count: int) -> frozenset[int]:
    """Returns the seats that passed last, which are those before the one to act."""
    seats = len(table.names)
    if to_act < 0:
        return frozenset(range(seats)) if count >= seats else frozenset()
    return frozenset((to_act - earlier) % seats for earlier in range(1, count + 1))


def held(counts: Sequence[int], seat: int, shown: Sequence[int] | None) -> str:
    """Tells how many tiles a seat holds, and which where that may be shown."""
    count = counts[seat] if seat < len(counts) else 0
    told = f"{count} tile{'s' * (count != 1)}"
    return f"{told}: {' '.join(map(tiles.text, shown))}" if shown else told


def numbers(bits: int) -> str:
    """Tells a set of numbers that is written as bits."""
    return ", ".join(str(number) for number in range(bits.bit_length()) if bits >> number & 1)


def seat(table: Table, seat: int, totals: Sequence[int], holds: str, notes: Sequence[str]) -> str:
    """Tells of one seat: what it is called, its total, what it holds and what else there is to say."""
    total = totals[seat] if seat < len(totals) else 0
    lost = ["forfeited"] * (seat in table.forfeited)
    return f"{'; '.join([f'{table.name(seat)}: total {total}', holds, *notes, *lost])}."


def to_act(table: Table, seat: int) -> str:
    """Says whose turn it is."""
    return f"{table.name(seat)} is to act." if seat >= 0 else "Nobody is to act."

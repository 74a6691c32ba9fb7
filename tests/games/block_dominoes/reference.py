"""One deal of block dominoes, written a second time: slowly, in text, by trying everything.

It shares nothing with the engine. Actions and events are canonical text; tiles are pairs.
"""

import re
from collections.abc import Sequence

Pair = tuple[int, int]
PIECES: list[Pair] = [(low, high) for low in range(7) for high in range(7) if low <= high]
EVERY_TEXT = [f"play {low}-{high}{end}" for low, high in PIECES for end in ("", " left", " right")]


class Deal:
    """A deal in progress; `opener` None means that 6-6 has to open it."""

    def __init__(self, order: Sequence[int], opener: int | None = None) -> None:
        """Gives pieces 0..6 of the order to seat 0, and so on."""
        self.hands = [[PIECES[piece] for piece in order[7 * seat : 7 * seat + 7]] for seat in range(4)]
        self.must = opener is None
        self.seat = opener if opener is not None else next(s for s in range(4) if (6, 6) in self.hands[s])
        self.line: list[Pair] = []
        self.over = False
        self.winner: int | None = None
        self.blocked = False

    def copy(self) -> "Deal":
        """Returns an independent deal."""
        twin = Deal.__new__(Deal)
        twin.__dict__.update(self.__dict__)
        twin.hands = [list(hand) for hand in self.hands]
        twin.line = list(self.line)
        return twin

    def _tries(self, seat: int) -> dict[str, list[Pair]]:
        """Returns every text that the seat can play, with the line that it makes."""
        found: dict[str, list[Pair]] = {}
        for low, high in sorted(self.hands[seat]):
            name = f"play {low}-{high}"
            if not self.line:
                if not self.must or (low, high) == (6, 6):
                    found[name] = [(low, high)]
                continue
            same = self.line[0][0] == self.line[-1][1]
            for lies in {(low, high), (high, low)}:
                if lies[1] == self.line[0][0]:
                    found[f"{name} left"] = [lies, *self.line]
            for lies in {(low, high), (high, low)}:
                if lies[0] == self.line[-1][1] and not same:
                    found[f"{name} right"] = [*self.line, lies]
        return found

    def legal(self) -> list[str]:
        """Returns the texts that the seat to act can play, in canonical order."""
        return [] if self.over else list(self._tries(self.seat))

    def play(self, text: str) -> list[str]:
        """Plays a legal text and returns what happened."""
        self.line = self._tries(self.seat)[text]
        numbers = re.findall(r"\d", text)
        self.hands[self.seat].remove((int(numbers[0]), int(numbers[1])))
        events = [f"{self.seat} {text}"]
        if not self.hands[self.seat]:
            self.over, self.winner = True, self.seat
            return events
        for _ in range(4):
            self.seat = (self.seat + 1) % 4
            if self._tries(self.seat):
                return events
            events.append(f"{self.seat} passed")
        self.over = self.blocked = True
        pips = self.pips()
        lowest = [seat for seat in range(4) if pips[seat] == min(pips)]
        self.winner = lowest[0] if len(lowest) == 1 else None
        return events

    def pips(self) -> list[int]:
        """Returns what is left in each hand."""
        return [sum(low + high for low, high in hand) for hand in self.hands]

    def scores(self) -> tuple[int, ...]:
        """Returns what each seat scores under default options."""
        pips = self.pips()
        return tuple(sum(pips) - pips[seat] if seat == self.winner else 0 for seat in range(4))

    def default(self) -> str:
        """Returns what is played for an absent seat: most pips, higher number, left end."""
        return min(self.legal(), key=lambda text: (-int(text[5]) - int(text[7]), -int(text[7]), text[8:]))


def perft(deal: Deal, depth: int) -> int:
    """Counts the sequences of `depth` actions that begin here; a deal that ends earlier has none."""
    if depth == 0:
        return 1
    count = 0
    for text in deal.legal():
        after = deal.copy()
        after.play(text)
        count += perft(after, depth - 1)
    return count

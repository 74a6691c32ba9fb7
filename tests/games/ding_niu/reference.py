"""One deal of Ding Niu, written a second time: slowly, in text, by trying everything.

It shares nothing with the engine. Actions and events are canonical text; tiles are pairs, of which
equal ones stand in a hand as often as they are held.
"""

import re
from collections.abc import Mapping, Sequence

Pair = tuple[int, int]
TWICE: list[Pair] = [(n, n) for n in range(1, 7)] + [(5, 6), (4, 6), (1, 6), (1, 5), (1, 3)]
PIECES: list[Pair] = sorted(TWICE * 2 + [(3, 6), (2, 6)])
NAMES = sorted({f"{low}-{high}" for low, high in PIECES})
EVERY_TEXT = [
    *(f"play {name}{end}" for name in NAMES for end in ("", " left", " right")),
    *(f"discard {name}" for name in NAMES),
    "settle",
    "continue",
]
DEFAULTS = {
    "lead_limit": "strict",
    "settlement": "auto",
    "settlement_pay": "plus_two",
    "revoke": "reject",
}


def pair(text: str) -> Pair:
    """Returns the tile that an action names."""
    low, high = re.findall(r"\d", text)
    return int(low), int(high)


def name(tile: Pair) -> str:
    """Returns a tile in text."""
    return f"{tile[0]}-{tile[1]}"


class Deal:
    """A deal in progress, with the options that matter in one."""

    def __init__(self, order: Sequence[int], leader: int, options: Mapping[str, object]) -> None:
        """Gives pieces 0..5 of the order to seat 0, and so on."""
        self.options = {**DEFAULTS, **options}
        self.hands = [[PIECES[piece] for piece in order[6 * seat : 6 * seat + 6]] for seat in range(4)]
        self.down: list[list[Pair]] = [[], [], [], []]
        self.line: list[Pair] = []
        self.leader = self.seat = leader
        self.asked = False
        self.over = False
        self.settler: int | None = None

    def copy(self) -> "Deal":
        """Returns an independent deal."""
        twin = Deal.__new__(Deal)
        twin.__dict__.update(self.__dict__)
        twin.hands = [list(hand) for hand in self.hands]
        twin.down = [list(tiles) for tiles in self.down]
        twin.line = list(self.line)
        return twin

    def _lines(self, tile: Pair) -> dict[str, list[Pair]]:
        """Returns the lines that the tile can make: by the end in text, in the order left, right."""
        if not self.line:
            return {"": [tile]}
        found: dict[str, list[Pair]] = {}
        for lies in (tile, tile[::-1]):
            if lies[1] == self.line[0][0]:
                found[" left"] = [lies, *self.line]
        for lies in (tile, tile[::-1]):
            if lies[0] == self.line[-1][1] and self.line[0][0] != self.line[-1][1]:
                found[" right"] = [*self.line, lies]
        return found

    def _may_lead(self, tile: Pair) -> bool:
        """Applies the lead limit by looking at all hands, not at the leader's alone."""
        if tile[0] != tile[1] or self.options["lead_limit"] == "off":
            return True
        if self.options["lead_limit"] == "strict":
            own = self.hands[self.leader]
            return not any(tile[0] in held and held[0] != held[1] for held in own)
        others = [held for seat in range(4) if seat != self.leader for held in self.hands[seat]]
        return any(set(tile) & set(held) for held in others if held[0] != held[1])

    def _fitting(self, seat: int) -> list[Pair]:
        """Returns the tiles of a seat that can be laid somewhere, whatever else is forbidden."""
        return [tile for tile in self.hands[seat] if self._lines(tile)]

    def legal(self) -> list[str]:
        """Returns the texts that the seat to act can play, in canonical order."""
        if self.over:
            return []
        if self.asked:
            return ["settle", "continue"]
        hand = sorted(set(self.hands[self.seat]))
        discards = [f"discard {name(tile)}" for tile in hand]
        if not self.line:
            return [f"play {name(tile)}" for tile in hand if self._may_lead(tile)]
        plays = [f"play {name(tile)}{end}" for tile in hand for end in self._lines(tile)]
        if not plays:
            return discards
        return plays + (discards if self.options["revoke"] == "extra_discard" else [])

    def play(self, text: str) -> list[str]:
        """Plays a legal text and returns what happened, with the whole truth."""
        assert text in self.legal()
        seat = self.seat
        events = [f"{seat} {text}"]
        if text == "settle":
            self._finish(seat)
            return [*events, f"{seat} settled"]
        if text == "continue":
            self.asked = False
        elif text.startswith("play"):
            return events + self._lay(text)
        else:
            events += self._discard(pair(text))
        self._next()
        return events

    def _lay(self, text: str) -> list[str]:
        tile = pair(text)
        self.line = self._lines(tile)[text[8:]]
        self.hands[self.seat].remove(tile)
        others = [seat for seat in range(4) if seat != self.seat]
        stuck = all(self.hands[seat] and not self._fitting(seat) for seat in others)
        if stuck and self.options["settlement"] == "auto":
            self._finish(self.seat)
            return [f"{self.seat} settled"]
        if stuck and self.options["settlement"] == "declared":
            self.asked = True
            return [f"{self.seat} asked"]
        self._next()
        return []

    def _discard(self, tile: Pair) -> list[str]:
        seat = self.seat
        revoke = bool(self._fitting(seat))
        self.hands[seat].remove(tile)
        self.down[seat].append(tile)
        if not revoke:
            return []
        if self.hands[seat]:
            extra = max(self.hands[seat], key=lambda held: (sum(held), held[1]))
            self.hands[seat].remove(extra)
            self.down[seat].append(extra)
        return [f"{seat} revoke"]

    def _next(self) -> None:
        if not any(self.hands):
            self._finish(None)
            return
        self.seat = (self.seat + 1) % 4
        while not self.hands[self.seat]:
            self.seat = (self.seat + 1) % 4

    def _finish(self, settler: int | None) -> None:
        self.over, self.settler = True, settler

    def pips(self) -> list[int]:
        """Returns what each seat has in hand and face down."""
        return [sum(map(sum, self.hands[seat] + self.down[seat])) for seat in range(4)]

    def winner(self) -> int:
        """Returns the seat with the fewest pips, of equal ones the one nearest to the leader."""
        return min(range(4), key=lambda seat: (self.pips()[seat], (seat - self.leader) % 4))

    def scores(self) -> tuple[int, ...]:
        """Returns what each seat scores."""
        winner, settler, pips = self.winner(), self.settler, self.pips()
        if settler is not None and settler != winner:
            return tuple(12 if seat == winner else -12 if seat == settler else 0 for seat in range(4))
        losses = [3, 2, 1]
        if settler is not None:
            losses = [6, 4, 2] if self.options["settlement_pay"] == "doubled" else [5, 4, 3]
        worst_first = sorted(
            (seat for seat in range(4) if seat != winner),
            key=lambda seat: (-pips[seat], (seat - self.leader) % 4),
        )
        scores = {seat: -loss for seat, loss in zip(worst_first, losses, strict=True)}
        scores[winner] = sum(losses)
        return tuple(scores[seat] for seat in range(4))

    def default(self) -> str:
        """Returns what is played for an absent seat."""
        if self.asked:
            return "continue"
        plays = [text for text in self.legal() if text.startswith("play")]
        if plays:
            return min(plays, key=lambda text: (-sum(pair(text)), -pair(text)[1], text[8:]))
        return min(self.legal(), key=lambda text: (sum(pair(text)), pair(text)))


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

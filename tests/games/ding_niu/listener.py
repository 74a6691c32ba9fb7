"""Somebody who hears what one viewer hears, and works out the rest; shares no code with the engine."""

from collections.abc import Sequence
from typing import Any

Pair = tuple[int, int]


def pair(text: str) -> Pair:
    """Returns the tile of a text like `2-6`."""
    return int(text[0]), int(text[2])


def code(tile: Pair) -> int:
    """Returns a tile as one number."""
    return 16 * tile[0] + tile[1]


class Listener:
    """Keeps all facts of a match from the events that a viewer hears and the ends of deals alone."""

    def __init__(self, viewer: int, settlement_pay: str) -> None:
        """Listens from before the first deal."""
        self.viewer = viewer
        self.settlement_pay = settlement_pay
        self.deal = 0
        self.to_act = self.dealer = self.leader = self.winner = -1
        self.totals = [0, 0, 0, 0]

    def take(self, hand: Sequence[int]) -> None:
        """Takes up the own hand of a new deal."""
        self.hand = [(tile // 16, tile % 16) for tile in hand]

    def hear(self, line: str) -> None:
        """Takes in one event, by its text."""
        first, *rest = line.split()
        if first == "leader":
            self._begin(int(rest[0]))
            return
        seat = int(first)
        getattr(self, f"_{rest[0]}")(seat, rest[1:])

    def _begin(self, leader: int) -> None:
        self.deal += 1
        self.leader = self.to_act = leader
        self.dealer = leader if self.winner < 0 else self.winner
        self.laid: list[Pair] = []
        self.counts = [6, 6, 6, 6]
        self.down = [0, 0, 0, 0]
        self.own_down: list[Pair] = []
        self.steps: list[list[Any]] = []
        self.asked = False
        self.settler: int | None = None

    def _play(self, seat: int, named: list[str]) -> None:
        tile, end = pair(named[0]), named[1:]
        if not end:
            self.laid = [tile]
        elif end == ["left"]:
            near = self.laid[0][0]
            self.laid.insert(0, tile if tile[1] == near else tile[::-1])
        else:
            near = self.laid[-1][1]
            self.laid.append(tile if tile[0] == near else tile[::-1])
        self.counts[seat] -= 1
        if seat == self.viewer:
            self.hand.remove(tile)
        self.steps.append([seat, "play", *named])
        self._next(seat)

    def _discard(self, seat: int, named: list[str]) -> None:
        assert seat == self.viewer
        self.hand.remove(pair(named[0]))
        self.own_down.append(pair(named[0]))
        self._put_down(seat)

    def _discarded(self, seat: int, named: list[str]) -> None:
        assert seat != self.viewer
        assert named == []
        self._put_down(seat)

    def _put_down(self, seat: int) -> None:
        self.counts[seat] -= 1
        self.down[seat] += 1
        self.steps.append([seat, "discard"])
        self._next(seat)

    def _revoke(self, seat: int, named: list[str]) -> None:
        assert named == []
        self.steps[-1].append("revoke")
        if self.counts[seat]:
            self.counts[seat] -= 1
            self.down[seat] += 1
            if seat == self.viewer:
                extra = max(self.hand, key=lambda tile: (sum(tile), tile[1]))
                self.hand.remove(extra)
                self.own_down.append(extra)
        self._next(seat)

    def _asked(self, seat: int, named: list[str]) -> None:
        assert named == []
        self.asked, self.to_act = True, seat

    def _continue(self, seat: int, named: list[str]) -> None:
        assert named == []
        self.asked = False
        self.steps.append([seat, "continue"])
        self._next(seat)

    def _settle(self, seat: int, named: list[str]) -> None:
        assert named == []
        self.asked = False
        self.steps.append([seat, "settle"])

    def _settled(self, seat: int, named: list[str]) -> None:
        assert named == []
        self.settler, self.to_act = seat, -1

    def _next(self, seat: int) -> None:
        turns = [(seat + turn) % 4 for turn in (1, 2, 3, 4)]
        self.to_act = next((other for other in turns if self.counts[other]), -1)

    def hear_end(self, hands: Sequence[Sequence[int]], down: Sequence[Sequence[int]]) -> None:
        """Takes in the end of a deal: the tiles in hand and face down say what it was worth."""
        assert self.to_act == -1
        assert [len(hand) for hand in hands] == self.counts
        assert [len(tiles) for tiles in down] == self.down
        if self.viewer >= 0:
            assert (tuple(hands[self.viewer]), tuple(down[self.viewer])) == self.private()
        left = [
            sum(tile // 16 + tile % 16 for tile in (*hand, *tiles))
            for hand, tiles in zip(hands, down, strict=True)
        ]
        near = [(seat - self.leader) % 4 for seat in range(4)]
        self.winner = min(range(4), key=lambda seat: (left[seat], near[seat]))
        losers = sorted(set(range(4)) - {self.winner}, key=lambda seat: (-left[seat], near[seat]))
        if self.settler is not None and self.settler != self.winner:
            losers, losses = [self.settler], [12]
        elif self.settler is not None:
            losses = [6, 4, 2] if self.settlement_pay == "doubled" else [5, 4, 3]
        else:
            losses = [3, 2, 1]
        for seat, loss in zip(losers, losses, strict=True):
            self.totals[seat] -= loss
            self.totals[self.winner] += loss

    def private(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Returns the own hand and the own tiles face down."""
        return tuple(map(code, sorted(self.hand))), tuple(map(code, self.own_down))

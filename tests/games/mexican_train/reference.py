"""One deal of Mexican Train, written a second time: slowly, in text, by trying everything.

It shares nothing with the engine. Actions and events are canonical text; tiles are pairs.
"""

import copy
import re
from collections.abc import Sequence

Pair = tuple[int, int]
PIECES: list[Pair] = [(low, high) for low in range(13) for high in range(13) if low <= high]
TRAINS = [*map(str, range(8)), "public"]
EVERY_TEXT = [f"play {low}-{high} on {train}" for low, high in PIECES for train in TRAINS] + ["stop"]


class Deal:
    """A deal in progress; `told` holds what happened when it began."""

    def __init__(
        self,
        order: Sequence[int],
        seats: int,
        number: int = 1,
        engine: str = "highest_double",
        doubles: str = "extra_turn",
    ) -> None:
        """Deals the pieces of the order seat by seat and finds the engine."""
        size = {2: 15, 3: 15, 4: 15, 5: 12, 6: 12, 7: 10, 8: 10}[seats]
        rest = [PIECES[piece] for piece in order]
        self.seats = seats
        self.cover = doubles == "must_satisfy"
        self.hands: list[list[Pair]] = []
        for _ in range(seats):
            self.hands.append(sorted(rest[:size]))
            rest = rest[size:]
        self.bones = rest
        self.tracks: dict[str, list[Pair]] = {name: [] for name in [*map(str, range(seats)), "public"]}
        self.markers: set[int] = set()
        self.passes: list[int] = []
        self.uncovered: str | None = None
        self.further = False
        self.new_tile: Pair | None = None
        self.over = self.blocked = False
        self.told: list[str] = []
        first = (number - 1) % seats
        self.owner = self._descend(13 - number, first) if engine == "descending" else self._highest(first)
        self.waiting = [(self.owner + 1 + later) % seats for later in range(seats)]
        self.seat = self.waiting[0]
        self.told += self._settle()

    def _descend(self, number: int, first: int) -> int:
        self.number = number
        owner = first
        for seat in range(self.seats):
            if (number, number) in self.hands[seat]:
                owner = seat
                self.hands[seat].remove((number, number))
        if (number, number) in self.bones:
            self.bones.remove((number, number))
        self.told.append(f"{owner} engine {number}-{number}")
        return owner

    def _highest(self, first: int) -> int:
        best = max((low for hand in self.hands for low, high in hand if low == high), default=None)
        seat = first
        while best is None:
            tile = self.bones.pop(0)
            self.told.append(f"{seat} drew")
            self.hands[seat] = sorted([*self.hands[seat], tile])
            if tile[0] == tile[1]:
                best = tile[0]
            seat = (seat + 1) % self.seats
        self.number = best
        owner = next(seat for seat in range(self.seats) if (best, best) in self.hands[seat])
        self.hands[owner].remove((best, best))
        self.told.append(f"{owner} engine {best}-{best}")
        return owner

    def copy(self) -> "Deal":
        """Returns an independent deal."""
        return copy.deepcopy(self)

    def end(self, train: str) -> int:
        """Returns the number that a train ends in."""
        return self.tracks[train][-1][1] if self.tracks[train] else self.number

    def fits(self, tile: Pair, train: str) -> bool:
        """Says whether the seat to act may play this tile on this train now, were it in its hand."""
        if self.end(train) not in tile:
            return False
        if self.waiting:
            return train == str(self.seat)
        if self.uncovered is not None:
            return train == self.uncovered
        if train in {str(self.seat), "public"}:
            return True
        return int(train) in self.markers and self.tracks[train] != []

    def legal(self) -> list[str]:
        """Returns the texts that the seat to act can play, in canonical order."""
        if self.over:
            return []
        own = str(self.seat)
        names = [own, "public", *[name for name in self.tracks if name not in {own, "public"}]]
        found = []
        for low, high in self.hands[self.seat]:
            if self.new_tile is None or self.new_tile == (low, high):
                found += [f"play {low}-{high} on {name}" for name in names if self.fits((low, high), name)]
        if self.waiting and self.tracks[own]:
            found.append("stop")
        return found

    def play(self, text: str) -> list[str]:
        """Plays a legal text and returns what happened."""
        seat = self.seat
        events = [f"{seat} {text}"]
        if text == "stop":
            self.waiting.remove(seat)
            self.seat = (seat + 1) % self.seats
            return events + self._settle()
        match = re.fullmatch(r"play (\d+)-(\d+) on (\w+)", text)
        assert match
        tile, train = (int(match[1]), int(match[2])), match[3]
        end = self.end(train)
        self.hands[seat].remove(tile)
        self.tracks[train].append(tile if tile[0] == end else (tile[1], tile[0]))
        self.passes, self.uncovered, self.new_tile = [], None, None
        if train == str(seat) and seat in self.markers:
            self.markers.remove(seat)
            events.append(f"{seat} marker off")
        self.further = False
        if not self.hands[seat]:
            events.append(f"{seat} out")
            if self.waiting:
                self.waiting.remove(seat)
                self.seat = (seat + 1) % self.seats
            else:
                self.over = True
            return events + self._settle()
        if self.waiting:
            return events
        if tile[0] == tile[1]:
            self.further = True
            others = [piece for piece in PIECES if tile[0] in piece and piece != tile]
            if self.cover and any(other in place for other in others for place in [*self.hands, self.bones]):
                self.uncovered = train
        else:
            self.seat = (seat + 1) % self.seats
        return events + self._settle()

    def _settle(self) -> list[str]:
        """Does all that is forced, and tells it."""
        events: list[str] = []
        while not self.over:
            if self.waiting:
                self.seat = self.waiting[0]
                if self.legal():
                    break
                events += self._pass()
                self.waiting.pop(0)
                continue
            if [] in self.hands:
                self.over = True
                break
            if self.legal():
                break
            if self.bones:
                tile = self.bones.pop(0)
                events.append(f"{self.seat} drew")
                self.hands[self.seat] = sorted([*self.hands[self.seat], tile])
                if self.legal():
                    self.new_tile = tile
                    break
            events += self._pass()
            if not self.bones and len(self.passes) >= self.seats:
                self.over = self.blocked = True
                events.append("blocked")
            self.further = False
        return events

    def _pass(self) -> list[str]:
        seat = self.seat
        events = [f"{seat} passed"]
        self.passes.append(seat)
        if seat not in self.markers:
            self.markers.add(seat)
            self.passes = [seat]
            events.append(f"{seat} marker on")
        self.seat = (seat + 1) % self.seats
        return events

    def scores(self) -> tuple[int, ...]:
        """Returns what each seat scores."""
        return tuple(sum(map(sum, hand)) for hand in self.hands)

    def default(self) -> str:
        """Returns what is played for an absent seat."""
        legal = self.legal()
        if "stop" in legal:
            return "stop"
        numbers = {text: [int(number) for number in re.findall(r"\d+", text)][:2] for text in legal}
        heaviest = max((sum(pair), pair[1]) for pair in numbers.values())
        return next(text for text in legal if (sum(numbers[text]), numbers[text][1]) == heaviest)


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

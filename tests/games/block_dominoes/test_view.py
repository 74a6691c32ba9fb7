"""R8: what everybody sees can be told from what everybody heard."""

from typing import TYPE_CHECKING, Any

from referee.games import tiles
from referee.games.base import Event
from referee.games.block_dominoes.view import DealEnd, Public
from tests.games.block_dominoes.positions import GAME
from tests.games.helpers import Step, random_playout

if TYPE_CHECKING:
    from referee.games.info import Options


class Listener:
    """Keeps the public facts from events and ends of deals alone; knows no hand in play."""

    def __init__(self, tie_opener: str) -> None:
        """Listens from before the first deal."""
        self.tie_opener = tie_opener
        self.deal = 0
        self.totals = [0, 0, 0, 0]
        self.drawn = False

    def hear(self, line: str) -> None:
        """Takes in one event, by its text."""
        first, *rest = line.split()
        if first == "opener":
            self.deal += 1
            self.opener = self.to_act = int(rest[0])
            self.must = self.deal == 1 or (self.drawn and self.tie_opener == "highest_double")
            self.laid: list[tuple[int, int]] = []
            self.laid_by: list[int] = []
            self.lacking: list[set[int]] = [set(), set(), set(), set()]
            self.counts = [7, 7, 7, 7]
            self.passes = 0
            return
        seat = int(first)
        self.to_act = (seat + 1) % 4
        if rest == ["passed"]:
            self.passes += 1
            self.lacking[seat] |= {self.laid[0][0], self.laid[-1][1]}
        else:
            self.passes = 0
            self.counts[seat] -= 1
            self._lay(int(rest[1][0]), int(rest[1][2]), rest[2:])
            self.laid_by.insert(0 if rest[2:] == ["left"] else len(self.laid_by), seat)
        if self.passes == 4 or not self.counts[seat]:
            self.to_act = -1

    def _lay(self, low: int, high: int, end: list[str]) -> None:
        if not end:
            self.laid = [(low, high)]
        elif end == ["left"]:
            near = self.laid[0][0]
            self.laid.insert(0, (low, high) if high == near else (high, low))
        else:
            near = self.laid[-1][1]
            self.laid.append((low, high) if low == near else (high, low))

    def hear_end(self, end: DealEnd) -> None:
        """Takes in the end of a deal: the hands say what it was worth."""
        pips = [sum(map(sum, map(tiles.halves, seat.hand))) for seat in end.hands]
        assert end.blocked == (self.passes == 4)
        assert [len(seat.hand) for seat in end.hands] == self.counts
        lowest = min(pips)
        winners = [
            seat for seat in range(4) if (pips[seat] == lowest if end.blocked else not self.counts[seat])
        ]
        self.drawn = len(winners) > 1
        assert end.winner == (None if self.drawn else winners[0])
        if not self.drawn:
            self.totals[winners[0]] += sum(pips) - pips[winners[0]]

    def public(self) -> Public:
        """Returns what everybody should see now."""
        return Public(
            self.deal,
            self.to_act,
            self.opener,
            tuple(16 * left + right for left, right in self.laid),
            tuple(self.laid_by),
            tuple(self.counts),
            tuple(self.totals),
            self.passes,
            tuple(sum(2**number for number in numbers) for numbers in self.lacking),
            0x66 if self.must and not self.laid else None,
        )


def follow(tie_opener: str, seeds: range) -> int:
    """Plays matches beside a listener, compares each step, and returns how many deals there were."""
    deals = 0
    for seed in seeds:
        listener = Listener(tie_opener)

        def check(step: Step, listener: Listener = listener) -> None:
            state: Any = step.state
            for event in step.events:
                listener.hear(GAME.text.event(event))
            if state.to_act() < 0:
                listener.hear_end(GAME.view.deal_end(state))
            assert GAME.view.public(state) == listener.public()

        options: Options = {"tie_opener": tie_opener, "target": 10_000, "max_deals": 50}
        deals += random_playout(GAME, seed, options, check).deal
    return deals


def test_r8_every_public_fact_follows_from_the_events() -> None:
    """After each step of 1,000 deals the public view is what a listener works out by itself."""
    assert follow("same", range(20)) == 1_000


def test_r8_also_where_a_draw_forces_6_6() -> None:
    """The forced opening after a draw can be told from the end of the deal before it."""
    assert follow("highest_double", range(20, 26)) == 300
    assert follow("next_seat", range(26, 30)) == 200


def test_l12_a_forced_pass_is_told_to_all_alike() -> None:
    """Events are the same for every seat and for a spectator."""
    for event in (
        Event("passed", 2),
        Event("opener", -1, 1),
        Event("play", 3, GAME.text.parse_action("play 6-6")),
    ):
        assert [GAME.view.redact(event, viewer) for viewer in range(-1, 4)] == [event] * 5

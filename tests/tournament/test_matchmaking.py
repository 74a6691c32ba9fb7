"""The matchmaking of a ladder, simulated: who meets whom, how long anybody waits, who holds the places."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.errors import UsageError
from referee.tournament.matchmaking import NEWCOMER, SECOND, HouseBot, Matchmaker, Matchmaking, Waiting, most
from tests.tournament.fields import spread

HOUSE = tuple(
    HouseBot(f"{level}/{level}{copy}", rating)
    for copy in ("", "-2", "-3")
    for level, rating in (("easy", 18.0), ("normal", 25.0), ("expert", 32.0))
)


@dataclass
class Ladder:
    """A ladder in which time is a number; matches last as long as their slowest bot takes."""

    rules: Matchmaking
    bots: int
    owners: int = 0
    slow: Sequence[str] = ()
    seed: int = 0
    tables: list[tuple[str, ...]] = field(default_factory=list)
    longest: Counter[str] = field(default_factory=Counter)
    """The longest wait of each bot, in seconds."""
    most_held: Counter[str] = field(default_factory=Counter)
    gaps: list[float] = field(default_factory=list)

    def run(self, seconds: int) -> None:
        """Plays for so many seconds; slow bots take twenty times as long, and four matches at once."""
        rng = random.Random(self.seed)
        ratings = {f"b{number}": rng.gauss(NEWCOMER, 6) for number in range(self.bots)}
        maker = Matchmaker(self.rules, self.seed)
        since = dict.fromkeys(ratings, 0)
        running: list[tuple[int, tuple[str, ...]]] = []
        playing: Counter[str] = Counter()
        for second in range(seconds):
            pool = [self._waiting(bot, ratings[bot], since[bot], playing[bot]) for bot in ratings]
            for table in maker.tables(pool, len(running), second * SECOND):
                takes = rng.randint(5, 30) * (20 if set(table) & set(self.slow) else 1)
                running.append((second + takes, table))
                self._note(table, ratings)
                guests = [bot for bot in table if bot in ratings]
                playing.update(guests)
                for bot in guests:
                    self.longest[bot] = max(self.longest[bot], second - since[bot] // SECOND)
                    self.most_held[bot] = max(self.most_held[bot], playing[bot])
                    since[bot] = second * SECOND
            for _, table in [one for one in running if one[0] <= second]:
                guests = [bot for bot in table if bot in ratings]
                playing.subtract(guests)
                since.update((bot, (second + 1) * SECOND) for bot in guests if not playing[bot])
            running = [one for one in running if one[0] > second]
            assert len(running) <= self.rules.places

    def owner(self, bot: str) -> str:
        """Returns whose a bot is."""
        return str(int(bot[1:]) % self.owners) if self.owners else bot

    def _waiting(self, bot: str, rating: float, since: int, playing: int) -> Waiting:
        free = (4 if bot in self.slow else 1) - playing
        return Waiting(bot=bot, owner=self.owner(bot), since=since, rating=rating, free=free, playing=playing)

    def _note(self, table: tuple[str, ...], ratings: dict[str, float]) -> None:
        self.tables.append(table)
        found = [ratings[bot] for bot in table if bot in ratings]
        self.gaps.append(max(found) - min(found))


def waiting(bot: str, rating: float | None = None, since: int = 0, owner: str = "", free: int = 1) -> Waiting:
    """Returns a bot that plays nothing."""
    return Waiting(bot=bot, owner=owner or bot, since=since, rating=rating, free=free)


def test_those_who_are_near_in_rating_meet() -> None:
    """Of five who wait the two nearest to the one who chooses sit down; a newcomer is in the middle."""
    maker = Matchmaker(Matchmaking(seats=3, places=1))
    pool = [
        waiting("first", 20.0),
        waiting("near", 21.0, 1),
        waiting("new", None, 1),
        waiting("far", 29.0, 1),
    ]
    pool.append(waiting("close", 18.5, 2))
    (table,) = maker.tables(pool, 0, 5 * SECOND)

    assert set(table) == {"first", "near", "close"}


def test_the_width_grows_with_waiting() -> None:
    """Two who are 9 apart do not meet at once; after 20 s of waiting they do."""
    rules = Matchmaking(seats=2, places=4, near=4.0, widen=0.25)
    maker = Matchmaker(rules)
    pool = [waiting("one", 20.0), waiting("other", 29.0)]

    assert maker.tables(pool, 0, 19 * SECOND) == []
    assert maker.again(pool, 0, 19 * SECOND) == 20 * SECOND
    assert [set(table) for table in maker.tables(pool, 0, 20 * SECOND)] == [{"one", "other"}]
    assert rules.width(rules.patience) == float("inf")


def test_house_bots_fill_a_table_after_the_wait() -> None:
    """One who waits alone gets the house bots nearest in rating, when it has waited long enough."""
    maker = Matchmaker(Matchmaking(seats=4, places=1, house=HOUSE, house_after=20 * SECOND))
    pool = [waiting("lone", 30.0)]

    assert maker.tables(pool, 0, 19 * SECOND) == []
    assert maker.again(pool, 0, 19 * SECOND) == 20 * SECOND
    (table,) = maker.tables(pool, 0, 20 * SECOND)
    assert set(table) == {"lone", "expert/expert", "expert/expert-2", "expert/expert-3"}


def test_nobody_sits_beside_a_bot_of_its_owner() -> None:
    """Two bots of one owner wait however long it takes."""
    maker = Matchmaker(Matchmaking(seats=2, places=1))
    pool = [waiting("one", owner="ann"), waiting("other", owner="ann")]

    assert maker.tables(pool, 0, 3600 * SECOND) == []
    assert maker.again(pool, 0, 3600 * SECOND) is None


def test_nothing_is_to_be_looked_at_again_where_time_changes_nothing() -> None:
    """With no free place, nobody who waits, or too few bots there is no time to look again."""
    maker = Matchmaker(Matchmaking(seats=2, places=1))

    assert maker.again([waiting("one", 10.0), waiting("other", 40.0)], 1, 0) is None
    assert maker.again([waiting("one")], 0, 0) is None
    assert maker.again([], 0, 0) is None


def test_opponents_change() -> None:
    """Of equals those who met less of late are taken first: six bots at tables of two meet all others."""
    maker = Matchmaker(Matchmaking(seats=2, places=3))
    met: Counter[frozenset[str]] = Counter()
    for minute in range(25):
        pool = [waiting(f"b{number}", since=minute * 60 * SECOND) for number in range(6)]
        met.update(map(frozenset, maker.tables(pool, 0, minute * 60 * SECOND)))

    assert len(met) == 15
    assert max(met.values()) - min(met.values()) <= 3


@given(
    st.integers(2, 4), st.integers(2, 30), st.integers(1, 6), st.integers(0, 5), st.sampled_from([HOUSE, ()])
)
def test_a_ladder_keeps_its_rules(
    seats: int, bots: int, places: int, seed: int, house: tuple[HouseBot, ...]
) -> None:
    """No bot holds two seats or meets its owner's, no place is taken twice, seats are balanced."""
    rules = Matchmaking(seats=seats, places=places, house=house)
    ladder = Ladder(rules, bots, owners=bots // 2 + 1, seed=seed)
    ladder.run(300)

    for table in ladder.tables:
        guests = [bot for bot in table if bot.startswith("b")]
        assert len(set(table)) == seats
        assert guests
        assert len({ladder.owner(bot) for bot in guests}) == len(guests)
    assert spread(ladder.tables, [f"b{number}" for number in range(bots)], seats) <= 3


@pytest.mark.parametrize(("bots", "house"), [(3, HOUSE), (7, HOUSE), (12, HOUSE), (12, ())])
def test_s11_no_bot_starves(bots: int, house: tuple[HouseBot, ...]) -> None:
    """With places enough nobody waits longer than for house bots, or else patience and a match (S11)."""
    rules = Matchmaking(seats=4, places=12, house=house)
    ladder = Ladder(rules, bots)
    ladder.run(3600)

    bound = rules.house_after if house else rules.patience + 31 * SECOND
    assert len(ladder.longest) == bots
    assert max(ladder.longest.values()) <= bound // SECOND


def test_s11_nobody_is_passed_over_where_places_are_few() -> None:
    """Forty bots for two tables: the one who waits longest chooses, so all play about as often (S11)."""
    ladder = Ladder(Matchmaking(seats=4, places=2, near=1.0), 40)
    ladder.run(7200)
    sat = Counter(bot for table in ladder.tables for bot in table)

    assert len(sat) == 40
    assert min(sat.values()) >= 0.5 * max(sat.values())


def test_s11_a_slow_bot_holds_no_more_than_its_share() -> None:
    """It may play four matches at once and gets two of four places; the others play on (S11)."""
    slow = Ladder(Matchmaking(seats=2, places=4, share=0.5), 12, slow=("b3",))
    slow.run(3600)
    held = Ladder(Matchmaking(seats=2, places=4, share=1.0), 12, slow=("b3",))
    held.run(3600)

    assert slow.most_held["b3"] == 2
    assert held.most_held["b3"] > 2
    assert len(slow.tables) > len(held.tables)
    assert all(count > 20 for bot, count in Counter(b for t in slow.tables for b in t).items() if bot != "b3")


def test_memory_is_bounded_however_many_bots_come() -> None:
    """Only the seats and opponents of those who sat last are remembered."""
    maker = Matchmaker(Matchmaking(seats=2, places=1))
    for number in range(12_000):
        maker.tables([waiting(f"one{number}"), waiting(f"other{number}")], 0, 0)

    assert len(maker._met) == len(maker._seating._counts) == 10_000


def test_the_share_is_rounded_down_and_never_nothing() -> None:
    """A bot may always hold one place."""
    assert [most(share, 8) for share in (0.01, 0.25, 0.3, 0.5, 1.0)] == [1, 2, 2, 4, 8]
    assert most(0.1, 30) == 3


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (Matchmaking(seats=1, places=1), "1 tables of 1 seats are no ladder"),
        (Matchmaking(seats=2, places=1, share=0), "share 0 is not above 0"),
        (Matchmaking(seats=2, places=1, widen=-1), "cannot be below 0"),
        (Matchmaking(seats=2, places=1, house=(HouseBot("easy"), HouseBot("easy"))), "named twice"),
    ],
)
def test_rules_by_which_nobody_would_play_are_refused(rules: Matchmaking, said: str) -> None:
    """Before the first bot comes."""
    with pytest.raises(UsageError, match=said):
        Matchmaker(rules)

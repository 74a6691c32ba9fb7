"""Ranking points for matches won against house bots of one level, and their leaderboard.

A challenge is a match in which one bot meets house bots of one level in all other seats: three of them
at a table of four, as many as there are seats in games of other sizes. It is won by having the first
place alone; a shared first place and a forfeit win nothing. A win earns 10, 30 or 100 points by the
level. Of each day (UTC) the first 10 challenges of a bot at each level are taken, won or lost, so that
nobody gets ahead by playing more than others may.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from referee.tournament.counting import counted
from referee.tournament.decision import NO_RULINGS, Rulings
from referee.tournament.house import LEVELS, is_house
from referee.tournament.result import DAY, MatchResult, SeatResult
from referee.tournament.standings import TableKey

RANKING_POINTS: Mapping[str, int] = dict(zip(LEVELS, (10, 30, 100), strict=True))
"""What a won challenge is worth, by the level of the house bots."""

A_DAY = 10
"""How many challenges of a bot are taken of a day at each level."""

_NOTHING = Rulings()


@dataclass(frozen=True, slots=True)
class Tally:
    """What a bot achieved at one level.

    Attributes:
        matches: the challenges that were taken.
        margin: the largest number of points by which it won one, over those who did not forfeit; None
            for no win.
        beyond: the challenges that were not taken, since it had enough that day.
    """

    matches: int = 0
    wins: int = 0
    margin: int | None = None
    beyond: int = 0


@dataclass(frozen=True, slots=True)
class Challenger:
    """A line of a leaderboard; bots with equal points share a place, those who have left stand last."""

    place: int
    bot: str
    name: str
    owner: str
    points: int
    levels: Mapping[str, Tally]
    left: bool = False


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """The challengers of one table, the best first; what is a table is what it is for standings."""

    key: TableKey
    rows: tuple[Challenger, ...]


@dataclass(slots=True)
class _Bot:
    seat: SeatResult
    levels: dict[str, Tally] = field(default_factory=dict)
    days: defaultdict[tuple[str, int], int] = field(default_factory=lambda: defaultdict(int))

    @property
    def points(self) -> int:
        return sum(RANKING_POINTS[level] * tally.wins for level, tally in self.levels.items())


def leaderboards(
    results: Iterable[MatchResult], rulings: Mapping[str, Rulings] = NO_RULINGS
) -> tuple[Leaderboard, ...]:
    """Returns a leaderboard for each table with a challenge; `rulings` are by tournament.

    The same for every order of arrival. Raises `RecordError` for a result that is not sound.
    """
    tables: dict[TableKey, dict[str, _Bot]] = {}
    for result in counted(results, rulings):
        found = _challenge(result)
        if found is not None:
            level, seat = found
            options = tuple(sorted(result.options.items()))
            key = TableKey(result.tournament, result.game, result.rules_version, options)
            bot = tables.setdefault(key, {}).setdefault(seat.bot, _Bot(seat))
            bot.seat = seat
            _take(bot, level, seat, result)
    return tuple(
        Leaderboard(key, _rows(bots.values(), rulings.get(key.tournament, _NOTHING)))
        for key, bots in sorted(tables.items(), key=lambda table: str(table[0]))
    )


def _challenge(result: MatchResult) -> tuple[str, SeatResult] | None:
    """Returns the level and the challenger of a match, or None for a match that is no challenge."""
    guests = [seat for seat in result.seats if not is_house(seat.bot)]
    levels = {seat.bot.partition("/")[0] for seat in result.seats if is_house(seat.bot)}
    return (levels.pop(), guests[0]) if len(guests) == len(levels) == 1 else None


def _take(bot: _Bot, level: str, seat: SeatResult, result: MatchResult) -> None:
    """Takes a challenge of a bot; they come in the order in which they were made."""
    tally = bot.levels.get(level, Tally())
    day = level, result.created // DAY
    if bot.days[day] == A_DAY:
        bot.levels[level] = replace(tally, beyond=tally.beyond + 1)
        return
    bot.days[day] += 1
    tally = replace(tally, matches=tally.matches + 1)
    if seat.rank == 1 and not seat.forfeited and sum(other.rank == 1 for other in result.seats) == 1:
        # The nearest of the others is the best of them, whether high or low scores win.
        others = [other for other in result.seats if other is not seat and not other.forfeited]
        margin = min((abs(seat.score - other.score) for other in others), default=0)
        tally = replace(tally, wins=tally.wins + 1, margin=max(margin, tally.margin or 0))
    bot.levels[level] = tally


def _rows(bots: Iterable[_Bot], rulings: Rulings) -> tuple[Challenger, ...]:
    def standing(bot: _Bot) -> tuple[bool, int]:
        return bot.seat.bot in rulings.withdrawn, -bot.points

    order = sorted(bots, key=lambda bot: (*standing(bot), bot.seat.bot))
    return tuple(
        Challenger(
            place=1 + sum(standing(other) < standing(bot) for other in order),
            bot=bot.seat.bot,
            name=bot.seat.name,
            owner=bot.seat.owner,
            points=bot.points,
            levels={level: bot.levels[level] for level in LEVELS if level in bot.levels},
            left=bot.seat.bot in rulings.withdrawn,
        )
        for bot in order
    )

"""What the file of a tournament or ladder says, in words for people."""

from collections.abc import Mapping, Sequence

from referee.games import find
from referee.games.info import OptionValue
from referee.match.config import Penalties, TimeControl
from referee.organiser.tournament import Stop, Tournament
from referee.server.ladder.config import LadderConfig
from referee.tournament.formats.settings import (
    ChallengeSettings,
    GauntletSettings,
    RoundRobinSettings,
    Settings,
)
from referee.web.filters import game_name

_SOME = 8
"""How many names are told one by one."""


def settings_of(tournament: Tournament) -> tuple[tuple[str, str], ...]:
    """Returns what the file of a tournament says, each with a heading."""
    bots = len(tournament.bots)
    told = [
        ("Format", format_of(tournament.format, tournament.seats)),
        ("Bots", f"{bots}, at tables of {tournament.seats}"),
        ("Options", _options(tournament.game, tournament.options)),
        *_conduct(tournament.time_control, tournament.penalties),
        ("Counts", "in the standings" if tournament.rated else "in a table of its own alone: it is unrated"),
        ("Names", _names(anonymous=tournament.anonymous)),
        ("Deals", _deals(tournament)),
    ]
    ends = _ends(tournament.stop)
    return (*told, *((("Ends early", ends),) if ends else ()))


def settings_of_ladder(
    ladder: LadderConfig, time_control: TimeControl, penalties: Penalties
) -> tuple[tuple[str, str], ...]:
    """Returns what the file of a ladder says, each with a heading."""
    return (
        ("Format", "continuous: whoever is connected and free is given a table with bots of like strength"),
        *(
            (
                game_name(table.game),
                f"tables of {table.size()}; {_options(table.game, table.options)}",
            )
            for table in ladder.tables
        ),
        ("At a time", f"{ladder.concurrency} matches, a bot in at most {ladder.share:.0%} of them"),
        *_conduct(time_control, penalties),
        ("Counts", "in the standings" if ladder.rated else "not: it is unrated"),
        ("Names", _names(anonymous=ladder.anonymous)),
        ("Versions", f"at most {ladder.versions} new ones of a bot in 24 hours"),
    )


def format_of(settings: Settings, seats: int) -> str:
    """Returns in words who meets whom."""
    match settings:
        case RoundRobinSettings(laps=laps, matches=matches):
            return f"round robin: every choice of {seats} bots meets{_length(laps, matches)}"
        case GauntletSettings(candidates=candidates, laps=laps, matches=matches):
            some = ", ".join(candidates[:_SOME]) + (" and others" if len(candidates) > _SOME else "")
            return f"gauntlet: {some} against all others{_length(laps, matches)}"
        case ChallengeSettings(level=level, matches=matches):
            return f"challenge: each bot plays {matches} matches against house bots of level {level}"
        case swiss:
            return f"Swiss: {swiss.rounds} rounds, in which those with like scores meet"


def _length(laps: int, matches: int) -> str:
    if matches:
        return f", {matches} matches in all"
    return f" {laps} times" if laps > 1 else ""


def _options(game: str, options: Mapping[str, OptionValue]) -> str:
    usual = {option.name: option.default for option in find(game).info.options}
    told = [
        f"{name.replace('_', ' ')} {value}" for name, value in options.items() if value != usual.get(name)
    ]
    return ", ".join(told) or "the usual ones"


def _conduct(time_control: TimeControl, penalties: Penalties) -> Sequence[tuple[str, str]]:
    each, bank, *_ = str(time_control).split(",")
    base, _, increment = each.partition("+")
    more = f", {increment} more at each deal" if time_control.increment else ""
    time = f"{base} for each turn, {bank.partition('=')[2]} in reserve for a match{more}"
    forfeit = f"{penalties.retries} refused answers in a turn, forfeit at {penalties.strikes} strikes"
    return ("Time", time), ("Penalties", forfeit)


def _names(*, anonymous: bool) -> str:
    return "told at the end of a match only" if anonymous else "told from the start of a match"


def _deals(tournament: Tournament) -> str:
    if tournament.seed is not None:
        return f"derived from seed {tournament.seed}, so they prove nothing"
    match tournament.duplicate:
        case "rotate":
            return "duplicate play: each table replays its deals through all seats"
        case "same_seat":
            return "duplicate play: every competitor plays the same deals from the same seat"
        case _:
            return "fresh for each match, fixed beforehand, which anybody can check"


def _ends(stop: Stop) -> str:
    told = [f"after {stop.matches} matches"] if stop.matches else []
    told += ["when every lead is certain"] if stop.certain else []
    told += [f"when no interval of points is wider than {stop.width}"] if stop.width else []
    told += ["when each candidate was found better than the field, or not"] if stop.sprt else []
    return ", or ".join(told)

"""Reads a tournament file; `docs/tournaments.md` describes every key."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields
from typing import Final, get_type_hints

from referee import games
from referee.errors import SettingError
from referee.games.info import GameInfo, OptionValue
from referee.match.config import DuplicateKind, Penalties, TimeControl
from referee.organiser.bots_table import opponents, read_bots
from referee.organiser.file import Document, Section, meant
from referee.organiser.tournament import Running, Stop, Tournament, order_of
from referee.server.config import ArenaConfig
from referee.store.bots import HOUSE_BOTS, Bot
from referee.tournament.formats import make
from referee.tournament.formats.settings import SETTINGS, ChallengeSettings, RoundRobinSettings, Settings
from referee.tournament.sequential import Hypotheses

_DUPLICATE: Mapping[str, DuplicateKind | None] = {"none": None, "rotate": "rotate", "same_seat": "same_seat"}
_MOST_BOTS = 10_000
_LEAST_SHARE = 0.001
_LEAST_WIDTH = 0.001
_RATES: Final = ("alpha", "beta")


def read_tournament(document: Document, registered: Callable[[], Iterable[Bot]]) -> Tournament:
    """Returns the tournament of a file, or raises `UsageError` with all that is wrong with it.

    `registered` tells the bots of the register, if it is asked. Nothing is started.
    """
    top = document.root
    head = top.section("tournament")
    name = head.name("name", "what its folder is called")
    info = _game(head)
    options = _options(top.section("options"), info)
    bots = read_bots(top.section("bots"), info.name, registered)
    form = _format(top.section("format"), [bot.name for bot in bots])
    seats = _seats(head, info)
    if isinstance(form, ChallengeSettings) and not any(bot.house for bot in bots):
        bots += opponents(form.level, seats - 1, info.name)
    tournament = Tournament(
        name=name,
        game=info.name,
        options=options,
        seats=seats,
        bots=bots,
        format=form or RoundRobinSettings(),
        duplicate=_DUPLICATE[head.choice("duplicate", _DUPLICATE, "none")],
        rated=head.flag("rated", default=True),
        anonymous=head.flag("anonymous", default=False),
        seed=head.whole("seed", 0, most=(1 << 63) - 1) if "seed" in head else None,
        order=head.whole("order", order_of(name), most=(1 << 63) - 1),
        time_control=head.parsed("time", TimeControl.parse, TimeControl()),
        penalties=_penalties(top.section("penalties")),
        stop=_stop(top.section("stop")),
        running=_running(top.section("running")),
        watch_delay=head.whole("watch_delay", ArenaConfig().watch_delay),
    )
    if tournament.rated and "seed" in head:
        head.problem(
            "seed", "a rated tournament has no seed, since nobody can trust such deals; say rated = false"
        )
    head.close()
    top.close()
    _agree(tournament, top)
    if form is not None:
        _suits(tournament, top)
    document.check()
    try:
        make(tournament.format, tournament.field)
    except SettingError as error:
        document.problem(tuple(error.key.split(".")), str(error))
    document.check()
    return tournament


def _game(head: Section) -> GameInfo:
    name = head.choice("game", games.names())
    return games.find(name).info


def _seats(head: Section, info: GameInfo) -> int:
    usual = max(info.min_seats, min(4, info.max_seats))
    seats = head.whole("seats", usual, 1, 100)
    if not info.min_seats <= seats <= info.max_seats:
        head.problem("seats", f"{info.name} is for {info.seats()} seats, not for {seats}")
    return seats


def _options(section: Section, info: GameInfo) -> dict[str, OptionValue]:
    known = {option.name for option in info.options}
    given: dict[str, OptionValue] = {}
    for name, value in section.values.items():
        if name not in known:
            hint = meant(name, known) or f"; it has {', '.join(sorted(known))}"
            section.problem(name, f"{info.name} has no such option{hint}")
        elif isinstance(value, int | str) and not isinstance(value, bool):
            given[name] = value
            section.made(name, lambda one={name: value}: info.resolve(one))  # type: ignore[misc]
        else:
            section.problem(name, "has to be a whole number or a text")
    if not section.document.problems:
        section.made("", lambda: info.resolve(given))
        return info.resolve(given) if not section.document.problems else {}
    return {}


def _format(section: Section, bots: list[str]) -> Settings | None:
    """Returns the settings of the format; None where there is a problem with one of them."""
    before = len(section.document.problems)
    kind = section.choice("kind", SETTINGS, "round_robin")
    made = SETTINGS[kind]
    types = get_type_hints(made)
    values: dict[str, object] = {}
    for one in fields(made):
        default = None if one.default is MISSING else one.default
        if types[one.name] is int:
            values[one.name] = section.whole(one.name, default, 1)
        elif types[one.name] is float:
            values[one.name] = section.number(one.name, default, 0.0, 1.0)
        elif types[one.name] is str:
            values[one.name] = section.choice(one.name, HOUSE_BOTS, default)
        else:
            values[one.name] = _named(section, one.name, bots)
    section.close()
    return made(**values) if len(section.document.problems) == before else None  # type: ignore[arg-type]


def _named(section: Section, key: str, bots: list[str]) -> tuple[str, ...]:
    named = section.texts(key)
    for name in named:
        if name not in bots:
            section.problem(key, f"there is no bot {name!r}{meant(name, bots)}")
    return named


def _penalties(section: Section) -> Penalties:
    usual = Penalties()
    given = {
        name: section.whole(name, getattr(usual, name), 0 if name == "retries" else 1)
        for name in usual.__struct_fields__
    }
    section.close()
    return Penalties(**given)


def _running(section: Section) -> Running:
    usual = Running()
    running = Running(
        concurrency=section.whole("concurrency", usual.concurrency, 1, 4096),
        share=section.number("share", usual.share, _LEAST_SHARE, 1.0),
        attempts=section.whole("attempts", usual.attempts, 1, 1000),
        no_shows=section.whole("no_shows", usual.no_shows, 1),
        start_failures=section.whole("start_failures", usual.start_failures, 1),
    )
    section.close()
    return running


def _stop(section: Section) -> Stop:
    usual = Stop()
    stop = Stop(
        least=section.whole("least", usual.least, 1),
        matches=section.whole("matches", usual.matches, 1),
        certain=section.flag("certain", default=False),
        width=section.number("width", usual.width, _LEAST_WIDTH, 1.0),
        sprt=_sprt(section.section("sprt")) if "sprt" in section else None,
    )
    section.close()
    return stop


def _sprt(section: Section) -> Hypotheses:
    usual = Hypotheses()
    given = {
        one.name: section.number(
            one.name,
            getattr(usual, one.name),
            *((0.0, 0.5) if one.name in _RATES else (-1.0, 1.0)),
            within=True,
        )
        for one in fields(usual)
    }
    section.close()
    hypotheses = Hypotheses(**given)
    section.made("gain" if "gain" in section else "null", hypotheses.check)
    return hypotheses


def _agree(tournament: Tournament, top: Section) -> None:
    """Takes note of settings that are sound by themselves and do not go together, whatever the format."""
    if tournament.duplicate == "rotate":
        for bot in tournament.bots:
            if not bot.command:
                top.document.problem(
                    ("bots", bot.name, "registered"),
                    "cannot play duplicate = 'rotate': a bot that is not started anew for each match"
                    " would know the hands",
                )
    if len(tournament.bots) > _MOST_BOTS:
        top.document.problem(("bots",), f"{len(tournament.bots)} bots are more than {_MOST_BOTS}")


def _suits(tournament: Tournament, top: Section) -> None:
    """Takes note of a field or a rule that the format is not for."""
    if tournament.stop.sprt and not isinstance(tournament.format, SETTINGS["gauntlet"]):
        top.document.problem(("stop", "sprt"), 'is for format kind = "gauntlet"')
    seats, bots = tournament.seats, len(tournament.bots)
    if isinstance(tournament.format, ChallengeSettings):
        _suits_challenge(tournament, tournament.format.level, top)
    elif 0 < bots < seats:
        top.document.problem(
            ("tournament", "seats"), f"a table has {seats} seats; name at least {seats} bots, not {bots}"
        )


def _suits_challenge(tournament: Tournament, level: str, top: Section) -> None:
    """Takes note of house bots that are not those of a challenge, and of one that nobody takes."""
    house = [bot for bot in tournament.bots if bot.house]
    usual = [bot.name for bot in opponents(level, tournament.seats - 1, tournament.game)]
    if [bot.owner for bot in house] != [level] * len(usual):
        one = "a house bot" if len(usual) == 1 else f"{len(usual)} house bots"
        top.document.problem(
            ("bots", house[0].name),
            f"a challenge at {tournament.seats} seats is against {one} of level {level} and no others;"
            f" name none or all of {', '.join(usual)}",
        )
    for bot in tournament.bots:
        if not bot.house and bot.name.casefold() in usual:
            top.document.problem(
                ("bots", bot.name), "this is the name of a house bot of the challenge; take another"
            )
    if len(house) == len(tournament.bots) and house:
        top.document.problem(("bots",), "nobody takes the challenge: all of these are house bots")

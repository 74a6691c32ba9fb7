"""Reads a tournament file; `docs/tournaments.md` describes every key."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields
from typing import get_type_hints

from referee import games
from referee.engine.entrants import Entry
from referee.errors import LaunchError, OptionError, UsageError
from referee.games.info import GameInfo, OptionValue
from referee.match.config import DuplicateKind, Penalties, TimeControl
from referee.organiser.file import Document, Section, meant
from referee.organiser.tournament import Running, Stop, Tournament, order_of
from referee.server.config import ArenaConfig
from referee.server.resolve import resolve
from referee.store.bots import HOUSE_BOTS, Bot, bot_id
from referee.tournament import names
from referee.tournament.formats import make
from referee.tournament.formats.settings import SETTINGS, ChallengeSettings, RoundRobinSettings, Settings
from referee.tournament.names import SHORT, SHORT_TOLD, check_new
from referee.tournament.sequential import Hypotheses

_DUPLICATE: Mapping[str, DuplicateKind | None] = {"none": None, "rotate": "rotate", "same_seat": "same_seat"}
_KINDS = ("command", "house", "registered")
_MOST_BOTS = 10_000


def read_tournament(document: Document, registered: Callable[[], Iterable[Bot]]) -> Tournament:
    """Returns the tournament of a file, or raises `UsageError` with all that is wrong with it.

    `registered` tells the bots of the register, if it is asked. Nothing is started.
    """
    top = document.root
    head = top.section("tournament")
    name = head.name("name", "what its folder is called")
    info = _game(head)
    options = _options(top.section("options"), info)
    bots = _bots(top.section("bots"), info.name, registered)
    form = _format(top.section("format"), [bot.name for bot in bots])
    seats = _seats(head, info)
    if isinstance(form, ChallengeSettings) and not any(bot.house for bot in bots):
        bots += _opponents(form.level, seats - 1, info.name)
    tournament = Tournament(
        name=name,
        game=info.name,
        options=options,
        seats=seats,
        bots=bots,
        format=form,
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
    document.check()
    _try(top, "format", lambda: make(tournament.format, tournament.field))
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
            _try(section, name, lambda one={name: value}: info.resolve(one))  # type: ignore[misc]
        else:
            section.problem(name, "has to be a whole number or a text")
    if not section.document.problems:
        _try(section, "", lambda: info.resolve(given))
        return info.resolve(given) if not section.document.problems else {}
    return {}


def _try(section: Section, key: str, make: Callable[[], object]) -> bool:
    """Makes something, and has what is refused of it be a problem of a key."""
    try:
        make()
    except (UsageError, OptionError, LaunchError) as error:
        section.problem(key, str(error))
        return False
    return True


def _bots(section: Section, game: str, registered: Callable[[], Iterable[Bot]]) -> tuple[Entry, ...]:
    found: list[Entry] = []
    register: dict[str, Bot] = {}
    bots = section.sections()
    if any("registered" in bot for bot in bots.values()):
        register = {bot.bot_id: bot for bot in registered()}
    for name, bot in bots.items():
        entry = _bot(name, bot, game, register)
        bot.close()
        twin = next((other for other in found if other.name.casefold() == name.casefold()), None)
        same = next((other for other in found if other.bot_id == entry.bot_id), None)
        if twin or same:
            bot.problem("", f"is the same bot as bots.{(twin or same or entry).name}; take another name")
        found.append(entry)
    if not bots:
        section.document.problem(
            ("bots",), 'there is no bot; add tables as [bots.mine] with command = "./mine"'
        )
    return tuple(found)


def _bot(name: str, bot: Section, game: str, register: Mapping[str, Bot]) -> Entry:
    if not SHORT.fullmatch(name):
        bot.problem("", f"the name has to be {SHORT_TOLD}")
    else:
        _try(bot, "", lambda: check_new(name))
    kinds = [kind for kind in _KINDS if kind in bot]
    level = name.casefold() if name.casefold() in HOUSE_BOTS else ""
    owner = bot.parsed("owner", names.owner, "")
    if len(kinds) > 1 or (not kinds and not level):
        which = " and ".join(kinds)
        bot.problem("", f"has {which or 'nothing to play'}; give one of {', '.join(_KINDS)}")
        bot.text(kinds[0], "") if kinds else None
        return Entry(name, name, f"{name}/{name}", (name,), house=False)
    if level and (kinds or [""])[0] != "house" and kinds:
        bot.problem("", f"{name} is the name of a house bot; take another")
    if kinds == ["registered"]:
        return _remote(name, bot, owner, register)
    if kinds == ["command"]:
        return Entry(
            name, owner or name, f"{owner or name}/{name}", _command(bot, "command", game), house=False
        )
    house = bot.choice("house", HOUSE_BOTS, level or None)
    if level and house != level:
        bot.problem("house", f"{name} is the name of another house bot; take another")
    if owner:
        bot.problem("owner", "a house bot has none")
    return Entry(name, house, f"{house}/{name}", tuple(resolve(house, game)), house=True)


def _command(bot: Section, key: str, game: str) -> tuple[str, ...]:
    command = bot.text(key)
    found: list[str] = []
    if command:
        _try(bot, key, lambda: found.extend(resolve(command, game)))
    return tuple(found) or (command,)


def _remote(name: str, bot: Section, owner: str, register: Mapping[str, Bot]) -> Entry:
    asked = bot.text("registered")
    spare = Entry(name, name, name, (), house=False)
    ids: list[str] = []
    if not asked or not _try(bot, "registered", lambda: ids.append(bot_id(asked))):
        return spare
    known = register.get(ids[0])
    if known is None:
        hint = meant(ids[0], register) or "; `referee bot list` shows all"
        bot.problem("registered", f"no bot is registered as {asked!r}{hint}")
        return spare
    if known.revoked is not None:
        bot.problem(
            "registered", f"the token of {known.name!r} was revoked; `referee bot add` gives a new one"
        )
    if owner and owner != known.owner:
        bot.problem("owner", f"{known.name!r} is registered as a bot of {known.owner!r}")
    return Entry(name, known.owner, known.bot_id, (), house=False)


def _format(section: Section, bots: list[str]) -> Settings:
    kind = section.choice("kind", SETTINGS, "round_robin")
    made = SETTINGS[kind]
    types = get_type_hints(made)
    values: dict[str, object] = {}
    for one in fields(made):
        default = None if one.default is MISSING else one.default
        if types[one.name] is int:
            values[one.name] = section.whole(one.name, default, 0 if default == 0 else 1)
        elif types[one.name] is float:
            values[one.name] = section.number(one.name, default, 0.0, 1.0)
        elif types[one.name] is str:
            values[one.name] = section.choice(one.name, HOUSE_BOTS, default)
        else:
            values[one.name] = _named(section, one.name, bots)
    section.close()
    return made(**values) if not section.document.problems else RoundRobinSettings()  # type: ignore[arg-type]


def _opponents(level: str, count: int, game: str) -> tuple[Entry, ...]:
    """Returns the house bots that a challenge is against, where the file names none."""
    command = tuple(resolve(level, game))
    names = (level, *(f"{level}-{number}" for number in range(2, count + 1)))
    return tuple(Entry(name, level, f"{level}/{name}", command, house=True) for name in names[:count])


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
        concurrency=section.whole("concurrency", usual.concurrency, 0, 4096),
        share=section.number("share", usual.share, 0.0, 1.0),
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
        matches=section.whole("matches", 0),
        certain=section.flag("certain", default=False),
        width=section.number("width", 0.0, 0.0, 1.0),
        sprt=_sprt(section.section("sprt")) if "sprt" in section else None,
    )
    section.close()
    return stop


def _sprt(section: Section) -> Hypotheses:
    usual = Hypotheses()
    given = {one.name: section.number(one.name, getattr(usual, one.name), -1.0, 1.0) for one in fields(usual)}
    section.close()
    hypotheses = Hypotheses(**given)
    _try(section, "", hypotheses.check)
    return hypotheses


def _agree(tournament: Tournament, top: Section) -> None:
    """Takes note of settings that are sound by themselves and do not go together."""
    if tournament.duplicate == "rotate":
        for bot in tournament.bots:
            if not bot.command:
                top.document.problem(
                    ("bots", bot.name, "registered"),
                    "cannot play duplicate = 'rotate': a bot that is not started anew for each match"
                    " would know the hands",
                )
    if tournament.stop.sprt and not isinstance(tournament.format, SETTINGS["gauntlet"]):
        top.document.problem(("stop", "sprt"), 'is for format kind = "gauntlet"')
    seats, bots = tournament.seats, len(tournament.bots)
    if 0 < bots < seats:
        top.document.problem(
            ("tournament", "seats"), f"a table has {seats} seats; name at least {seats} bots, not {bots}"
        )
    if bots > _MOST_BOTS:
        top.document.problem(("bots",), f"{bots} bots are more than {_MOST_BOTS}")

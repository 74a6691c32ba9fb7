"""Reads the TOML file of a ladder: `referee serve --ladder FILE`."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from referee import games
from referee.errors import OptionError, UsageError
from referee.games.info import GameInfo, OptionValue
from referee.match.config import Penalties, TimeControl, parse_span
from referee.organiser.file import Document, Section, read_bytes
from referee.server.config import ArenaConfig, OpenTable
from referee.server.house.config import PracticeRules
from referee.server.ladder.config import HouseRules, LadderConfig
from referee.store.bots import HOUSE_BOTS
from referee.store.decision_log import digest
from referee.tournament.matchmaking import most

_MOST_MATCHES: Final = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderFile:
    """What the file says of the ladder, and of all matches of its server.

    `watch_delay` is in plies, as spectators hear of them.
    """

    ladder: LadderConfig
    time_control: TimeControl = field(default_factory=TimeControl)
    penalties: Penalties = field(default_factory=Penalties)
    watch_delay: int


def read_ladder(path: Path) -> LadderFile:
    """Returns what a file says; raises `UsageError` with a line for each thing that is wrong."""
    data = read_bytes(path)
    document = Document.parse(str(path), data)
    top = document.root
    head = top.section("ladder")
    ladder = _ladder(top, head, digest(data))
    time_control = head.parsed("time", TimeControl.parse, TimeControl())
    penalties = _penalties(top.section("penalties"))
    watch_delay = head.whole("watch_delay", ArenaConfig().watch_delay)
    head.close()
    top.close()
    document.check()
    if refusal := _refusal(ladder.check):
        head.problem("", refusal)
    document.check()
    return LadderFile(ladder=ladder, time_control=time_control, penalties=penalties, watch_delay=watch_delay)


def tells(ladder: LadderConfig) -> str:
    """Returns in one line what a ladder comes to, for whoever starts it."""
    tables = ", ".join(f"{table.game} for {table.size()}" for table in ladder.tables)
    largest = most(ladder.share, ladder.concurrency)
    return (
        f"ladder {ladder.name}: {tables}; {ladder.concurrency} matches at a time, at most {largest} of them"
        f" with one bot; house bots: {', '.join(ladder.house.levels) or 'none'}"
    )


def _ladder(top: Section, head: Section, file_digest: str) -> LadderConfig:
    usual = LadderConfig(name="", tables=())
    rules = top.section("matchmaking")
    ladder = LadderConfig(
        name=head.name("name", "what standings call it"),
        tables=_tables(top),
        digest=file_digest,
        rated=head.flag("rated", default=usual.rated),
        anonymous=head.flag("anonymous", default=usual.anonymous),
        concurrency=head.whole("concurrency", usual.concurrency, 1, _MOST_MATCHES),
        share=head.number("share", usual.share, 0.001, 1.0),
        versions=head.whole("versions_per_day", usual.versions, 1, 1000),
        attempts=head.whole("attempts", usual.attempts, 1, 1000),
        near=rules.number("near", usual.near, 0.0, 1000.0),
        widen=rules.number("widen", usual.widen, 0.0, 1000.0),
        patience=rules.parsed("patience", parse_span, usual.patience),
        repeat=rules.number("repeat", usual.repeat, 0.0, 1000.0),
        house=_house(top.section("house")),
        practice=_practice(top.section("practice")),
    )
    rules.close()
    return ladder


def _tables(top: Section) -> tuple[OpenTable, ...]:
    section = top.section("games")
    if not section.values:
        top.problem("games", f"is missing; name a game, as [games.{games.names()[0]}]")
    tables = []
    for name, table in section.sections().items():
        if name in games.names():
            tables.append(_table(games.find(name).info, table))
        else:
            section.problem(name, _refusal(lambda name=name: games.find(name)))  # type: ignore[misc]
    return tuple(tables)


def _table(info: GameInfo, section: Section) -> OpenTable:
    usual = max(info.min_seats, min(4, info.max_seats))
    seats = section.whole("seats", usual, 1, 100)
    if not info.min_seats <= seats <= info.max_seats:
        section.problem("seats", f"{info.name} is for {info.seats()} seats, not for {seats}")
    options = _options(section.section("options"), info)
    section.close()
    return OpenTable(game=info.name, options=options, seats=seats)


def _options(section: Section, info: GameInfo) -> dict[str, OptionValue]:
    """Returns the options of a game that can be had; each of the others is a problem."""
    given: dict[str, OptionValue] = {}
    for name, value in section.values.items():
        if not isinstance(value, int | str):
            section.problem(name, "has to be a whole number or a text")
        elif refusal := _refusal(lambda one={name: value}: info.resolve(one)):  # type: ignore[misc]
            section.problem(name, refusal)
        else:
            given[name] = value
    if refusal := _refusal(lambda: info.resolve(given)):
        section.problem("", refusal)
    return given


def _penalties(section: Section) -> Penalties:
    usual = Penalties()
    given = {
        name: section.whole(name, getattr(usual, name), 0 if name == "retries" else 1)
        for name in usual.__struct_fields__
    }
    section.close()
    return Penalties(**given)


def _house(section: Section) -> HouseRules:
    usual = HouseRules()
    rules = HouseRules(
        levels=_levels(section, usual.levels),
        wait=section.parsed("wait", parse_span, usual.wait),
        matches=section.whole("matches", usual.matches, 1, 256),
    )
    section.close()
    return rules


def _practice(section: Section) -> PracticeRules:
    usual = PracticeRules()
    rules = PracticeRules(
        levels=_levels(section, usual.levels),
        per_hour=section.whole("per_hour", usual.per_hour, 1),
        matches=section.whole("matches", usual.matches, 1, _MOST_MATCHES),
    )
    section.close()
    return rules


def _levels(section: Section, usual: tuple[str, ...]) -> tuple[str, ...]:
    levels = section.texts("levels", usual)
    for at, level in enumerate(levels):
        if level not in HOUSE_BOTS:
            what = f"{level!r} is no house bot: {', '.join(HOUSE_BOTS)}"
            section.document.problem((*section.path, "levels", at), what)
    return levels


def _refusal(make: Callable[[], object]) -> str:
    """Returns why something cannot be had; nothing if it can."""
    try:
        make()
    except (UsageError, OptionError) as error:
        return str(error)
    return ""

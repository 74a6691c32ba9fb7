"""What the site learns of tournaments, ladders and round robins: their files, and what was decided."""

import sys
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from referee.cli import runs
from referee.cli.contest_words import settings_of, settings_of_ladder
from referee.engine.entrants import Entry
from referee.errors import RefereeError, in_one_line
from referee.organiser.file import Document
from referee.organiser.folder import FILE, PLAN, Folder
from referee.organiser.overview import listed, status_of
from referee.organiser.reading import read_tournament
from referee.organiser.tournament import Tournament
from referee.server.ladder.ladder import Ladder
from referee.store.decision_log import DECISIONS, TOURNAMENTS
from referee.tournament.decision import Accepted, Decision, Drawn, NoShow, Opened, rulings
from referee.tournament.formats import make
from referee.tournament.house import is_house
from referee.tournament.names import SHORT
from referee.web.contest import LADDER, RUN, TOURNAMENT, Contest, Present, Scheduled
from referee.web.sources import NotShown

if TYPE_CHECKING:
    from referee.server.host import Host
    from referee.store.bots import Bot

_KEPT: Final = 64
"""Of how many contests it is kept what was read, while it has not changed."""
_DECISIONS: Final = 200
"""How many decisions are told, the newest ones."""
_PACE: Final = 50
"""From how many pairings, those that were accepted last, it is told how long the rest may take."""
_FAR: Final = 20_000
"""How many pairings of a schedule are looked at; nobody pages further by hand."""

Registered = Callable[[], "Iterable[Bot]"]
_Stamp = tuple[object, ...]


class Contests:
    """Reads contests, and keeps what was read until something changes; for one thread at a time."""

    def __init__(self, host: "Host") -> None:
        self._host = host
        self._data = host.config.data
        self._kept: OrderedDict[str, tuple[_Stamp, Contest, Tournament | None]] = OrderedDict()

    def names(self) -> list[str]:
        """Returns all contests, the one in which something was decided last first."""
        root = self._data / TOURNAMENTS
        found = {path.parent.name: path.stat().st_mtime_ns for path in root.glob(f"*/{DECISIONS}")}
        ladder = self._host.config.ladder
        if ladder is not None:
            found.setdefault(ladder.name, 0)
        return sorted(found, key=lambda name: (-found[name], name))

    def read(self, name: str, registered: Registered) -> Contest:
        """Returns a contest; raises `NotShown` for one that there is not. `registered` are all bots."""
        contest, _ = self._read(name, registered)
        ladder = self._host.lobby.tables
        if not isinstance(ladder, Ladder) or ladder.config.name != name:
            return contest
        members = [one for one in tuple(self._host.lobby.members.values()) if one.stream is not None]
        return replace(
            contest,
            playing=True,
            problem=ladder.closed(),
            running=len(ladder.running),
            present=sorted(
                {
                    Present(one.identity.bot_id, one.identity.name)
                    for one in members
                    if not is_house(one.identity.bot_id)
                },
                key=lambda one: one.name.casefold(),
            ),
        )

    def schedule(self, name: str, registered: Registered, first: int, count: int) -> list[Scheduled]:
        """Returns pairings from number `first` on, as far as they are known."""
        contest, tournament = self._read(name, registered)
        if tournament is None:
            return []
        if contest.rounds == 1:
            every = (Scheduled(one.index, one.round, one.sittings) for one in listed(tournament))
        else:
            every = (
                Scheduled(drawn.first + at, drawn.round, sittings)
                for _, drawn in sorted(contest.rulings.drawn.items())
                for at, sittings in enumerate(drawn.pairings)
            )
        return list(islice(every, min(first, _FAR), min(first + count, _FAR)))

    def _read(self, name: str, registered: Registered) -> tuple[Contest, Tournament | None]:
        folder = self._data / TOURNAMENTS / name
        ladder = self._host.config.ladder
        if not SHORT.fullmatch(name) or not (
            (folder / DECISIONS).exists() or (ladder is not None and ladder.name == name)
        ):
            raise NotShown(404, f"There is no tournament or ladder {name!r}")
        stamp = _stamp(folder)
        kept = self._kept.get(name)
        if kept is None or kept[0] != stamp:
            kept = (stamp, *self._made(name, registered))
            self._kept[name] = kept
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return kept[1], kept[2]

    def _made(self, name: str, registered: Registered) -> tuple[Contest, Tournament | None]:
        contest, tournament = Contest(name=name, kind=_kind(self._data / TOURNAMENTS / name)), None
        decisions: list[Decision] = []
        try:
            decisions = Folder(self._data, name).log.read()
            contest = _decided(contest, decisions)
            if contest.kind != LADDER:
                contest, tournament = _planned(contest, self._data, registered)
        except RefereeError as error:
            told = in_one_line(error).replace(f"{self._data}/", "")
            contest = replace(contest, problem=f"its record cannot be read: {told}")
        ladder = self._host.config.ladder
        if ladder is not None and ladder.name == name:
            config = self._host.config
            contest = replace(
                contest,
                games=tuple(table.game for table in ladder.tables),
                settings=settings_of_ladder(ladder, config.time_control, config.penalties),
                anonymous=ladder.anonymous,
            )
        return _told(contest, decisions), tournament


def _stamp(folder: Path) -> _Stamp:
    """Returns what changes with the decisions of a contest, and with who plays it."""
    playing = Folder(folder.parent.parent, folder.name).played_by()
    try:
        found = (folder / DECISIONS).stat()
    except OSError:
        return (playing,)
    return playing, found.st_size, found.st_mtime_ns, found.st_ino


def _kind(folder: Path) -> str:
    if (folder / FILE).exists():
        return TOURNAMENT
    return RUN if (folder / PLAN).exists() else LADDER


def _decided(contest: Contest, decisions: Sequence[Decision]) -> Contest:
    """Returns a contest with what was decided about it."""
    found = rulings(decisions)
    matches = sum(len(one.match_ids) for one in found.accepted.values())
    return replace(
        contest,
        rulings=found,
        opened=decisions[0].at if decisions else 0,
        accepted=matches,
        settled=matches,
    )


def _told(contest: Contest, decisions: Sequence[Decision]) -> Contest:
    """Returns a contest with the decisions that may be told."""
    found = contest.rulings
    told = [
        one
        for one in decisions
        if not isinstance(one, Opened | Accepted | Drawn)
        and (
            not isinstance(one, NoShow)
            or not contest.anonymous
            or one.pairing_id in found.accepted
            or one.pairing_id in found.unplayed
        )
    ]
    missed = Counter(bot for one in told if isinstance(one, NoShow) for bot in one.bots)
    return replace(contest, decisions=tuple(reversed(told[-_DECISIONS:])), no_shows=missed)


def _planned(contest: Contest, data: Path, registered: Registered) -> tuple[Contest, Tournament | None]:
    """Returns a contest with what its file says."""
    folder = Folder(data, contest.name, FILE if contest.kind == TOURNAMENT else PLAN)
    tournament = _file(folder, registered) if contest.kind == TOURNAMENT else _plan(contest.name, data)
    status = status_of(tournament, folder)
    contest = replace(
        contest,
        games=(tournament.game,),
        settings=settings_of(tournament),
        anonymous=tournament.anonymous,
        entrants={bot.name: bot.bot_id for bot in tournament.bots},
        rounds=make(tournament.format, tournament.field).rounds,
        total=status.total,
        settled=status.settled,
        playing=status.process != 0,
    )
    return replace(contest, left=_left(contest)), tournament


def _file(folder: Folder, registered: Registered) -> Tournament:
    """Returns the tournament of a folder, wherever the commands of its bots are to be had."""
    document = Document.parse(FILE, folder.begun_with())
    bots = document.root.values.get("bots")
    for bot in bots.values() if isinstance(bots, dict) else ():
        if isinstance(bot, dict) and isinstance(bot.get("command"), str):
            bot["command"] = sys.executable
    return read_tournament(document, registered)


def _plan(name: str, data: Path) -> Tournament:
    plan = runs.load(name, data)
    return plan.tournament(
        tuple(
            Entry(bot, owner, f"{owner}/{bot}", (bot,), house=is_house(owner))
            for bot, owner in zip(plan.names, plan.owners, strict=True)
        )
    )


def _left(contest: Contest) -> int | None:
    """Returns how long the rest may take, as long as somebody plays it."""
    last = sorted(contest.rulings.accepted.values(), key=lambda one: one.at)[-_PACE:]
    if not contest.playing or contest.total is None or len(last) <= 1:
        return None
    matches = sum(len(one.match_ids) for one in last[1:])
    return (contest.total - contest.settled) * (last[-1].at - last[0].at) // max(1, matches)

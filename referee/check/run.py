"""Runs the scenarios of a check, and makes the report."""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

import msgspec

from referee import games
from referee.check import conduct
from referee.check.bench import COMES_BACK, Bench, exit_told
from referee.check.figures import Think, think
from referee.check.scenario import GUIDE, Failed, NotApplicable, Result, Scenario, Terms, Verdict
from referee.check.scenarios import play
from referee.server.launch_report import LaunchReport

if TYPE_CHECKING:
    from referee.check.journal import Journal

SIDE_BY_SIDE: Final = 5
"""How many scenarios run at once: most of them wait for most of their time."""
_NEEDS_LAUNCH: Final = "it needs a bot that is launched here"


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What a check came to; `think` is by game, `memory` in bytes and None where it cannot be told."""

    bot: str
    ok: bool
    games: tuple[str, ...]
    scenarios: tuple[Result, ...]
    think: dict[str, Think]
    memory: int | None
    seconds: float
    outputs: str
    """The folder with what the bot printed; empty for a remote one."""
    interrupted: bool = False
    """Somebody stopped the check; only what was finished by then is told."""


class Subject(Protocol):
    """The bot that is checked: launched anew for each scenario, or one that dialled in."""

    launches: bool
    """Whether each scenario has a process of its own."""

    def bench(self, scenario: Scenario) -> AbstractAsyncContextManager[Bench]:
        """Returns the bot at a referee, for one scenario."""

    def reports(self) -> list[LaunchReport]:
        """Returns what there is to tell of its processes."""

    @property
    def memory(self) -> int | None:
        """The most memory that one process had."""


Told: TypeAlias = Callable[[frozenset[str]], None]
"""Hears the names of the scenarios that run now."""


class Check:
    """One check of a subject by chosen scenarios."""

    def __init__(self, subject: Subject, terms: Terms, told: Told = lambda _: None) -> None:
        self._subject = subject
        self._terms = terms
        self._told = told
        self._running: set[str] = set()
        self._journals: list[tuple[Scenario, Journal]] = []
        self._begun = time.monotonic()
        self._results: dict[str, Result] = {}
        """What is finished, by scenario."""
        self._stopped = ""
        """Why no further scenario makes sense; empty while they do."""

    async def run(self, bot: str, chosen: Sequence[Scenario], extra: Sequence[str], outputs: str) -> Report:
        """Runs `hello`, then the chosen scenarios; `extra` are the names of what is judged over all."""
        self._begun = time.monotonic()
        self._results = {play.HELLO.name: await self._hello()}
        wanted = [scenario for scenario in chosen if scenario is not play.HELLO]
        for scenario in self._one_by_one(wanted):
            self._results[scenario.name] = await self._one(scenario)
        await self._side_by_side([s for s in wanted if s.name not in self._results])
        over_all = {conduct.CONDUCT: self._conduct, conduct.OUTPUT: self._output}
        told = [self._results[s.name] for s in (play.HELLO, *wanted)] + [over_all[name]() for name in extra]
        return self._report(bot, told, outputs)

    def so_far(self, bot: str, chosen: Sequence[Scenario], outputs: str) -> Report:
        """Returns the report of a check that was interrupted: what of the chosen scenarios is finished."""
        names = dict.fromkeys([play.HELLO.name, *(scenario.name for scenario in chosen)])
        told = [self._results[name] for name in names if name in self._results]
        return msgspec.structs.replace(self._report(bot, told, outputs), ok=False, interrupted=True)

    def _report(self, bot: str, told: Sequence[Result], outputs: str) -> Report:
        return Report(
            bot=bot,
            ok=not any(result.verdict in {"failed", "skipped"} for result in told),
            games=self._terms.games,
            scenarios=tuple(told),
            think=think(journal for scenario, journal in self._journals if scenario is play.MATCHES),
            memory=self._subject.memory,
            seconds=round(time.monotonic() - self._begun, 1),
            outputs=outputs,
        )

    async def _side_by_side(self, scenarios: Sequence[Scenario]) -> None:
        """Plays scenarios with others beside them, those that wait for long first."""
        room = asyncio.Semaphore(SIDE_BY_SIDE)

        async def one(scenario: Scenario) -> None:
            async with room:
                self._results[scenario.name] = await self._one(scenario)

        ordered = sorted(scenarios, key=lambda scenario: not (scenario.alone or scenario.waits))
        try:
            async with asyncio.TaskGroup() as group:
                for scenario in ordered:
                    group.create_task(one(scenario))
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None

    def _one_by_one(self, wanted: Sequence[Scenario]) -> list[Scenario]:
        """Returns the scenarios that have nothing beside them: with a single bot, all."""
        if self._subject.launches:
            return [scenario for scenario in wanted if scenario.calm]
        return sorted(wanted, key=lambda scenario: scenario.last)

    async def _hello(self) -> Result:
        """Has the bot say hello, and takes its games from there."""
        result = await self._one(play.HELLO)
        journal = self._journals[-1][1]
        hello = journal.greeted[-1].hello if journal.greeted else None
        declared = [game for game in games.names() if hello and game in hello.games]
        chosen = tuple(game for game in declared if game in (self._terms.games or declared))
        if result.verdict == "ok" and not chosen:
            asked = ", ".join(self._terms.games)
            happened = f"it plays {', '.join(declared)}, and not {asked}"
            result = msgspec.structs.replace(result, verdict="failed", happened=happened)
            self._stopped = "the bot plays no game that is checked"
        if result.verdict != "ok":
            self._stopped = self._stopped or "the bot does not say hello"
        self._terms = replace(self._terms, games=chosen or self._terms.games)
        return result

    async def _one(self, scenario: Scenario) -> Result:
        begun = time.monotonic()
        output, guide = "", scenario.guide
        verdict: Verdict
        if self._stopped:
            verdict, happened = "skipped", self._stopped
        elif scenario.launched and not self._subject.launches:
            verdict, happened = "not applicable", _NEEDS_LAUNCH
        else:
            self._tell(scenario.name, running=True)
            verdict, happened, output, guide = await self._play(scenario)
            self._tell(scenario.name, running=False)
        return Result(
            name=scenario.name,
            verdict=verdict,
            happened=happened,
            expected=scenario.expected,
            guide=guide,
            seconds=round(time.monotonic() - begun, 1),
            output=output,
        )

    async def _play(self, scenario: Scenario) -> tuple[Verdict, str, str, str]:
        async with self._subject.bench(scenario) as bench:
            output, guide = str(bench.process.output) if bench.process else "", scenario.guide
            self._journals.append((scenario, bench.journal))
            verdict: Verdict = "ok"
            try:
                if scenario is not play.HELLO:
                    await bench.greeted(COMES_BACK)
                happened = await scenario.play(bench, self._terms)
            except Failed as failure:
                ended = bench.process is not None and bench.process.exited.done()
                exited = (
                    exit_told(bench.process) if bench.process and ended and scenario.name != "leave" else ""
                )
                verdict, happened = "failed", str(failure) or exited
                guide = f"{GUIDE}#{failure.anchor}" if failure.anchor else guide
                self._stopped = self._stopped or failure.rest
            except NotApplicable as reason:
                verdict, happened = "not applicable", str(reason)
            if scenario is play.MATCHES and verdict == "failed" and not bench.journal.answered:
                self._stopped = "the bot answers no turn"
        return verdict, happened, output, guide

    def _tell(self, name: str, *, running: bool) -> None:
        (self._running.add if running else self._running.discard)(name)
        self._told(frozenset(self._running))

    def _conduct(self) -> Result:
        return conduct.conduct(self._journals, self._stopped)

    def _output(self) -> Result:
        if not self._subject.launches:
            expected, guide = conduct.EXTRA[conduct.OUTPUT]
            return Result(
                name=conduct.OUTPUT,
                verdict="not applicable",
                happened=_NEEDS_LAUNCH,
                expected=expected,
                guide=guide,
            )
        return conduct.output(self._subject.reports())

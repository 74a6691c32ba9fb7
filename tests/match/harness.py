"""A match with its records in a list and a clock that the test moves."""

import hashlib
from typing import TypeVar

from referee import games
from referee.games.info import OptionValue
from referee.match import shuffle
from referee.match.attempt import Attempt, Chosen
from referee.match.config import Penalties, SeatInfo, Setup, TimeControl
from referee.match.events import Record
from referee.match.machine import Match

T = TypeVar("T", bound=Record)

MS = 1_000
SECOND = 1_000_000
SECRET = hashlib.sha256(b"a secret for tests").digest()
QUICK = TimeControl(base=1 * SECOND, bank=2 * SECOND, increment=0)


def setup(
    *,
    seats: int | None = None,
    game: str = "block_dominoes",
    options: dict[str, OptionValue] | None = None,
    time_control: TimeControl | None = None,
    penalties: Penalties | None = None,
) -> Setup:
    """Returns the header of a match of bots b0, b1, ...; of four if the game allows it."""
    info = games.find(game).info
    count = seats or max(info.min_seats, min(4, info.max_seats))
    return Setup(
        engine_version="test",
        game=game,
        rules_version=info.rules_version,
        match_id="01890000-0000-7000-8000-000000000000",
        deal_group="group",
        options=info.resolve(options or {}),
        time_control=time_control or TimeControl(),
        penalties=penalties or Penalties(),
        seats=tuple(SeatInfo(owner=f"o{n}", bot=f"b{n}", name=f"b{n}", version="1") for n in range(count)),
        commitment=shuffle.commit("group", SECRET),
        provable=False,
        created=1_700_000_000_000_000,
    )


class Driver:
    """Feeds a match and keeps what comes out; the clock stands still unless `now` is moved."""

    def __init__(self, header: Setup | None = None, *, start: bool = True, now: int = 50 * SECOND) -> None:
        header = header or setup()
        self.records: list[Record] = []
        self.now = now
        self.match = Match(header, games.find(header.game), SECRET, now, self.records.append)
        if start:
            for seat in range(len(header.seats)):
                self.match.ready(seat, b"", self.now)
            self.asked()

    def asked(self, lag: int = 0) -> None:
        """Starts the clock of the open turn, as the server does when it sends it."""
        turn = self.match.open_turn
        if turn:
            self.match.asked(turn.seat, turn.turn, self.now, lag)

    @property
    def seat(self) -> int:
        """The seat to act."""
        assert self.match.open_turn is not None
        return self.match.open_turn.seat

    @property
    def turn(self) -> int:
        """The id of the open turn."""
        assert self.match.open_turn is not None
        return self.match.open_turn.turn

    def first(self) -> Chosen:
        """Returns the first legal action."""
        return Chosen(self.match.state.legal_actions()[0])

    def act(
        self, attempt: Attempt | None = None, *, seat: int | None = None, turn: int | None = None
    ) -> None:
        """Answers the open turn (or another one), with the first legal action by default."""
        attempt = attempt or self.first()
        seat = self.seat if seat is None else seat
        self.match.act(seat, self.turn if turn is None else turn, attempt, self.now)
        self.asked()

    def wait(self, duration: int, *, tick: bool = True) -> None:
        """Lets time pass, and lets the match judge what ran out."""
        self.now += duration
        if tick:
            self.match.tick(self.now)
            self.asked()

    def finish(self, seat_late: int | None = None) -> None:
        """Plays first legal actions to the end; `seat_late` never answers."""
        while self.match.phase == "running":
            if self.seat == seat_late:
                deadline = self.match.deadline()
                assert deadline is not None
                self.wait(deadline - self.now)
            else:
                self.act()

    def all(self, kind: type[T]) -> list[T]:
        """Returns the records of one kind."""
        return [record for record in self.records if isinstance(record, kind)]

    def kinds(self, since: int = 0) -> list[str]:
        """Returns the kinds of the records from number `since` + 1 on."""
        return [type(record).__name__ for record in self.records[since:]]


def legal(driver: Driver) -> tuple[int, ...]:
    """Returns the legal actions of the open turn."""
    return driver.match.state.legal_actions()


def unlisted(driver: Driver) -> Chosen:
    """Returns an action that is well formed and not legal now."""
    text = driver.match.game.text
    for low in range(7):
        for high in range(low, 7):
            action = text.parse_action(f"play {low}-{high}{' left' if driver.match.plies else ''}")
            if driver.match.state.normalise(action) not in legal(driver):
                return Chosen(action)
    raise AssertionError("everything is legal")


def advanced(driver: Driver, plies: int = 6) -> Driver:
    """Returns the driver after some accepted actions."""
    for _ in range(plies):
        driver.act()
    return driver

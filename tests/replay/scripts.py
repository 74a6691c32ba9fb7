"""Matches that are played without a server, for goldens and tests: one function each.

The clock is a number and every choice comes from a seeded generator, so a script gives the same
records each time.
"""

import random
from collections.abc import Callable, Iterable

import msgspec

from referee.games.info import OptionValue
from referee.match.attempt import Attempt, Chosen, Index, Texted, Unreadable
from referee.match.config import Block, Penalties, Setup, TimeControl
from referee.match.events import Record
from referee.replay.record import Chain
from tests.match.harness import MS, SECOND, Driver, setup

QUICK = TimeControl(base=2 * SECOND, bank=3 * SECOND, increment=SECOND)
SHORT: dict[str, dict[str, OptionValue]] = {
    "block_dominoes": {"target": 60, "max_deals": 3},
    "guan_pai": {"deals": 2},
    "mexican_train": {"deals": 2},
    "ding_niu": {"deals": 2},
}
"""Options by game that make a match short."""
OTHER: dict[str, dict[str, OptionValue]] = {
    "block_dominoes": {
        "target": 70,
        "max_deals": 4,
        "tie_opener": "next_seat",
        "block_score": "others_minus_own",
    },
    "guan_pai": {
        "deals": 2,
        "first_play": "must_contain_d3",
        "must_beat": "true",
        "low_straight": "natural_low",
        "topping": "forbid",
        "bomb_scope": "winner",
        "base": 3,
        "cap": 40,
    },
    "mexican_train": {"deals": 2, "engine": "descending", "doubles": "must_satisfy"},
    "ding_niu": {
        "deals": 3,
        "lead": "winner",
        "lead_limit": "off",
        "revoke": "extra_discard",
        "settlement": "declared",
        "settlement_pay": "doubled",
    },
}
"""Options by game, none of them at its default."""


class Script(Driver):
    """A driver whose bots think and choose by a seeded generator."""

    def __init__(self, header: Setup, seed: int) -> None:
        super().__init__(header, start=False, now=7 * SECOND)
        self.header = header
        self.lag = 0
        self.random = random.Random(seed)

    def start(self) -> None:
        """Makes every seat ready, each with entropy but the last."""
        last = len(self.header.seats) - 1
        for seat in range(last + 1):
            self.now += self.random.randrange(2_000)
            self.match.ready(seat, b"" if seat == last else self.random.randbytes(16), self.now)
        self.open()

    def open(self) -> None:
        """Sends the open turn, a moment after it was asked."""
        self.now += self.random.randrange(20, 400)
        self.asked(self.lag)

    def choose(self, think: int | None = None) -> None:
        """Answers the open turn with any legal action, in one of the three forms."""
        legal = self.match.state.legal_actions()
        at = self.random.randrange(len(legal))
        forms: list[Attempt] = [
            Chosen(legal[at]),
            Index(at),
            Texted(self.match.game.text.action(legal[at])),
        ]
        self.send(self.random.choice(forms), self.random.randrange(100_000) if think is None else think)

    def send(self, attempt: Attempt, think: int = 1_000) -> None:
        """Sends an answer to the open turn after a time."""
        self.now += think
        self.match.act(self.seat, self.turn, attempt, self.now)
        self.open()

    def be_late(self) -> None:
        """Lets the open turn run out."""
        deadline = self.match.deadline()
        assert deadline is not None
        self.now = deadline + self.random.randrange(3_000)
        self.match.tick(self.now)
        self.open()

    def play(self, plies: int = 1 << 30) -> None:
        """Plays legal actions, up to the end of the match at the latest."""
        goal = self.match.plies + plies
        while self.match.phase == "running" and self.match.plies < goal:
            self.choose()


def plain(game: str) -> Script:
    """An ordinary match at default options."""
    script = Script(_header(game, "plain"), seed=1)
    script.start()
    script.play()
    return script


def options(game: str) -> Script:
    """A match with no option, time limit or penalty at its default."""
    header = setup(
        game=game,
        options=OTHER.get(game),
        time_control=TimeControl.parse("900ms+2s,bank=4s,join=9s,start=8s"),
        penalties=Penalties(retries=1, strikes=3, strays=2, max_plies=10_000),
    )
    script = Script(_named(header, "options"), seed=2)
    script.start()
    script.play()
    return script


def faults(game: str) -> Script:
    """A match in which every fault of a running match happens, and two seats forfeit."""
    script = Script(_header(game, "faults", time_control=QUICK, penalties=Penalties(strays=3)), seed=3)
    script.start()
    _misread(script)
    _stray(script)
    _disturb(script)
    _dawdle(script)
    while script.match.phase == "running" and len(script.match.conduct.forfeits) < 2:
        if script.seat in {1, 2}:
            script.be_late()
        else:
            script.choose()
    script.play()
    return script


def alone(game: str) -> Script:
    """All seats but one are late until they forfeit."""
    script = Script(_header(game, "alone", time_control=QUICK, penalties=Penalties(strikes=2)), seed=4)
    script.lag = 30 * MS
    script.start()
    while script.match.phase == "running":
        if script.seat:
            script.be_late()
        else:
            script.choose()
    return script


def no_show(game: str) -> Script:
    """One seat is never ready."""
    script = Script(_header(game, "no_show"), seed=5)
    script.match.ready(0, b"\x01\x02", script.now + 5)
    script.match.dropped(1, script.now + 9)
    script.now += script.header.time_control.start
    script.match.tick(script.now)
    return script


def void(game: str) -> Script:
    """An operator ends the match."""
    script = Script(_header(game, "void"), seed=6)
    script.start()
    script.play(9)
    script.match.void("the operator stopped it", script.now + 77, at_fault=(2,))
    return script


def adjudicated(game: str) -> Script:
    """The cap on actions ends the match."""
    script = Script(_header(game, "adjudicated", penalties=Penalties(max_plies=40)), seed=7)
    script.start()
    script.play()
    return script


def gone(game: str) -> Script:
    """The processes of two seats end, one of them in its own turn."""
    script = Script(_header(game, "gone"), seed=8)
    script.start()
    script.play(5)
    script.match.dropped(script.seat, script.now + 3)
    script.match.gone(script.seat, script.now + 40)
    script.asked()
    script.play(7)
    script.match.gone((script.seat + 1) % len(script.header.seats), script.now + 4)
    script.play()
    return script


def block(game: str) -> Script:
    """The second match of a block of three, anonymous in a tournament; its deals are those of the first."""
    header = _header(game, "block")
    entropy = tuple(f"{16 + seat:02x}" * (seat + 1) for seat in range(len(header.seats) - 1))
    part = Block(kind="rotate", part=1, parts=3, contributions=(*entropy, ""))
    header = msgspec.structs.replace(
        header, pairing_id="spring/7.1", tournament="spring", anonymous=True, block=part
    )
    script = Script(header, seed=9)
    script.start()
    script.play()
    return script


ALL: tuple[Callable[[str], Script], ...] = (
    plain,
    options,
    faults,
    alone,
    no_show,
    void,
    adjudicated,
    gone,
    block,
)


def lines(header: Setup, records: Iterable[Record]) -> list[bytes]:
    """Returns the lines of a log, without newlines."""
    chain = Chain()
    return [chain.header(header), *map(chain.record, records)]


def log(script: Script) -> bytes:
    """Returns the log of a match."""
    return b"".join(line + b"\n" for line in lines(script.header, script.records))


def _misread(script: Script) -> None:
    """Answers illegally or unreadably, once up to the limit of a turn and once past it."""
    state = script.match.state
    outside = _illegal(script)
    script.send(Chosen(outside))
    script.send(Index(len(state.legal_actions())))
    script.send(Texted("play nonsense"))
    script.choose()
    for attempt in (
        Unreadable("0xdeadbeef", "no action is set"),
        Unreadable("", "empty"),
        Texted("x" * 300),
        Texted(script.match.game.text.action(_illegal(script))),
    ):
        script.send(attempt)


def _stray(script: Script) -> None:
    """Sends acts that answer no open question of their seat."""
    match = script.match
    seats = len(script.header.seats)
    script.choose(50)
    before = (script.seat - 1) % seats
    for turn in (1, 9, 1, 1):
        script.now += 10
        match.act(before, turn, Texted("play late"), script.now)
    script.now += 10
    match.act(script.seat, script.turn + 1, Index(0), script.now)
    match.act(script.seat, script.turn - 1, Index(0), script.now + 1)
    script.now += 20
    match.flooded(before, script.now)


def _disturb(script: Script) -> None:
    """Drops and rejoins seats, stalls the referee and goes on in a new process."""
    match = script.match
    match.dropped(script.seat, script.now + 5)
    match.rejoined(script.seat, script.now + 90)
    script.now += 4 * SECOND
    match.stalled(4 * SECOND - 300, script.now)
    script.choose()
    seat, turn = script.seat, script.turn
    script.now += 30 * SECOND
    match.resumed(29 * SECOND, script.now)
    script.open()
    script.choose()
    match.act(seat, turn, Texted("play again"), script.now + 1)
    script.now += 2


def _dawdle(script: Script) -> None:
    """Uses the bank, then the lag credit to the last microsecond, then runs out of time."""
    script.lag = 150 * MS
    script.choose(2_500 * MS)
    script.send(Unreadable("?", "unreadable"), 1)
    deadline = script.match.deadline()
    assert deadline is not None
    script.lag = 70 * MS
    script.choose(deadline - 1 - script.now)
    seat, turn = script.seat, script.turn
    script.lag = 0
    script.be_late()
    script.match.act(seat, turn, Index(0), script.now + 1)
    script.now += 2


def _illegal(script: Script) -> int:
    legal = script.match.state.legal_actions()
    return next(action for action in range(1 << 16) if _readable(script, action) and action not in legal)


def _readable(script: Script, action: int) -> bool:
    text = script.match.game.text
    try:
        return text.parse_action(text.action(action)) == action
    except Exception:  # noqa: BLE001 - any number is tried, most name no action
        return False


def _header(
    game: str, name: str, time_control: TimeControl | None = None, penalties: Penalties | None = None
) -> Setup:
    short = None if name == "plain" else SHORT.get(game)
    return _named(setup(game=game, options=short, time_control=time_control, penalties=penalties), name)


def _named(header: Setup, name: str) -> Setup:
    """Gives each script an id of its own."""
    number = next(at for at, script in enumerate(ALL) if script.__name__ == name)
    return msgspec.structs.replace(header, match_id=f"{header.match_id[:-1]}{number}")

"""What a bot answers to what the referee says; knows no network and no clock."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, TypedDict

from referee.bot.practice import Practice
from referee.bot.telling import is_watched, print_rejected, result, say
from referee.bot.turn import Answer, Turn
from referee.v1 import event_pb2, fault_pb2, game_pb2
from referee.v1 import play_service_pb2 as play

PROTOCOL_VERSION = 1
ENTROPY_BYTES = 16
DEFAULT_INSTANCE = "default"

Choose: TypeAlias = Callable[[Turn], Answer]
ChooseBatch: TypeAlias = Callable[[list[Turn]], Sequence[Answer]]
EventWish: TypeAlias = Literal["with_turn", "at_once", "none"]

_DELIVERY = {
    "with_turn": play.EVENT_DELIVERY_WITH_TURN,
    "at_once": play.EVENT_DELIVERY_AT_ONCE,
    "none": play.EVENT_DELIVERY_NONE,
}
_ANOTHER_TRY = (fault_pb2.FAULT_KIND_ILLEGAL, fault_pb2.FAULT_KIND_MALFORMED)


def nothing() -> None:
    """Does nothing; the `on_start` of those who need none."""


def ignore(_: object) -> None:
    """Does nothing; the hook of those who do not care."""


class About(TypedDict, total=False):
    """What a bot may say about itself and wish to be told; the defaults stand in `Bot`."""

    version: str
    """Names the version; a new one begins a new rating line."""
    instance: str
    """Tells several processes of one bot apart; kept when the stream is opened again."""
    matches_at_once: int
    """Counts the matches to play at once, 1..256."""
    events: EventWish
    """Says when to hear what others did: in `turn.events`, at once by `on_event`, or not at all."""
    legal_actions: bool
    """Says that turns list the legal actions."""
    on_start: Callable[[], None]
    """Runs once, before the bot connects: the place to load what takes long."""
    on_match: Callable[[play.MatchStarted], None]
    """Runs before the bot says that it is ready for a match; no clock of a turn runs yet."""
    on_event: Callable[[event_pb2.Event], None]
    """Hears each event, with `events="at_once"`."""
    on_rejected: Callable[[play.Rejected], None]
    """Hears of refused answers and of default actions; prints a line unless given."""
    on_deal_ended: Callable[[play.DealEnded], None]
    """Hears the result of each deal."""
    on_match_ended: Callable[[play.MatchEnded], None]
    """Hears the result of each match."""
    practice: str
    """Names the level of house bots (`easy`, `normal`, `expert`) to play one unrated match of each game
    against, and nothing else."""
    verbose: bool
    """Tells on stderr of each connection and of each match that ended; on a terminal unless given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bot:
    """A bot as the kit keeps it; see `About` for the fields."""

    choose_batch: ChooseBatch
    games: Sequence[str]
    version: str = "1"
    instance: str = DEFAULT_INSTANCE
    matches_at_once: int = 1
    events: EventWish = "with_turn"
    legal_actions: bool = True
    on_start: Callable[[], None] = nothing
    on_match: Callable[[play.MatchStarted], None] = ignore
    on_event: Callable[[event_pb2.Event], None] = ignore
    on_rejected: Callable[[play.Rejected], None] = print_rejected
    on_deal_ended: Callable[[play.DealEnded], None] = ignore
    on_match_ended: Callable[[play.MatchEnded], None] = ignore
    practice: str = ""
    verbose: bool = field(default_factory=is_watched)


def one_by_one(choose: Choose) -> ChooseBatch:
    """Returns a `choose_batch` that asks `choose` about each turn."""

    def choose_batch(turns: list[Turn]) -> list[Answer]:
        answers: list[Answer] = []
        for turn in turns:
            try:
                answers.append(choose(turn))
            except Exception as error:
                error.add_note(f"bot: choose failed at {turn!r}")
                raise
        return answers

    return choose_batch


class Session:
    """The bot's side of one stream.

    Attributes:
        welcome: what the referee answered to `Hello`; None before.
        goodbye: why the referee ends the stream; None before.
    """

    def __init__(self, bot: Bot, practice: Practice | None = None) -> None:
        self.welcome: play.Welcome | None = None
        self.goodbye: play.Goodbye | None = None
        self._bot = bot
        self._practice = practice or Practice(bot.practice, bot.games)
        self._practice.new_stream()
        self._matches: dict[str, play.MatchStarted] = {}
        self._open: dict[str, Turn] = {}
        self._turns: list[Turn] = []
        self._given_up: list[Turn] = []
        self._new: list[play.MatchStarted] = []
        self._pongs: list[int] = []
        self._handlers: dict[str | None, Callable[[play.PlayResponseFrame], None]] = {
            "turn": lambda frame: self._on_turn(frame.turn),
            "event": lambda frame: bot.on_event(frame.event),
            "rejected": lambda frame: self._on_rejected(frame.rejected),
            "match_started": lambda frame: self._on_match_started(frame.match_started),
            "match_ended": lambda frame: self._on_match_ended(frame.match_ended),
            "deal_ended": lambda frame: bot.on_deal_ended(frame.deal_ended),
            "ping": lambda frame: self._pongs.append(frame.ping.ping_id),
            "welcome": lambda frame: setattr(self, "welcome", frame.welcome),
            "goodbye": lambda frame: setattr(self, "goodbye", frame.goodbye),
            "practice_refused": lambda frame: self._practice.refuse(frame.practice_refused),
        }

    def hello(self) -> play.PlayRequest:
        """Returns the first message of a stream."""
        hello = play.Hello(
            protocol_version=PROTOCOL_VERSION,
            bot_version=self._bot.version,
            instance_id=self._instance_id(),
            games=self._bot.games,
            matches_at_once=self._bot.matches_at_once,
            event_delivery=_DELIVERY[self._bot.events],
            omit_legal_actions=not self._bot.legal_actions,
            practice_only=bool(self._bot.practice),
        )
        return play.PlayRequest(frames=[play.PlayRequestFrame(hello=hello)])

    def _instance_id(self) -> str:
        """Returns the instance, by default another one than that of the bot which plays meanwhile."""
        practises = self._bot.practice and self._bot.instance == DEFAULT_INSTANCE
        return "practice" if practises else self._bot.instance

    def leave(self) -> play.PlayRequest:
        """Returns the message that asks for no new matches."""
        return play.PlayRequest(frames=[play.PlayRequestFrame(leave=play.Leave())])

    def receive(self, response: play.PlayResponse) -> Iterator[play.PlayRequest]:
        """Yields what to send, each to be sent before the next is asked for.

        All turns of one message are answered in one message. Hooks for new matches run after that,
        each before the `Ready` of its match, so that a slow one delays no answer at hand.
        """
        for frame in response.frames:
            handler = self._handlers.get(frame.WhichOneof("frame"))
            if handler is not None:
                handler(frame)
        if self._turns or self._given_up or self._pongs:
            yield self._answers()
        new, self._new = self._new, []
        for started in new:
            self._bot.on_match(started)
            yield _ready(started)
        if self.welcome and (wish := self._practice.request()):
            yield wish

    def _answers(self) -> play.PlayRequest:
        request = play.PlayRequest()
        for ping_id in self._pongs:
            request.frames.add().pong.ping_id = ping_id
        turns, given_up = self._turns, self._given_up
        self._turns, self._given_up, self._pongs = [], [], []
        answers = self._bot.choose_batch(turns) if turns else ()
        if len(answers) != len(turns):
            raise ValueError(f"choose_batch returned {len(answers)} answers for {len(turns)} turns")
        for turn, answer in zip(turns, answers, strict=True):
            _answer(request.frames.add().act, turn, answer)
        for turn in given_up:
            _answer(request.frames.add().act, turn, 0)
        return request

    def _on_turn(self, message: play.Turn) -> None:
        match_id = message.match_id
        started = self._matches.get(match_id) or play.MatchStarted(match_id=match_id)
        turn = self._open[match_id] = Turn(message, started)
        self._turns.append(turn)

    def _on_match_started(self, started: play.MatchStarted) -> None:
        self._practice.started()
        self._matches[started.match_id] = started
        self._new.append(started)

    def _on_match_ended(self, ended: play.MatchEnded) -> None:
        started = self._matches.pop(ended.match_id, None)
        self._open.pop(ended.match_id, None)
        self._practice.ended()
        if self._bot.verbose:
            say(result(ended, None if started is None else started.seat))
        self._bot.on_match_ended(ended)

    def _on_rejected(self, rejected: play.Rejected) -> None:
        """Asks once more about a turn that is still open; the next refusal gets the first action."""
        self._bot.on_rejected(rejected)
        turn = self._open.get(rejected.match_id)
        if turn is None or rejected.fault not in _ANOTHER_TRY or rejected.HasField("played_action"):
            return
        if not turn.turn_id == rejected.turn_id == rejected.answered_turn_id:
            return
        first_refusal = turn.rejected is None
        turn.rejected = rejected
        (self._turns if first_refusal else self._given_up).append(turn)


def _ready(started: play.MatchStarted) -> play.PlayRequest:
    ready = play.Ready(match_id=started.match_id, entropy=os.urandom(ENTROPY_BYTES))
    return play.PlayRequest(frames=[play.PlayRequestFrame(ready=ready)])


def _answer(act: play.Act, turn: Turn, answer: Answer) -> None:
    act.match_id = turn.message.match_id
    act.turn_id = turn.message.turn_id
    try:
        if isinstance(answer, game_pb2.Action):
            act.action.CopyFrom(answer)
        elif isinstance(answer, str):
            act.text = answer
        else:
            act.index = answer
    except TypeError:
        wish = "return an action, its index or its text"
        raise TypeError(f"{answer!r} is no answer to {turn!r}; {wish}") from None
    except ValueError as error:  # a lone surrogate in a text, an index of more than 32 bits
        raise ValueError(f"{answer!r} is no answer to {turn!r}: {error}") from None

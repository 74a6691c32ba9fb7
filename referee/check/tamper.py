"""What a scenario alters on the way between the bot and the referee."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from referee.v1 import fault_pb2
from referee.v1 import play_service_pb2 as pb
from referee.v1.game_pb2 import Action

if TYPE_CHECKING:
    from referee.check.passage import Passage

_UNKNOWN_FIELD: Final = b"\xc2\x3e\x05later\xc8\x3e\x07"
"""Field 1000 with a text and field 1001 with a number, which no message of `referee.v1` has."""
_UNKNOWN_ARM: Final = b"\xca\x3e\x02\x08\x01"
"""Field 1001 with a message, as an arm of a frame that is not known yet."""
_UNKNOWN_FAULT: Final = b"\x20\xe7\x07"
"""`Rejected.fault` with the value 999."""
_TILES: Final = [16 * low + high for low in range(7) for high in range(low, 7)]
_DING_NIU_TILES: Final = [0x11, 0x13, 0x15, 0x16, 0x22, 0x26, 0x33, 0x36, 0x44, 0x46, 0x55, 0x56, 0x66]
_REFUSED: Final = {1: ("illegal",), 2: ("malformed",), 3: ("illegal", "malformed")}
"""By turn how its answers are spoiled, one after the other."""
_PLAY: Final = 1
"""The kind of action that is a play, in all games whose actions have a kind."""


class Tamper:
    """Passes everything on as it is, but for the entropy of `Ready`: deals have to be the same each time.

    What a scenario alters, a subclass overrides. `gather` is how long turns wait to be told together,
    in seconds.
    """

    gather = 0.0

    async def to_bot(self, passage: "Passage", frame: pb.PlayResponseFrame) -> Sequence[pb.PlayResponseFrame]:
        """Returns what the bot is told instead of a frame."""
        del passage
        return (frame,)

    async def to_referee(
        self, passage: "Passage", frame: pb.PlayRequestFrame
    ) -> Sequence[pb.PlayRequestFrame]:
        """Returns what the referee is told instead of a frame."""
        del passage
        if frame.WhichOneof("frame") == "ready":
            return (pb.PlayRequestFrame(ready=pb.Ready(match_id=frame.ready.match_id)),)
        return (frame,)

    def complaint(self, refusals: Sequence[pb.Rejected]) -> str:
        """Says what was wrong with the answers to a turn that was spoiled; nothing while that is as wished.

        `refusals` is all that the bot was refused at this turn, in order.
        """
        del refusals
        return ""


class Gather(Tamper):
    """Has turns of several matches told together."""

    gather = 0.02


class Refuse(Tamper):
    """Swaps answers for others that the referee refuses: at turns 1 and 2 once, at turn 3 twice."""

    def __init__(self) -> None:
        self._left = {turn_id: list(kinds) for turn_id, kinds in _REFUSED.items()}

    def complaint(self, refusals: Sequence[pb.Rejected]) -> str:
        """Says that a turn was not answered again, or not legally."""
        last = refusals[-1]
        if last.fault == fault_pb2.FAULT_KIND_LATE:
            return "it was not answered again after it was refused"
        if len(refusals) > len(_REFUSED.get(last.answered_turn_id, ())):
            return f"it was refused, and answered again with no legal action: {last.reason}"
        return ""

    async def to_referee(
        self, passage: "Passage", frame: pb.PlayRequestFrame
    ) -> Sequence[pb.PlayRequestFrame]:
        """Swaps the answers that are due."""
        act = frame.act
        left = self._left.get(act.turn_id) if frame.WhichOneof("frame") == "act" else None
        question = passage.journal.question(act.match_id, act.turn_id) if left else None
        if not left or question is None:
            return await super().to_referee(passage, frame)
        passage.journal.spared.add((act.match_id, act.turn_id))
        swapped = pb.Act(match_id=act.match_id, turn_id=act.turn_id)
        if left.pop(0) == "illegal":
            swapped.action.CopyFrom(not_held(question.turn))
        return (pb.PlayRequestFrame(act=swapped),)


class Overdue(Tamper):
    """Holds the answer to one turn back until the turn is over, and hands it on then."""

    def __init__(self, turn_id: int) -> None:
        self._turn_id = turn_id
        self._held: pb.PlayRequestFrame | None = None

    async def to_referee(
        self, passage: "Passage", frame: pb.PlayRequestFrame
    ) -> Sequence[pb.PlayRequestFrame]:
        """Holds the first answer back."""
        act = frame.act
        named = act.match_id, act.turn_id
        mine = frame.WhichOneof("frame") == "act" and act.turn_id == self._turn_id
        if not mine or named in passage.journal.spared:
            return await super().to_referee(passage, frame)
        passage.journal.spared.add(named)
        self._held = frame
        return ()

    async def to_bot(self, passage: "Passage", frame: pb.PlayResponseFrame) -> Sequence[pb.PlayResponseFrame]:
        """Hands the answer on as soon as it is late."""
        late = frame.rejected.fault == fault_pb2.FAULT_KIND_LATE
        if frame.WhichOneof("frame") == "rejected" and late and self._held:
            held, self._held = self._held, None
            await passage.pass_up([held])
        return (frame,)


class Mishap(Tamper):
    """Something that happens once, in one turn; `happened` says whether it has."""

    happened = False


class Lose(Mishap):
    """Ends the stream in the middle of a turn: once it is told, or when it is answered.

    The answer is lost either way.
    """

    def __init__(self, turn_id: int, *, answered: bool) -> None:
        self._turn_id = turn_id
        self._answered = answered

    async def to_bot(self, passage: "Passage", frame: pb.PlayResponseFrame) -> Sequence[pb.PlayResponseFrame]:
        """Ends the stream behind the turn."""
        mine = frame.WhichOneof("frame") == "turn" and frame.turn.turn_id == self._turn_id
        if mine and not self.happened and not self._answered:
            self.happened = True
            passage.cut_after_this()
        return (frame,)

    async def to_referee(
        self, passage: "Passage", frame: pb.PlayRequestFrame
    ) -> Sequence[pb.PlayRequestFrame]:
        """Ends the stream instead of handing the answer on."""
        mine = frame.WhichOneof("frame") == "act" and frame.act.turn_id == self._turn_id
        if mine and not self.happened and self._answered:
            self.happened = True
            passage.cut()
            return ()
        return await super().to_referee(passage, frame)


class LoseReady(Mishap):
    """Ends the stream instead of handing the first `Ready` on, which is lost."""

    async def to_referee(
        self, passage: "Passage", frame: pb.PlayRequestFrame
    ) -> Sequence[pb.PlayRequestFrame]:
        """Ends the stream once."""
        if frame.WhichOneof("frame") == "ready" and not self.happened:
            self.happened = True
            passage.cut()
            return ()
        return await super().to_referee(passage, frame)


class Newer(Tamper):
    """Speaks as a later version of the contract may: with more fields, more frames, more values.

    With every turn comes a frame that nobody knows yet, of `padding` bytes. The first answer to turn
    `REFUSED` is accepted, but told to be refused for a fault that nobody knows yet.
    """

    REFUSED: Final = 2

    def __init__(self, padding: int = 0) -> None:
        self._padding = padding
        self._refused: set[str] = set()

    async def to_referee(
        self, passage: "Passage", frame: pb.PlayRequestFrame
    ) -> Sequence[pb.PlayRequestFrame]:
        """Tells of an unknown fault, which wants no answer."""
        act = frame.act
        mine = frame.WhichOneof("frame") == "act" and act.turn_id == self.REFUSED
        if mine and act.match_id not in self._refused:
            self._refused.add(act.match_id)
            refusal = pb.Rejected(match_id=act.match_id, turn_id=act.turn_id, answered_turn_id=act.turn_id)
            refusal.MergeFromString(_UNKNOWN_FAULT)
            refusal.reason = "a fault of a later version"
            await passage.tell(pb.PlayResponseFrame(rejected=refusal))
        return await super().to_referee(passage, frame)

    async def to_bot(self, passage: "Passage", frame: pb.PlayResponseFrame) -> Sequence[pb.PlayResponseFrame]:
        """Adds what is not known yet."""
        del passage
        arm = frame.WhichOneof("frame")
        if arm is None:
            return (frame,)
        newer = pb.PlayResponseFrame()
        newer.CopyFrom(frame)
        message = getattr(newer, arm)
        message.MergeFromString(_UNKNOWN_FIELD)
        if arm == "turn":
            message.clock.MergeFromString(_UNKNOWN_FIELD)
            message.observation.MergeFromString(_UNKNOWN_FIELD)
        if arm == "match_started":
            message.options.add(option="later", value="true")
        unknown = pb.PlayResponseFrame.FromString(_UNKNOWN_ARM)
        if arm == "turn" and self._padding:
            unknown.MergeFromString(_field(1002, bytes(self._padding)))
        return (unknown, newer, pb.PlayResponseFrame.FromString(b""))


class Silence(Mishap):
    """Tells the bot nothing at all for so many seconds, before one of its turns; `over` says that it did."""

    def __init__(self, turn_id: int, seconds: float) -> None:
        self.over = False
        self._turn_id = turn_id
        self._seconds = seconds

    async def to_bot(self, passage: "Passage", frame: pb.PlayResponseFrame) -> Sequence[pb.PlayResponseFrame]:
        """Holds a turn, and all that comes behind it."""
        mine = frame.WhichOneof("frame") == "turn" and frame.turn.turn_id == self._turn_id
        if mine and not self.happened:
            self.happened = True
            passage.journal.stir()
            await asyncio.sleep(self._seconds)
            self.over = True
        return (frame,)


def not_held(turn: pb.Turn) -> Action:
    """Returns a play of a tile or card that is not in the hand which a turn shows."""
    game = turn.observation.WhichOneof("game") or ""
    hand = getattr(turn.observation, game).private
    action = Action()
    named = getattr(action, game)
    if game != "block_dominoes":
        named.kind = _PLAY
    if game == "guan_pai":
        named.cards.append(next(card for card in range(52) if card not in hand.hand_cards))
    else:
        tiles = _DING_NIU_TILES if game == "ding_niu" else _TILES
        named.tile = next(tile for tile in tiles if tile not in hand.hand_tiles)
    return action


def _field(number: int, content: bytes) -> bytes:
    """Returns a field of protobuf with bytes."""
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    low, rest = value & 127, value >> 7
    return bytes([low | 128]) + _varint(rest) if rest else bytes([low])

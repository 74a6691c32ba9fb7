"""Sin: breaks in one situation that an ordinary match does not bring, see `--sin`; decent apart from it."""

import os
import signal
import threading
import time
from typing import Any

import raw

from referee.v1 import fault_pb2
from referee.v1 import play_service_pb2 as play

SINS = {
    "sulks": "leaves a turn alone once an answer to it was refused",
    "insists": "answers a turn again that was over when its answer came",
    "deserts": "does not come back after a lost stream",
    "changes": "comes back as another instance",
    "chokes": "fails at a frame or a field that it does not know",
    "narrow": "takes no message of more than 64 KiB",
    "hammers": "comes back at once, and again and again",
    "restless": "gives its stream up when it was told nothing for 2 s",
    "haunts": "comes back after another stream took over",
    "overlooks": "answers only the last turn of a message",
    "mute": "says nothing where only one action is legal",
    "abrupt": "ends on SIGTERM at once, in the middle of a match",
    "generous": "gives 100 bytes of entropy, where 64 are allowed",
    "forges": "shows a wrong token, and comes back with it",
    "boasts": "says that it plays 100000 matches at a time",
    "foreign": "plays a game that no referee has",
    "practises": "asks for practice only",
    "renames": "comes back as another version",
    "unready": "says no Ready to a match that is told again",
    "repeats": "answers again after a refusal for a fault that it does not know",
    "sour": "ends with status 3 after it has left",
}
SILENCE = 2.0
"""Seconds after which a restless bot gives up."""
NARROW = (("grpc.max_receive_message_length", 64 * 1024),)
UNUSUAL: dict[str, dict[str, Any]] = {
    "boasts": {"matches_at_once": 100000},
    "foreign": {"games": ["chess"]},
    "practises": {"practice_only": True},
}
"""What a Hello says that is a sin."""
KNOWN = frozenset(fault_pb2.FaultKind.values())
TAKEN_OVER = play.GOODBYE_REASON_TAKEN_OVER


class Brittle(raw.Bot):
    """Comes back after a lost stream, leaves on SIGTERM, and does all that as `sin` has it."""

    sin = ""
    stream: raw.Stream
    heard = 0.0
    leaving = False

    def hear(self, stream: raw.Stream, frame: play.PlayResponseFrame) -> None:
        """Answers one frame, or not."""
        arm = frame.WhichOneof("frame")
        self.heard = time.monotonic()
        if self.sin == "chokes" and (arm is None or b"later" in frame.SerializeToString()):
            raise RuntimeError("a frame that I do not know")
        if self.sin == "mute" and arm == "turn" and len(frame.turn.legal_actions) == 1:
            return
        if arm == "rejected" and self.sin == "sulks":
            return
        if arm == "rejected" and self.sin == "insists" and frame.rejected.fault == fault_pb2.FAULT_KIND_LATE:
            named = play.Turn(match_id=frame.rejected.match_id, turn_id=frame.rejected.answered_turn_id)
            stream.act(named)
            return
        if arm == "rejected" and frame.rejected.fault not in KNOWN and self.sin != "repeats":
            return
        if self.sin == "unready" and frame.match_started.resumed:
            return
        if arm == "match_started" and self.sin == "generous":
            stream.send(ready=play.Ready(match_id=frame.match_started.match_id, entropy=os.urandom(100)))
            return
        super().hear(stream, frame)
        if self.sin == "haunts" and arm == "goodbye" and frame.goodbye.reason == TAKEN_OVER:
            self.over = False

    def live(self) -> None:
        """Plays over one stream after the other."""
        instance, version, pause = "brittle", "1", 0.2
        while not self.over:
            options = NARROW if self.sin == "narrow" else ()
            self.stream = stream = raw.Stream(
                self.options, options, instance_id=instance, bot_version=version, **self.wishes()
            )
            self.heard = time.monotonic()
            for response in stream.responses():
                self.hear_all(stream, response)
            if self.sin == "deserts":
                time.sleep(3600)
            if self.sin == "changes":
                instance = os.urandom(8).hex()
            if self.sin == "renames":
                version = "2"
            time.sleep(0.0 if self.sin == "hammers" else pause)
            pause *= 2

    def hear_all(self, stream: raw.Stream, response: play.PlayResponse) -> None:
        """Answers all frames of a message, or of its turns only the last."""
        turns = [frame for frame in response.frames if frame.HasField("turn")]
        for frame in response.frames:
            if self.sin != "overlooks" or frame not in turns[:-1]:
                self.hear(stream, frame)

    def wishes(self) -> dict[str, Any]:
        """Returns what it says in Hello besides."""
        wishes = {"event_delivery": play.EVENT_DELIVERY_NONE, "matches_at_once": 8}
        return wishes | UNUSUAL.get(self.sin, {})

    def leave(self, _number: int, _frame: object) -> None:
        """Asks for no new matches."""
        if self.sin == "abrupt":
            os._exit(0)
        self.stream.send(leave=play.Leave())

    def watch(self) -> None:
        """Gives up a stream on which nothing was heard for long."""
        while True:
            time.sleep(SILENCE / 4)
            if time.monotonic() - self.heard > SILENCE:
                self.stream.drop()


def decent(stream: raw.Stream, turn: play.Turn) -> None:
    """Answers legally."""
    stream.act(turn)


if __name__ == "__main__":
    options = raw.parser(__doc__)
    options.add_argument("--sin", choices=SINS, default="sulks", help="; ".join(map(": ".join, SINS.items())))
    given = options.parse_args()
    if given.sin == "forges":
        given.token = given.sin  # which is no token of anybody
    bot = Brittle(given, decent)
    bot.sin = given.sin
    signal.signal(signal.SIGTERM, bot.leave)
    if given.sin == "restless":
        threading.Thread(target=bot.watch, daemon=True).start()
    bot.live()
    os._exit(3 if given.sin == "sour" else 0)

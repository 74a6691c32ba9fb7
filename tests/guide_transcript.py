"""The transcript of the guide: one seat's stream of a short match against the real server, as text.

`python -m tests.guide_transcript` writes it anew into the page, frame by frame, under the same notes.
"""

import asyncio
import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from referee.match.config import TimeControl
from referee.v1 import play_service_pb2 as pb
from tests.server.client import Client, frame, room, until

Frame: TypeAlias = pb.PlayRequestFrame | pb.PlayResponseFrame

PAGE: Final = Path(__file__).parents[1] / "docs" / "protocol-transcript.md"
BLOCK: Final = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SEATS: Final = "abcd"
"""The bots, one for each letter."""
OWN: Final = "b"
"""The one whose stream is told."""
SEED: Final = 31
"""Makes a match of one short deal."""
TURNS: Final = 3
"""The questions to that bot."""
WIDTH: Final = 100
REFUSED: Final = 2
"""The turn whose first answer is refused."""
STANDS_FOR: Final = {
    "match_id": "0199a3c4-61f2-7c35-8d0e-2f6b5a914e07",
    "server_id": "0199a3c1-0f6a-7be2-9c41-7d2f3a60b815",
    "bot_id": "0199a3c0-77d1-7a90-b3e8-51c4d09e6f2",
}
"""What is told in place of ids that are new every time; those of bots end with the seat."""


class Recorder(Client):
    """A bot that notes all that is said, the first ping too."""

    def __init__(self, *about: Any, **hello: Any) -> None:
        self.said: list[Frame] = []
        super().__init__(*about, auto=False, **hello)

    async def send(self, *frames: pb.PlayRequestFrame) -> None:
        """Sends frames, and notes them."""
        self.said += frames
        await super().send(*frames)

    def arms(self) -> list[str | None]:
        """Returns what was said, in order."""
        return [each.WhichOneof("frame") for each in self.said]

    def _take(self, got: pb.PlayResponseFrame) -> list[pb.PlayRequestFrame]:
        if got.HasField("ping") and "ping" in self.arms():
            return []  # they come once a second; one is enough to see
        self.said.append(got)
        return super()._take(got)


async def stream(data: Path) -> list[Frame]:
    """Plays the match and returns all frames of one seat."""
    async with room(data, time_control=TimeControl()) as hall:
        await hall.bots(SEATS.replace(OWN, ""))
        hall.tokens[OWN] = hall.arena.add_guest(OWN, owner=OWN)
        own = Recorder(hall.address, hall.tokens[OWN], instance_id="one")
        hall.clients.append(own)
        await own.hello()
        await until(lambda: "pong" in own.arms())
        playing = hall.play(SEATS, options={"target": 1}, seed=SEED)
        started = await own.expect("match_started")
        await own.send(frame(ready=pb.Ready(match_id=started.match_id, entropy=bytes(range(16)))))
        for _ in range(TURNS):
            await answer(own, await own.expect("turn"))
        await own.expect("match_ended")
        await playing
        await own.send(frame(leave=pb.Leave()))
        await own.expect("goodbye")
        await own.status()
        return own.said


async def answer(own: Recorder, turn: pb.Turn) -> None:
    """Answers a turn: by the action, but once with the tile that it has played before, and then by index."""
    fields: dict[str, Any] = {"match_id": turn.match_id, "turn_id": turn.turn_id}
    if turn.turn_id == REFUSED:
        played = own.all("turn")[0].legal_actions[0]
        await own.send(frame(act=pb.Act(**fields, action=played)))
        await own.expect("rejected")
        await own.send(frame(act=pb.Act(**fields, index=0)))
    else:
        await own.send(frame(act=pb.Act(**fields, action=turn.legal_actions[0])))


def lines(message: Message, indent: str) -> Iterator[str]:
    """Yields a message as text: a line for each field, or for what is in one that is too long for that."""
    for field, value in message.ListFields():
        if field.message_type is None:
            yield f"{indent}{field.name}: {scalar(field, value)}"
            continue
        for each in value if field.is_repeated else [value]:
            inner = [*lines(each, "")]
            line = f"{indent}{field.name} {{ {' '.join(inner)} }}" if inner else f"{indent}{field.name} {{}}"
            if len(line) <= WIDTH:
                yield line
            else:
                yield f"{indent}{field.name} {{"
                yield from lines(each, indent + "  ")
                yield f"{indent}}}"


def scalar(field: FieldDescriptor, value: Any) -> str:
    """Returns the value of a field as text: bytes in hexadecimal, all of a repeated field as one list."""
    if field.is_repeated:
        return f"[{', '.join(single(field, each) for each in value)}]"
    return single(field, value)


def single(field: FieldDescriptor, value: Any) -> str:
    """Returns one value as text."""
    if isinstance(value, bytes):
        return f'"{value.hex()}"'
    if field.enum_type is not None:
        return field.enum_type.values_by_number[value].name
    return json.dumps(value)


def told(said: Sequence[Frame]) -> list[str]:
    """Returns each frame as text, with what is new every time made what it stands for."""
    names: dict[str, str] = {}
    for each in said:
        steady(each, names)
    whose = ["bot" if isinstance(each, pb.PlayRequestFrame) else "referee" for each in said]
    texts = ["\n".join([f"{who} says", *lines(each, "  ")]) for who, each in zip(whose, said, strict=True)]
    return [plain(text, names) for text in texts]


def steady(message: Message, names: dict[str, str]) -> None:
    """Collects ids that are new every time, and fixes the one time that depends on the machine."""
    for field, value in message.ListFields():
        if field.name in STANDS_FOR and value:
            stands = STANDS_FOR[field.name]
            number = getattr(message, "seat", SEATS.index(OWN)) if field.name == "bot_id" else ""
            names.setdefault(value, f"{stands}{number}")
        elif field.message_type is not None:
            for each in value if field.is_repeated else [value]:
                steady(each, names)
    if isinstance(message, pb.Rejected):
        assert message.remaining_duration.ToSeconds() <= 65  # it is part of the 5 s and the 60 s
        message.remaining_duration.FromMilliseconds(64_998)


def plain(text: str, names: dict[str, str]) -> str:
    """Returns a text with every id replaced."""
    for found, stands in names.items():
        text = text.replace(found, stands)
    return text


def frames() -> list[str]:
    """Plays the match and returns the text of each frame."""
    with tempfile.TemporaryDirectory() as folder:
        return told(asyncio.run(stream(Path(folder))))


def blocks(page: str) -> list[list[str]]:
    """Returns the frames that stand in each block of a page."""
    return [
        re.split(r"\n(?=\w+ says$)", block.rstrip("\n"), flags=re.MULTILINE) for block in BLOCK.findall(page)
    ]


def main() -> None:
    """Writes the frames into the blocks of the page, as many into each as there are in it."""
    page, found = PAGE.read_text(encoding="utf-8"), frames()
    counts = iter([len(block) for block in blocks(page)])
    rest = iter(found)

    def fill(_: re.Match[str]) -> str:
        return "```text\n" + "\n".join([next(rest) for _ in range(next(counts))]) + "\n```"

    written = BLOCK.sub(fill, page)
    assert not list(rest), "the page has room for fewer frames than there are"
    PAGE.write_text(written, encoding="utf-8")


if __name__ == "__main__":
    main()

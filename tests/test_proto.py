"""What the messages to bots and spectators can hold at all."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor, FileDescriptor

from referee.games import names
from referee.v1 import game_pb2
from referee.v1.admin_service_pb2 import DESCRIPTOR as ADMIN
from referee.v1.arena_service_pb2 import DESCRIPTOR as ARENA
from referee.v1.arena_service_pb2 import WatchMatchResponse
from referee.v1.play_service_pb2 import DESCRIPTOR as PLAY
from referee.v1.play_service_pb2 import PlayResponse
from referee.v1.replay_service_pb2 import DESCRIPTOR as REPLAY
from referee.v1.standings_service_pb2 import DESCRIPTOR as STANDINGS

ALLOWED = Path(__file__).parent / "wire_fields.txt"
PACKAGE = "referee.v1."
DESCRIPTORS = {
    name: message
    for file in (game_pb2.DESCRIPTOR, *game_pb2.DESCRIPTOR.dependencies)
    for name, message in file.message_types_by_name.items()
}
"""The messages of all games by name."""
TAGS = {"public", "own", "deal_end", "match_end"}


def allowed() -> dict[str, set[str]]:
    """Returns the tags of every field of the allow-list, by `Message.field`."""
    lines = ALLOWED.read_text(encoding="utf-8").splitlines()
    pairs = (line.split(":") for line in lines if not line.startswith("#"))
    return {name: set(tags.split()) for name, tags in pairs}


def reachable(message: Descriptor, seen: set[str] | None = None) -> Iterator[FieldDescriptor]:
    """Yields every field that a message can hold, at any depth."""
    seen = set() if seen is None else seen
    if message.full_name in seen or not message.full_name.startswith(PACKAGE):
        return
    seen.add(message.full_name)
    for field in message.fields:
        yield field
        if field.message_type is not None:
            yield from reachable(field.message_type, seen)


def name_of(field: FieldDescriptor) -> str:
    """Returns `Message.field` without the package."""
    return field.full_name.removeprefix(PACKAGE)


def holders(message: str) -> set[str]:
    """Returns the fields to bots and spectators whose type is the message."""
    roots = (PlayResponse.DESCRIPTOR, WatchMatchResponse.DESCRIPTOR)
    fields = (field for root in roots for field in reachable(root))
    return {name_of(f) for f in fields if f.message_type and f.message_type.name == message}


def test_l11_every_field_to_a_bot_or_spectator_is_allowed_by_name() -> None:
    """A field that nobody gave a tag of visibility fails the build, and so does a tag without a field."""
    roots = (PlayResponse.DESCRIPTOR, WatchMatchResponse.DESCRIPTOR)

    assert {name_of(field) for root in roots for field in reachable(root)} == allowed().keys()


def test_l11_every_tag_is_one_of_the_four() -> None:
    """The allow-list says of each field who may know it, in known words."""
    assert {name: tags for name, tags in allowed().items() if not tags or not tags <= TAGS} == {}


def test_l11_the_secret_of_the_deals_comes_with_the_end_only() -> None:
    """`Reveal` hangs on the last message of a match and on nothing else."""
    assert holders("Reveal") == {"MatchEnded.reveal", "WatchEnded.reveal"}


@pytest.mark.parametrize("game", names())
def test_l11_a_hand_comes_as_ones_own_or_after_the_deal(game: str) -> None:
    """A private part is the seat's own, or one of all hands at the end of a deal."""
    prefix = message_prefix(game)
    assert holders(f"{prefix}Private") == {f"{prefix}Observation.private", f"{prefix}DealEnd.hands"}


@pytest.mark.parametrize("game", names())
def test_l11_what_all_are_told_has_no_place_for_a_hand(game: str) -> None:
    """Neither the public part of an observation nor an event can hold a private part."""
    prefix = message_prefix(game)
    types = {
        field.message_type.name
        for part in ("Public", "Event")
        for field in reachable(DESCRIPTORS[f"{prefix}{part}"])
        if field.message_type
    }
    assert f"{prefix}Private" not in types


def message_prefix(game: str) -> str:
    """Returns what the names of a game's messages begin with."""
    return "".join(word.title() for word in game.split("_"))


def test_l11_only_known_bytes_reach_a_bot_or_spectator() -> None:
    """Nothing opaque can carry a state: raw bytes are the commitment and what opens it."""
    roots = (PlayResponse.DESCRIPTOR, WatchMatchResponse.DESCRIPTOR)
    fields = [field for root in roots for field in reachable(root)]
    opaque = {name_of(field) for field in fields if field.type == FieldDescriptor.TYPE_BYTES}
    foreign = {field.message_type.full_name for field in fields if field.message_type}

    assert opaque == {"MatchStarted.commitment", "Reveal.secret", "Reveal.contributions"}
    assert {name for name in foreign if not name.startswith(PACKAGE)} == {
        "google.protobuf.Duration",
        "google.protobuf.Timestamp",
    }


def test_l9_a_spectator_hears_nothing_that_is_a_seats_own() -> None:
    """What is a seat's own is unset by contract: the private part, and two tiles that nobody else saw."""
    tags = allowed()
    own = {name_of(f) for f in reachable(WatchMatchResponse.DESCRIPTOR) if tags[name_of(f)] == {"own"}}

    private = {f"{message_prefix(game)}Observation.private" for game in names()}
    drawn = {"MexicanTrainPrivate.drawn_tile", "MexicanTrainDrew.tile"}
    assert own == private | drawn | {"DingNiuDiscarded.tile"}


def test_l12_a_pass_says_no_more_than_that_it_happened() -> None:
    """A pass is public by rule; its message holds no field that could tell the hand."""
    known = [name_of(field) for field in reachable(PlayResponse.DESCRIPTOR)]

    assert {"BlockDominoesEvent.passed", "MexicanTrainEvent.passed"} <= set(known)
    assert [name for name in known if ".passed." in name or "Passed." in name] == []


@pytest.mark.parametrize("file", [ADMIN, ARENA, PLAY, REPLAY, STANDINGS], ids=lambda file: file.name)
def test_every_method_says_its_codes(file: FileDescriptor) -> None:
    """The comment of every RPC ends with the codes that it can answer."""
    source = Path(__file__).resolve().parent.parent / "proto" / file.name
    lines = [line.strip() for line in source.read_text(encoding="utf-8").splitlines()]
    for at, line in enumerate(lines):
        if line.startswith("rpc "):
            start = at
            while lines[start - 1].startswith("//"):
                start -= 1
            paragraph = "\n".join(lines[start:at]).split("\n//\n")[-1]
            assert paragraph.startswith("// Codes: "), line

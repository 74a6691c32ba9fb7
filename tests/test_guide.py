"""The guide to the contract leaves nothing out: messages, values that a client meets, languages."""

import re
from pathlib import Path

import pytest
from google.protobuf.descriptor import EnumDescriptor, FileDescriptor

from referee.bot_project.languages import Language, languages
from referee.v1.admin_service_pb2 import DESCRIPTOR as ADMIN
from referee.v1.arena_service_pb2 import DESCRIPTOR as ARENA
from referee.v1.fault_pb2 import FaultKind
from referee.v1.match_pb2 import Termination
from referee.v1.play_service_pb2 import DESCRIPTOR as PLAY
from referee.v1.play_service_pb2 import GoodbyeReason, PracticeRefusal
from referee.v1.replay_service_pb2 import DESCRIPTOR as REPLAY
from referee.v1.standings_service_pb2 import DESCRIPTOR as STANDINGS

GUIDE = (Path(__file__).parents[1] / "proto" / "README.md").read_text(encoding="utf-8")
ROOTS = (ADMIN, ARENA, PLAY, REPLAY, STANDINGS)


def files() -> dict[str, FileDescriptor]:
    """Returns all files of the contract by name."""
    found: dict[str, FileDescriptor] = {}
    left = list(ROOTS)
    while left:
        file = left.pop()
        if file.package == "referee.v1" and file.name not in found:
            found[file.name] = file
            left += file.dependencies
    return found


def test_no_file_is_left_out() -> None:
    """What follows looks at the whole contract."""
    folder = Path(__file__).parents[1] / "proto" / "referee" / "v1"

    assert {Path(name).name for name in files()} == {path.name for path in folder.glob("*.proto")}


def test_every_name_of_the_contract_stands_in_the_guide() -> None:
    """Each message, enum, service and method is named as code, with what it is for."""
    named = set(re.findall(r"`(\w+)`", GUIDE))
    names = set()
    for file in files().values():
        names |= {*file.message_types_by_name, *file.enum_types_by_name, *file.services_by_name}
        names |= {method for each in file.services_by_name.values() for method in each.methods_by_name}

    assert sorted(names - named) == []


@pytest.mark.parametrize(
    ("head", "enum"),
    [
        ("| fault |", FaultKind.DESCRIPTOR),
        ("| termination |", Termination.DESCRIPTOR),
        ("| reason |", GoodbyeReason.DESCRIPTOR),
        ("| refusal |", PracticeRefusal.DESCRIPTOR),
    ],
    ids=lambda given: given.name if isinstance(given, EnumDescriptor) else None,
)
def test_a_client_is_told_what_to_do(head: str, enum: EnumDescriptor) -> None:
    """Each value that a client may be told has a row, which ends with what to do then."""
    table = head + GUIDE.split(head)[1].split("\n\n")[0]
    advice = dict(re.findall(r"^\| `([A-Z_]+)` (?:\|.* )?\| ([^|]+) \|$", table, re.MULTILINE))
    kinds = {value.name.removeprefix(prefix(enum)) for value in enum.values if value.number}

    assert table.splitlines()[0].endswith("| what to do |")
    assert set(advice) == kinds


def prefix(enum: EnumDescriptor) -> str:
    """Returns what the names of all values of an enum begin with."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", enum.name).upper() + "_"


@pytest.mark.parametrize("language", languages(), ids=lambda language: language.name)
def test_the_guide_tells_how_code_is_generated_in_each_language(language: Language) -> None:
    """Whoever begins in a language finds it in the section about that."""
    title = language.title.split()[0]
    section = GUIDE.split("## Generating code")[1]

    assert re.search(rf"^(\*\*)?{re.escape(title)}(?!\w)", section, re.MULTILINE | re.IGNORECASE)

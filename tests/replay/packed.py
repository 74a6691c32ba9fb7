"""Finished logs on given days, for tests of packs, and a program that is killed over them."""

import os
import signal
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from referee.replay.packing import pack_days, unpack_days
from referee.replay.packs import open_log
from referee.replay.reader import scan
from referee.replay.signature import Signer
from referee.replay.writer import LogWriter
from tests.match.harness import SECRET
from tests.replay import scripts

DAY: Final = date(2026, 7, 28)
NEXT: Final = date(2026, 7, 29)
FOLDER: Final = f"replays/{DAY:%Y/%m/%d}"
_STEPS: Final = {"open", "os.rename", "os.remove", "os.utime"}


def match_id(number: int, day: date = DAY) -> str:
    """Returns the id of a match that began on a day."""
    millis = int(datetime(day.year, day.month, day.day, 12, tzinfo=UTC).timestamp() * 1000) + number
    return f"{millis >> 16:08x}-{millis & 0xFFFF:04x}-7000-8000-{number:012x}"


def write(root: Path, number: int, day: date = DAY, signer: Signer | None = None) -> Path:
    """Writes the log of a short match by the real writer and returns its path."""
    writer = begin(root, number, day, signer)
    for record in scripts.no_show("block_dominoes").records:
        writer.append(record)
    return writer.finish()


def begin(root: Path, number: int, day: date = DAY, signer: Signer | None = None) -> LogWriter:
    """Begins the log of a match that began on a day."""
    created = int(datetime(day.year, day.month, day.day, 12, tzinfo=UTC).timestamp()) * 1_000_000
    created += number * 1000
    header = msgspec.structs.replace(
        scripts.no_show("block_dominoes").header, match_id=match_id(number, day), created=created
    )
    return LogWriter.create(root, header, SECRET, signer)


def held(root: Path) -> dict[str, bytes]:
    """Returns all finished logs under a data root, as a reader finds them."""
    found = {}
    for path in scan(root):
        with open_log(path) as file:
            found[path.name] = file.read()
    return found


def moved(root: Path, work: str) -> list[str]:
    """Packs or unpacks all days before today and returns what went wrong."""
    every = pack_days(root, NEXT) if work == "pack" else unpack_days(root)
    return [one.problem for one in every if one.problem]


def die_at(count: int) -> None:
    """Kills this process before its step of that number that has to do with a file."""
    left = count

    def step(event: str, _: tuple[Any, ...]) -> None:
        nonlocal left
        if event in _STEPS:
            left -= 1
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(step)


def killed(root: Path, work: str, between: Callable[[], None]) -> int:
    """Does the work again and again, each time killed one step later, to its end; returns the kills."""
    kills = 0
    while True:
        child = os.fork()
        if not child:
            die_at(1 + kills)
            problems = moved(root, work)
            print(*problems, file=sys.stderr, flush=True)
            os._exit(len(problems))
        _, status = os.waitpid(child, 0)
        between()
        if not status:
            return kills
        assert os.WTERMSIG(status) == signal.SIGKILL
        kills += 1


def main(root: Path) -> None:
    """Packs, takes in a later log and unpacks, killed at every step; prints how often each time."""
    every = held(root)

    def whole() -> None:
        assert held(root) == every

    kills = [killed(root, "pack", whole)]
    write(root, 90)
    every.update(held(root))
    kills += [killed(root, "pack", whole), killed(root, "unpack", whole)]
    print(*kills)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""Packs: how much smaller a day becomes, and what reading it costs, beside the same day in files."""

import os
import random
import shutil
import tempfile
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

from benchmarks.matches import random_match, secret_of, setup_of
from referee import games
from referee.match.events import Record
from referee.match.machine import Match
from referee.replay.packing import pack_days, unpack_days
from referee.replay.packs import PACK
from referee.replay.reader import read, scan
from referee.replay.writer import LogWriter
from referee.store.store import Store

LOGS = 1_000
"""Of each game."""
READ = 100
_BLOCK = 512
_MIB = 1 << 20


def main() -> None:
    """Prints sizes and times for one day of logs of all games."""
    with tempfile.TemporaryDirectory() as folder:
        plain, packed = Path(folder) / "plain", Path(folder) / "packed"
        for name in games.names():
            _play(plain, name)
        shutil.copytree(plain, packed)
        print(f"packing: {LOGS} logs of random matches of each game in one day")
        for name in games.names():
            _sizes(Path(folder) / name, name, plain)
        seconds = _timed(lambda: list(pack_days(packed, date(2027, 1, 1))))
        files = [path.stat() for path in scan(plain)]
        size = next(packed.rglob(PACK)).stat().st_size
        whole = sum(one.st_size for one in files)
        disk = sum(one.st_blocks for one in files) * _BLOCK
        print(
            f"  files {whole / _MIB:.1f} MiB, {disk / _MIB:.1f} MiB of disk;"
            f" pack {size / _MIB:.1f} MiB, {whole / size:.2f} times smaller"
        )
        print(f"  packing takes {seconds:.1f} s")
        for place in (plain, packed):
            _readers(place)
        print(f"  unpacking takes {_timed(lambda: list(unpack_days(packed))):.1f} s")


def _play(root: Path, name: str) -> None:
    rng = random.Random(name)
    for number in range(LOGS):
        writer = LogWriter.create(root, setup_of(name, number), secret_of(number))

        def take(_: Match, record: Record, writer: LogWriter = writer) -> None:
            writer.append(record)

        random_match(name, number, rng, take)
        writer.finish()


def _sizes(root: Path, name: str, plain: Path) -> None:
    """Prints how the logs of one game shrink."""
    for path in scan(plain):
        if read(path).setup.game == name:
            target = root / path.relative_to(plain)
            target.parent.mkdir(parents=True, exist_ok=True)
            os.link(path, target)
    (told,) = pack_days(root, date(2027, 1, 1))
    each, packed = told.plain / LOGS / 1024, told.packed / LOGS / 1024
    print(
        f"    {name:15} {each:.1f} KiB a log, in the pack {packed:.1f},"
        f" {told.plain / told.packed:.2f} times smaller"
    )


def _readers(root: Path) -> None:
    """Prints what readers of a day take: a new index, a look for news, the look after, single logs."""
    with Store.under(root) as store:
        fresh = _timed(lambda: store.sync(root))
        time.sleep(2.5)  # from then on the times of the files tell that nothing changed
        store.sync(root)
        again = _timed(lambda: store.sync(root))
    some = random.Random(1).sample(list(scan(root)), READ)
    one = _timed(lambda: [read(path) for path in some])
    print(
        f"  {root.name}: a new index {fresh:.1f} s, a look for news {again:.2f} s,"
        f" one log {one / READ * 1e3:.2f} ms"
    )


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()

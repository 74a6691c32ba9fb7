"""Writes logs until it is killed: two finished matches, then one that goes on for ever."""

import sys
from pathlib import Path

import msgspec

from referee.match.events import Dropped
from referee.replay.writer import LogWriter
from tests.match.harness import SECRET, setup
from tests.replay import scripts


def main(root: Path) -> None:
    """Prints a line for each record of the endless match that was flushed."""
    for script in (scripts.void("block_dominoes"), scripts.no_show("block_dominoes")):
        writer = LogWriter.create(root, script.header, SECRET)
        for record in script.records:
            writer.append(record)
        writer.finish()
    header = msgspec.structs.replace(setup(), match_id="01890000-0000-7000-8000-0000000000ff")
    writer = LogWriter.create(root, header, SECRET)
    n = 0
    while True:
        n += 1
        writer.append(Dropped(n=n, t=n, seat=0))
        writer.flush()
        print(n, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""Writes a log on a disk that is full after 4,000 bytes and prints the errors that it meets."""

import resource
import sys
from pathlib import Path

from referee.errors import LogWriteError
from referee.replay.writer import LogWriter
from tests.match.harness import SECRET
from tests.replay import scripts


def main(root: Path) -> None:
    """Goes on to write after the first error, as a careless host would."""
    script = scripts.void("block_dominoes")
    writer = LogWriter.create(root, script.header, SECRET)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, resource.RLIM_INFINITY))
    for record in script.records:
        try:
            writer.append(record)
            writer.flush()
        except LogWriteError as error:
            print(error)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

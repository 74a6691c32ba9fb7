"""Sin: leaves grandchildren behind that have detached from it and ignore SIGTERM."""

import subprocess
import sys

import raw

from referee.v1 import play_service_pb2 as play

GRANDCHILD = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(3600)"
CHILD = """
import subprocess, sys
for mark in sys.argv[2:]:
    subprocess.Popen([sys.executable, "-c", sys.argv[1], mark], start_new_session=True)
"""


def sin(stream: raw.Stream, turn: play.Turn) -> None:
    """Answers legally; the sin was done at the start."""
    stream.act(turn)


if __name__ == "__main__":
    options = raw.parser(__doc__)
    options.add_argument("--children", type=int, default=3)
    options.add_argument("--mark", default="detached", help="the last argument of each, to find it by")
    given = options.parse_args()
    marks = [given.mark] * given.children
    subprocess.run([sys.executable, "-c", CHILD, GRANDCHILD, *marks], start_new_session=True, check=True)
    raw.Bot(given, sin).run(raw.Stream(given))

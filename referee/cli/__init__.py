"""The `referee` command. One module per subcommand; each is imported only when it is called."""

import signal
import sys


def main() -> None:
    """Runs the command line and exits; a person's mistake costs one line, never a traceback."""
    from referee.cli.interrupt import leave

    leave()
    from referee.cli import streams
    from referee.cli.app import run

    streams.own()
    status = run(sys.argv[1:])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done; Python's own last steps would show one
    sys.exit(status)

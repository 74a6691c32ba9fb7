"""The `referee` command. One module per subcommand; each is imported only when it is called."""

import sys


def main() -> None:
    """Runs the command line and exits; a person's mistake costs one line, never a traceback."""
    from referee.cli.app import run

    sys.exit(run(sys.argv[1:]))

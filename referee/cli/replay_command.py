"""`referee replay`: what can be done with the logs of matches, one module for each command."""

from typing import Final

import typer

from referee.cli import (
    replay_branch,
    replay_drill,
    replay_explain,
    replay_export,
    replay_fetch,
    replay_pack,
    replay_report,
    replay_show,
    replay_verify,
)

_COMMANDS: Final = (
    replay_show,
    replay_verify,
    replay_export,
    replay_explain,
    replay_drill,
    replay_branch,
    replay_fetch,
    replay_report,
    replay_pack,
)
"""In the order of the help; each has `register(group)`."""


def register(app: typer.Typer) -> None:
    """Adds `replay` with its commands."""
    group = typer.Typer(help="Show, check, export, fetch and pack the logs of matches.", no_args_is_help=True)
    for module in _COMMANDS:
        module.register(group)
    app.add_typer(group, name="replay")

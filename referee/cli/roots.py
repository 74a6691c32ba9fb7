"""Where a command finds the data: the options that say so, for every command that has them."""

from pathlib import Path
from typing import Annotated

import typer

_DATA = typer.Option(
    "--data",
    envvar="REFEREE_DATA",
    metavar="FOLDER",
    help="Folder of replays/ and referee.db. Default: the working folder.",
    show_default=False,
)
DataOption = Annotated[Path, _DATA]
MaybeDataOption = Annotated[Path | None, _DATA]
"""For a command that looks elsewhere where it is not given."""

_STORE = typer.Option(
    "--store",
    envvar="REFEREE_STORE",
    metavar="URL",
    help="Database of results and bots, as in postgresql://user@host/name. Default: referee.db under --data.",
    show_default=False,
    show_envvar=True,
)
StoreOption = Annotated[str | None, _STORE]

"""How a tournament is named on the command line: by its file, or by its name once it was begun."""

import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.organiser.folder import Folder
    from referee.organiser.tournament import Tournament
    from referee.store.bots import Bot
    from referee.store.store import Store

NAMED = Annotated[
    str, typer.Argument(metavar="NAME|FILE", help="The name of a tournament that was begun, or its file.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A tournament as it was read: `data` are the bytes of its file, `called` what that is called."""

    tournament: "Tournament"
    folder: "Folder"
    data: bytes
    called: str
    url: str | None

    def begin(self) -> None:
        """Begins it, or sees that it was begun with the same file; see `Folder.begin`."""
        self.folder.begin(self.data, self.called, time.time_ns() // 1000)

    @contextmanager
    def store(self) -> "Iterator[Store | None]":
        """Opens the store if there is one, and makes none."""
        from referee.store.store import Store

        root = self.folder.data
        if not Store.exists(root, self.url):
            yield None
            return
        with Store.under(root, self.url) as opened:
            yield opened


def sources(file: Path, data: Path, store: str | None) -> Source:
    """Reads a tournament file; raises `UsageError` with all that is wrong with it."""
    from referee.organiser.file import read_bytes

    return _read(read_bytes(file), str(file), data, store)


def begun(name: str, data: Path, store: str | None) -> Source:
    """Reads a tournament by its name as it was begun, or by its file; raises `UsageError`."""
    from referee.organiser.folder import Folder

    if name.endswith(".toml") or "/" in name:
        return sources(Path(name), data, store)
    folder = Folder(data, name)
    return _read(folder.begun_with(), str(folder.path / folder.file), data, store)


def _read(text: bytes, called: str, data: Path, store: str | None) -> Source:
    from referee.organiser.file import Document
    from referee.organiser.folder import Folder
    from referee.organiser.reading import read_tournament

    def registered() -> "list[Bot]":
        from referee.store.store import Store

        if not Store.exists(data, store):
            return []
        with Store.under(data, store) as opened:
            return opened.list_bots()

    tournament = read_tournament(Document.parse(called, text), registered)
    folder = Folder(data, tournament.name)
    return Source(tournament=tournament, folder=folder, data=text, called=called, url=store)

"""Plays the golden replays anew: `python -m tests.replay.golden [--unreleased]`.

A golden whose schema or rules version is another now is moved to the archive first, where it stays. One
that would change under the same versions is refused: a version has to be raised with what it tells of.
`--unreleased` takes it all the same, while no release has these versions yet.
"""

import argparse
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from referee.games import names
from referee.match.config import Setup
from referee.replay.reader import parse
from tests.replay import scripts

FOLDER = Path(__file__).parents[2] / "replays" / "golden"
HASHES = "hashes.txt"
"""The SHA-256 and the path of every golden, present or archived, in the form of `sha256sum`."""


def played() -> Iterator[tuple[str, bytes]]:
    """Plays every script for every game; returns where its log lies under the folder, and the log."""
    for game in names():
        for script in scripts.ALL:
            yield f"{game}/{script.__name__}.jsonl", scripts.log(script(game))


def archived(name: str, setup: Setup) -> str:
    """Returns where a golden of an old version lies under the folder."""
    game, file = name.split("/")
    return f"schema-{setup.schema}/{game}/rules-{setup.rules_version}/{file}"


def renew(folder: Path, logs: Mapping[str, bytes], *, unreleased: bool = False) -> list[str]:
    """Writes the goldens and their hashes; returns those that changed under the same versions.

    Unless `unreleased` is said nothing at all is written where there are such ones.
    """
    old = {name: (folder / name).read_bytes() for name in logs if (folder / name).exists()}
    changed = [name for name, data in old.items() if data != logs[name]]
    raised = {name for name in changed if _versions(old[name]) != _versions(logs[name])}
    kept = [name for name in changed if name not in raised]
    if kept and not unreleased:
        return kept
    for name in raised:
        target = folder / archived(name, parse(old[name]).setup)
        target.parent.mkdir(parents=True, exist_ok=True)
        (folder / name).rename(target)
    for name, data in logs.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    (folder / HASHES).write_text(hashes(folder), encoding="ascii")
    return kept


def hashes(folder: Path) -> str:
    """Returns what the list of hashes has to say of the goldens that are there."""
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.jsonl"))
    return "".join(f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in files)


def _versions(data: bytes) -> tuple[int, str]:
    setup = parse(data).setup
    return setup.schema, setup.rules_version


def main() -> None:
    """Renews the goldens, or says which would change without a new version."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--unreleased", action="store_true")
    arguments = parser.parse_args()
    kept = renew(FOLDER, dict(played()), unreleased=arguments.unreleased)
    if kept and not arguments.unreleased:
        parser.exit(
            1,
            f"{len(kept)} goldens would change under the same schema and rules version, as {kept[0]}: raise"
            " the version, or say --unreleased if no release has it yet; nothing was written\n",
        )


if __name__ == "__main__":
    main()

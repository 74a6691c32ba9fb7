"""Plays the golden replays anew: `python -m tests.replay.golden`."""

from pathlib import Path

from referee.games import names
from tests.replay import scripts

FOLDER = Path(__file__).parents[2] / "replays" / "golden"


def main() -> None:
    """Writes the log of every script for every game."""
    for game in names():
        folder = FOLDER / game
        folder.mkdir(parents=True, exist_ok=True)
        for script in scripts.ALL:
            (folder / f"{script.__name__}.jsonl").write_bytes(scripts.log(script(game)))


if __name__ == "__main__":
    main()

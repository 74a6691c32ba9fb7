"""Does a piece of work on a store again and again, each time killed some statements later, to its end.

Prints how often it was killed. After each kill the store must hold whole results of the right kind, and
the work, done again, must come to what it comes to undisturbed.
"""

import os
import signal
import sys
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event

from referee.store.store import Store
from tests.store.seasons import season


def die_at(count: int) -> None:
    """Kills this process before its statement or commit of that number."""
    left = count

    def step(*_: Any) -> None:
        nonlocal left
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(Engine, "before_cursor_execute", step)
    event.listen(Engine, "commit", step)


def main(root: Path, work: str, step: int, url: str | None) -> int:
    """Returns the number of kills."""
    every = season()
    with Store.under(root, url) as store:
        token = store.add_bot("ann")
        if work == "rebuild":
            store.sync(root)
    kills = 0
    while True:
        child = os.fork()
        if not child:
            with Store.under(root, url) as store:
                die_at(1 + step * kills)
                getattr(store, work)(root)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        with Store.under(root, url) as store:
            kept = store.results()
            assert kept == every if work == "rebuild" or not status else kept == every[: len(kept)]
            assert store.bot_by_token(token)
        if not status:
            return kills
        assert os.WTERMSIG(status) == signal.SIGKILL
        kills += 1


if __name__ == "__main__":
    print(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4] if len(sys.argv) > 4 else None))

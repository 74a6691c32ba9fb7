"""The visitors of the visiting benchmark: they open pages of the site, one after another.

Usage: `python -m benchmarks.visiting_client PAGE NUMBER`, PAGE that of a finished match. When the
standard input ends they do, and print how many answers they got a second, all together.
"""

import random
import sys
import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

CHUNK = 16
"""Positions that the viewer fetches at a time."""
POSITIONS = 160
"""Positions of the match that are looked at."""


class Visitors:
    """What the visitors do together, until they are told to stop."""

    def __init__(self, page: str) -> None:
        self.answers = 0
        self._page = page
        self._site = page.removesuffix(urlsplit(page).path)
        self._over = threading.Event()
        self._counting = threading.Lock()

    def visit(self, number: int) -> None:
        """Opens the first page, the lists, the match, and steps through it as one seat after another."""
        rng = random.Random(number)
        while not self._over.is_set():
            for path in ("/", "/matches", "/standings", "/rules/mexican_train"):
                self._get(self._site + path)
            view = rng.choice(("full", "spectator", "0", "1"))
            self._get(f"{self._page}?view={view}")
            for first in range(0, POSITIONS, CHUNK):
                self._get(f"{self._page}/frames?view={view}&size=wide&from={first}")

    def stop(self) -> None:
        """Has each of them stop after what it reads now."""
        self._over.set()

    def _get(self, url: str) -> None:
        if self._over.is_set():
            return
        with urllib.request.urlopen(url, timeout=60) as answer:  # noqa: S310  the page of a server of ours
            answer.read()
        with self._counting:
            self.answers += 1


def main(page: str, number: int) -> None:
    """Visits until the standard input ends."""
    visitors = Visitors(page)
    began = time.perf_counter()
    with ThreadPoolExecutor(number) as threads:
        visits = [threads.submit(visitors.visit, at) for at in range(number)]
        sys.stdin.read()
        visitors.stop()
    for visit in visits:
        visit.result()
    print(visitors.answers / (time.perf_counter() - began), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))

"""A finished match as its page shows it at one position: what can be asked for, and where one can go."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from referee.replay.positions import FULL, SPECTATOR
from referee.web.sources import NotShown
from referee.web.viewer.film import Film, Shot, at
from referee.web.viewer.projector import CHUNK
from referee.web.viewer.scene import Scene, of_film
from referee.web.viewer.timeline import LEGEND, Timeline, timeline

_WORDS: Final = {"full": FULL, "spectator": SPECTATOR}
SIZES: Final = ("wide", "narrow")
_DIGITS: Final = 9


class Choice(NamedTuple):
    """A viewer that may be chosen: its word in addresses, what it is called, whether it is the one."""

    word: str
    name: str
    chosen: bool


class Showing(NamedTuple):
    """A match at one position.

    Attributes:
        view: the word of the viewer.
        place: the position among those of the viewer, from 0.
        at: the number of its record in the log, which links name.
        scene: what is shown of it.
        line: the timeline of the viewer.
        choices: all viewers.
        ways: where one can go from here: a word, and the record of the log; None where there is nothing.
        legend: the marks that occur, and what they mean.
        chunk: how many positions are sent at once.
    """

    view: str
    place: int
    at: int
    scene: Scene
    line: Timeline
    choices: tuple[Choice, ...]
    ways: dict[str, int | None]
    legend: dict[str, str]
    chunk: int


def viewer_of(film: Film, word: str) -> int:
    """Returns the viewer that a word names; raises `NotShown` where there is none."""
    viewer = _WORDS.get(word)
    if viewer is None and word.isascii() and word.isdecimal() and len(word) <= _DIGITS:
        viewer = int(word)
    if viewer not in film.viewers():
        raise NotShown(
            404, f"this match is not seen like that: view is full, spectator or 0..{film.seats - 1}"
        )
    return viewer


def number_of(word: str) -> int:
    """Returns the number that a word spells; raises `NotShown` for any other word."""
    if word.isascii() and word.isdecimal() and len(word) <= _DIGITS:
        return int(word)
    raise NotShown(404, "positions are counted by whole numbers from 0")


def showing(film: Film, word: str, position: str) -> Showing:
    """Returns a match as one viewer sees it; the first deal where no position is named."""
    viewer = viewer_of(film, word)
    shots = film.shots(viewer)
    index = at(shots, number_of(position)) if position else min(1, len(shots) - 1)
    line = timeline(film, viewer, index)
    kinds = {mark.kind for mark in line.marks}
    return Showing(
        view=word,
        place=index,
        at=shots[index].frame.n,
        scene=of_film(film, viewer, index, "both"),
        line=line,
        choices=_choices(film, viewer),
        ways=_ways(shots, index),
        legend={kind: text for kind, text in LEGEND.items() if kind in kinds},
        chunk=CHUNK,
    )


def _choices(film: Film, viewer: int) -> tuple[Choice, ...]:
    names = film.names(FULL)
    every = [("full", "everything", FULL), ("spectator", "a spectator", SPECTATOR)]
    every += [(str(seat), names[seat], seat) for seat in range(film.seats)]
    return tuple(Choice(word, name, seat == viewer) for word, name, seat in every)


def _ways(shots: Sequence[Shot], index: int) -> dict[str, int | None]:
    numbers = [shot.frame.n for shot in shots]
    faults = [place for place, shot in enumerate(shots) if shot.fault]
    deals = [place for place, shot in enumerate(shots) if shot.frame.kind == "deal"]

    def there(places: Iterable[int]) -> int | None:
        place = next(iter(places), None)
        return None if place is None else numbers[place]

    return {
        "first": there(range(min(index, 1))),
        "deal-back": there(place for place in reversed(deals) if place < index),
        "fault-back": there(place for place in reversed(faults) if place < index),
        "back": there(range(index - 1, index - 2, -1)) if index else None,
        "on": there(range(index + 1, len(shots))),
        "fault-on": there(place for place in faults if place > index),
        "deal-on": there(place for place in deals if place > index),
        "last": numbers[-1] if index < len(shots) - 1 else None,
    }

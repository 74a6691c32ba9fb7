"""What is shown of one position, whether it is from a log or from a match that is played."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from referee.replay.positions import FULL, UNKNOWN
from referee.v1 import game_pb2
from referee.web.draw import Table, describe, draw, pictures
from referee.web.filters import span
from referee.web.viewer.film import Film, action_of
from referee.web.viewer.words import told


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What is told of a seat beside the picture; None for what its viewer does not know."""

    name: str
    total: int | None
    score: int | None = None
    strikes: int | None = None
    bank: str | None = None
    think: str | None = None
    acted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A position as a page shows it.

    Attributes:
        told: what happened, the most important first.
        picture: the table, drawn.
        facts: the table in words.
        lines: a line for each seat.
        when: the time of the match, in words.
        deal: the deal that is played, or was last; 0 before the first.
        ply: actions played.
        fault: a word for what went wrong, or nothing.
    """

    told: tuple[str, ...]
    picture: Markup
    facts: tuple[str, ...]
    lines: tuple[Line, ...]
    when: str
    deal: int
    ply: int
    fault: str = ""


def of_film(film: Film, viewer: int, index: int, size: str) -> Scene:
    """Returns a position of a finished match; `size` is that of the picture, see `picture`."""
    shot = film.shots(viewer)[index]
    frame, names = shot.frame, film.names(viewer)
    table = Table(
        game=film.game.info.name,
        public=game_pb2.Observation.FromString(frame.public),
        hands={seat: game_pb2.Observation.FromString(hand) for seat, hand in enumerate(frame.hands) if hand},
        names=names,
        south=max(viewer, 0),
        last=None if shot.last is None else action_of(film.game, shot.last),
        last_seat=shot.last_seat,
        opening=shot.opening,
        forfeited=shot.forfeited,
    )
    return Scene(
        told=told(frame, film.game, names),
        picture=picture(table, size),
        facts=describe(table),
        lines=tuple(_line(film, viewer, index, seat) for seat in range(film.seats)),
        when=span(frame.t),
        deal=frame.deal,
        ply=frame.ply,
        fault=shot.fault,
    )


def picture(table: Table, size: str) -> Markup:
    """Returns a table drawn for `wide` windows, for `narrow` ones, or for `both`."""
    if size == "both":
        return pictures(table)
    return Markup('<div class="table-art one">{}</div>').format(draw(table, narrow=size == "narrow"))


def _line(film: Film, viewer: int, index: int, seat: int) -> Line:
    frame, names = film.shots(viewer)[index].frame, film.names(viewer)
    own = viewer in {FULL, seat}
    acts = frame.kind in {"action", "default"} and frame.seat == seat
    thought = acts and own and frame.think != UNKNOWN and frame.fault != "forfeited"
    return Line(
        name=names[seat],
        total=frame.totals[seat],
        score=frame.scores[seat] if frame.scores else None,
        strikes=frame.strikes[seat] if own else None,
        bank=span(frame.banks[seat]) if own else None,
        think=span(frame.think) if thought else None,
        acted=acts,
    )


def placed(names: Sequence[str], totals: Sequence[int]) -> tuple[Line, ...]:
    """Returns the lines of a match that is played, of which only the totals are known."""
    known = [*totals, *([None] * len(names))]
    return tuple(Line(name=name, total=total) for name, total in zip(names, known, strict=False))

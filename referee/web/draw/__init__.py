"""Tables of the games, drawn: pure functions from observations to SVG and to words."""

from referee.web.draw.picture import describe, draw, pictures
from referee.web.draw.pieces import fits, opening_index, piece_of
from referee.web.draw.table import Table

__all__ = ["Table", "describe", "draw", "fits", "opening_index", "pictures", "piece_of"]

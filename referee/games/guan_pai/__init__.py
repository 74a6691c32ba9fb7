"""Guan Pai, a shedding game of three."""

from referee.games.base import Game
from referee.games.guan_pai import info, rules, text, view, wire

GAME = Game(info=info.INFO, new=rules.new, restore=rules.restore, view=view, wire=wire, text=text)

"""Ding Niu."""

from referee.games.base import Game
from referee.games.ding_niu import info, rules, text, view, wire

GAME = Game(info=info.INFO, new=rules.new, restore=rules.restore, view=view, wire=wire, text=text)

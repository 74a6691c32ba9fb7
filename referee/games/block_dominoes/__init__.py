"""Block dominoes, also called Gaple."""

from referee.games.base import Game
from referee.games.block_dominoes import rules, text, view, wire

GAME = Game(info=rules.INFO, new=rules.new, restore=rules.restore, view=view, wire=wire, text=text)

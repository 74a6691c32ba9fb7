"""Block dominoes, also called Gaple."""

from referee.games.base import Game
from referee.games.block_dominoes import info, rules, text, view, wire

GAME = Game(info=info.INFO, new=rules.new, restore=rules.restore, view=view, wire=wire, text=text)

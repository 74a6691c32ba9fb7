"""Mexican Train, with a double-twelve set."""

from referee.games.base import Game
from referee.games.mexican_train import info, rules, text, view, wire

GAME = Game(info=info.INFO, new=rules.new, restore=rules.restore, view=view, wire=wire, text=text)

"""The bots that come with the referee: the fixed points of every scale."""

LEVELS = ("easy", "normal", "expert")
"""Their names, weakest first; nobody else may have them."""


def is_house(bot: str) -> bool:
    """Says whether a bot, by its id, is one of them, or a copy of one."""
    return bot.partition("/")[0] in LEVELS

"""Puts a bot before the turns of a seat as they stand in a log; nothing that it answers is played."""

"""Plays tournaments from their files to their last match, and goes on where one was cut off."""

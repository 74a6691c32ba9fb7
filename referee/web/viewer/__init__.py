"""Matches as they are stepped through and watched: what is shown of each position, and to whom."""

"""What everybody may read: games, matches, standings."""

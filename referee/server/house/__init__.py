"""House bots, and the unrated matches that bots and people play against them."""

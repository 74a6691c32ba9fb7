"""What spectators are told of a match: the public view, some plies late."""

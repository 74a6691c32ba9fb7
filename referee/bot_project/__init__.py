"""Starting points for a bot of one's own: the sample bots, by language."""

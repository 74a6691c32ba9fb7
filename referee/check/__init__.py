"""Shows the author of a bot whether it keeps the protocol: scripted situations, and a report.

A front stands between the bot and a real referee of this process. It passes on what both say, takes
notes, and in each scenario holds, loses or alters what the situation asks for.
"""

"""A person's seat: a bot like any other to the referee, whose answers somebody thinks of.

The terminal and the site both play by it. It knows no more than what the referee tells the seat.
"""

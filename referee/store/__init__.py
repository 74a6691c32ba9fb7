"""The index of results and the register of bots, in SQLite or any database that SQLAlchemy reaches.

Of results the replay logs are the truth: the index can be rebuilt from them at any time. The bots and
the hashes of their tokens are kept here alone.
"""

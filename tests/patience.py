"""How long tests wait for what has to happen."""

PATIENCE = 120.0
"""Seconds after which it is said never to happen: many, since no test measures how fast a machine is."""

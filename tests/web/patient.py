"""Requests as httpx makes them, which wait for an answer for as long as a busy machine needs."""

from functools import partial

import httpx

from tests.patience import PATIENCE

get = partial(httpx.get, timeout=PATIENCE)
head = partial(httpx.head, timeout=PATIENCE)
post = partial(httpx.post, timeout=PATIENCE)

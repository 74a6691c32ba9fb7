"""The I/O shell: streams, lobby, matches on the clock, launched bots."""

import os

# gRPC's C core would print its own lines beside ours; it reads this when it is first used.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

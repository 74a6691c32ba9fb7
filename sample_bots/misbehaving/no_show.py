"""Sin: never says that it is ready; with --absent it does not even connect."""

import time

import raw

if __name__ == "__main__":
    options = raw.parser(__doc__)
    options.add_argument("--absent", action="store_true")
    given = options.parse_args()
    if given.absent:
        time.sleep(3600)
    for frame in raw.Stream(given).frames():
        print(frame.WhichOneof("frame"), flush=True)

"""House bot easy: plays any legal action.

`--seed NUMBER` or REFEREE_BOT_SEED repeats its choices; else the system's random source seeds it.
"""

import argparse
import os
import random

import strategies

from referee.bot import main

if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--seed", default=os.environ.get("REFEREE_BOT_SEED"))
    given, others = parser.parse_known_args()
    choose = strategies.easy(random.Random(given.seed))
    main(choose, argv=others, games=list(strategies.GAMES), version="1")

"""House bot expert: counts what was played, and plans."""

import strategies

from referee.bot import main

if __name__ == "__main__":
    main(strategies.expert, games=list(strategies.GAMES), version="1")

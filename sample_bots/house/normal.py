"""House bot normal: plays by a simple rule of thumb, for example the heaviest tile that fits."""

import strategies

from referee.bot import main

if __name__ == "__main__":
    main(strategies.normal, games=list(strategies.GAMES), version="1")

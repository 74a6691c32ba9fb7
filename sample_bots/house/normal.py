"""House bot normal: plays the heaviest tile that fits."""

import block_dominoes

from referee.bot import main

if __name__ == "__main__":
    main(block_dominoes.normal, games=["block_dominoes"], version="1")

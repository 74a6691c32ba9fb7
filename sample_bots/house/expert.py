"""House bot expert: counts tiles and leaves scarce numbers at the open ends."""

import block_dominoes

from referee.bot import main

if __name__ == "__main__":
    main(block_dominoes.expert, games=["block_dominoes"], version="1")

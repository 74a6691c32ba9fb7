"""Which launched process sat where: of house bots, and what comes of it for a match that was cut off."""

from pathlib import Path

import msgspec

from referee.match.config import Branch
from referee.replay import processes
from referee.replay.reader import read, scan
from referee.replay.verify import verify
from referee.replay.writer import LogWriter
from referee.server.house.config import PracticeRules
from tests.match.harness import SECRET, setup
from tests.server.client import GAME, room, run
from tests.server.ladders import DUEL, ladder, playing
from tests.server.test_practice import FOUR, ask


def test_the_processes_of_house_bots_are_found_by_match_and_seat(tmp_path: Path) -> None:
    """Each seat of a level leads to the process that had it, and a bot that dialled in to none."""

    async def play() -> None:
        config = ladder(tables=(FOUR, DUEL), practice=PracticeRules(levels=("easy",)))
        async with playing(tmp_path, config) as hall:
            bot = await hall.bot("a", practice_only=True)
            await ask(bot, GAME, target=5)
            await bot.expect("match_ended")
        (log,) = map(read, scan(tmp_path))
        found = [processes.find(tmp_path, log.setup.match_id, seat) for seat in range(4)]
        house = [at for at, who in enumerate(log.setup.seats) if who.bot == "easy/easy"]

        assert [at for at, of_seat in enumerate(found) if of_seat] == house
        assert [found[at][0].command.split()[-1] for at in house] == [
            log.setup.seats[at].instance for at in house
        ]
        assert {found[at][0].stopped for at in house} == {True}

    run(play())


def test_a_branch_that_was_cut_off_is_void(tmp_path: Path) -> None:
    """It is not resumed, since what it took over is not known any more, and its log is good as it is."""
    branch = Branch(match_id="0", last_hash="0" * 64, ply=3)
    header = msgspec.structs.replace(setup(), branch=branch, rated=False, provable=False)
    LogWriter.create(tmp_path, header, SECRET).abandon()

    async def restart() -> None:
        async with room(tmp_path, recover=True) as hall:
            assert not hall.host.matches

    run(restart())
    (log,) = map(read, scan(tmp_path))

    assert log.end
    assert log.end.termination == "void"
    assert "does not resume" in log.end.note
    assert verify(log).ok

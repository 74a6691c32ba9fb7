"""A match that a killed process left behind."""

import shutil
from pathlib import Path
from typing import Any

from referee.match import events as ev
from referee.replay.reader import read, scan, secret_path
from referee.store.store import Store
from tests.server.client import act, opened, room, running_log, until


async def cut_off(data: Path, **about: Any) -> tuple[dict[str, str], ev.Turn]:
    """Leaves a match in the middle of a turn, as a killed process would; returns tokens and turn.

    `about` is what `Room.play` takes.
    """
    with Store.under(data) as store:
        tokens = {name: store.add_bot(name) for name in "abcd"}
    copy = data / "copy"
    async with room(data) as hall:
        hall.tokens = dict(tokens)
        who, turn, others, playing = await opened(hall, **about)
        await who.send(act(turn))
        await hall.first_turn(others)
        path = running_log(data)
        for source in (path, secret_path(path)):
            copy.mkdir(exist_ok=True)
            shutil.copy2(source, copy / source.name)
        playing.cancel()
        await until(lambda: not hall.host.matches)
    (finished,) = scan(data)
    finished.unlink()
    for kept in copy.iterdir():
        shutil.move(kept, finished.parent / kept.name)
    asked = [record for record in read(running_log(data)).records if isinstance(record, ev.Turn)]
    return tokens, asked[-1]

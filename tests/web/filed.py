"""Finished logs put where a server looks for them, and what is read back of a page."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import httpx

from referee.games import find
from referee.games.base import Game
from referee.replay.positions import Frame, frames, seen
from referee.replay.reader import FINISHED, Log, read, scan
from referee.server.logbook import place_of
from referee.v1 import game_pb2
from referee.web.draw import Table
from tests.patience import PATIENCE
from tests.replay.golden import FOLDER
from tests.web.draw import reading

GAMES = ("block_dominoes", "guan_pai", "mexican_train", "ding_niu")
_SVG = re.compile(r"<svg.*?</svg>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_TILE = re.compile(r"\b(\d{1,2})-(\d{1,2})\b")
_CARD = re.compile(r"\b[3-9TJQKA2][DCHS]\b")


def filed(data: Path, *goldens: str) -> dict[str, Log]:
    """Puts golden logs, given as `game/name`, under a data folder; returns them by that."""
    found = {}
    for golden in goldens:
        source = FOLDER / f"{golden}{FINISHED}"
        log = found[golden] = read(source)
        place = place_of(data, log.setup.match_id)
        assert place
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(source.read_bytes())
    return found


def logs(data: Path) -> dict[str, Log]:
    """Returns the finished logs of a data folder by game; the last one where there are several."""
    return {log.setup.game: log for log in map(read, scan(data))}


def views(log: Log) -> tuple[tuple[str, int], ...]:
    """Returns all viewers of a match: the word in addresses, and the number."""
    return (("full", -2), ("spectator", -1), *((str(seat), seat) for seat in range(len(log.setup.seats))))


def known(log: Log, viewer: int) -> list[Frame]:
    """Returns what a viewer may know of a match, by the rules of replays."""
    game = find(log.setup.game)
    return [told for frame in frames(log) if (told := seen(frame, viewer, game))]


def fetched(url: str, match_id: str, view: str, size: str = "wide") -> list[dict[str, Any]]:
    """Returns all positions of a match that the site sends."""
    found: list[dict[str, Any]] = []
    with httpx.Client(timeout=PATIENCE) as client:
        while True:
            asked: dict[str, str | int] = {"view": view, "size": size, "from": len(found)}
            answer = client.get(f"{url}/matches/{match_id}/frames", params=asked)
            if answer.status_code == 404 and found:
                return found
            assert answer.status_code == 200, answer.text
            part = answer.json()
            assert part["first"] == len(found)
            found += part["frames"]
            if len(part["frames"]) < 16:
                return found


def check_position(html: str, game: Game, frame: Frame) -> None:
    """Fails where a position shows, in its picture or in words, a piece that is not in a frame."""
    table = Table(
        game=game.info.name,
        public=game_pb2.Observation.FromString(frame.public),
        hands={seat: game_pb2.Observation.FromString(hand) for seat, hand in enumerate(frame.hands) if hand},
        names=("",) * len(frame.banks),
    )
    may = reading.expected(table)
    (picture,) = _SVG.findall(html)
    assert reading.shown(reading.parsed(picture)) == may
    words = set(named(_TAG.sub(" ", _SVG.sub("", html)))) | set(
        named("".join(re.findall("<desc.*?</desc>", picture)))
    )
    assert words <= set(may) | set(played(table, frame)), (words, frame)


def named(text: str) -> Iterable[int]:
    """Returns the tiles and cards that a text names, by code."""
    for low, high in _TILE.findall(text):
        yield 16 * min(int(low), int(high)) + max(int(low), int(high))
    for card in _CARD.findall(text):
        yield 4 * "3456789TJQKA2".index(card[0]) + "DCHS".index(card[1])


def played(table: Table, frame: Frame) -> Iterable[int]:
    """Returns the pieces that everybody has seen in this deal, or that what happened names."""
    for pile in table.public.guan_pai.public.played_piles:
        yield from pile.cards
    for step in table.public.ding_niu.public.steps:
        if step.HasField("tile"):
            yield step.tile
    game = find(table.game)
    for event in frame.events:
        yield from named(game.text.whole(event))
    if table.public.block_dominoes.public.HasField("required_tile"):
        yield table.public.block_dominoes.public.required_tile

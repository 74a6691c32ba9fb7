"""Standings for everybody to read: the same tables as the command line folds, as they are now."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import grpc
import pytest

from referee.match.config import SECOND
from referee.server.index import Index
from referee.server.reads import board as boards
from referee.server.reads.board import Board
from referee.store.decision_log import DecisionLog, decisions_path
from referee.store.store import Store
from referee.store.tables import decided, tables
from referee.tournament.decision import Disqualified, Opened, Voided
from referee.tournament.export import to_json
from referee.v1 import standing_pb2
from referee.v1 import standings_service_pb2 as pb
from tests.server.client import Room, room, run
from tests.server.spectator import ask
from tests.server.test_arena_service import code, played
from tests.store.logs import write
from tests.tournament.samples import result

GAME = "block_dominoes"
SHORT = {"target": "10"}


def key(**fields: Any) -> standing_pb2.StandingsKey:
    """Returns the key of a table of short matches."""
    options = fields.pop("options", SHORT)
    found = standing_pb2.StandingsKey(**{"game": GAME, **fields})
    for name, value in options.items():
        found.options.add(option=name, value=value)
    return found


async def table(hall: Room, *, crosstable: bool = False, **fields: Any) -> standing_pb2.Standings:
    """Returns a table."""
    request = pb.GetStandingsRequest(key=key(**fields), crosstable=crosstable)
    answer = await ask(hall.address, "StandingsService", "GetStandings", request, pb.GetStandingsResponse)
    found: standing_pb2.Standings = answer.standings
    return found


async def keys(hall: Room, **fields: Any) -> pb.ListStandingsResponse:
    """Returns a page of keys."""
    request = pb.ListStandingsRequest(**fields)
    found: pb.ListStandingsResponse = await ask(
        hall.address, "StandingsService", "ListStandings", request, pb.ListStandingsResponse
    )
    return found


def test_k16_the_table_is_what_the_fold_of_the_store_is(tmp_path: Path) -> None:
    """After each match it has one more, and each number is the one that the command line prints."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            await hall.bots()
            for count in (1, 2, 3):
                await played(hall, "abcd", seed=None)
                while (now := await table(hall)).match_count < count:  # a fold may be some seconds old
                    await asyncio.sleep(0.1)
                assert now.match_count == count
            told = await table(hall, crosstable=True)
        with Store.under(tmp_path) as store:
            folded = tables(store, decided(tmp_path))
        (expected,) = json.loads(to_json(folded, crosstable=True))["tables"]

        assert told.key == key(
            rules_version=expected["rules_version"],
            options={name: str(value) for name, value in sorted(expected["options"].items())},
        )
        assert (told.match_count, told.deal_group_count) == (expected["matches"], expected["deal_groups"])
        assert told.update_time.ToMicroseconds() == expected["updated"]
        for row, values in zip(told.standings, expected["rows"], strict=True):
            assert (row.place, row.bot_id, row.owner) == (values["place"], values["bot"], values["owner"])
            assert list(row.rank_counts) == values["placements"]
            assert row.points.mean == pytest.approx(values["points"]["mean"], abs=1e-6)
            assert row.score.low == pytest.approx(values["score"]["low"], abs=1e-6)
            assert row.rating.ordinal == pytest.approx(values["rating"]["ordinal"], abs=1e-6)
            assert row.turn_count == values["turns"]
            assert row.mean_think_duration.ToMicroseconds() == values["think_mean_us"]
            assert sum(end.match_count for end in row.ends) == 3
            met = {(one.bot_id, one.match_count, round(one.win_share, 6)) for one in row.encounters}
            assert met == {(one["bot"], one["matches"], one["share"]) for one in values["against"]}
            assert row.HasField("lead") == (values["lead"] is not None)

    run(play())


def test_s13_decisions_change_the_table_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A void match and a disqualified bot are seen by the next who asks, where a fold costs little."""
    monkeypatch.setattr(boards, "_SHARE", 0)  # however long a fold takes on a busy machine

    async def play() -> None:
        async with room(tmp_path) as hall:
            await hall.bots("abcdefgh")
            first = await played(hall, "abcd", seed=None, tournament="cup", pairing_id="cup/0")
            await played(hall, "efgh", seed=None, tournament="cup", pairing_id="cup/1")
            log = DecisionLog(decisions_path(tmp_path, "cup"))
            log.append(Opened(at=1, tournament="cup", file=""))
            assert (await table(hall, tournament="cup")).match_count == 2
            log.append(Voided(at=2, match_id=first, why="a test"))
            told = await table(hall, tournament="cup")
            assert (told.match_count, told.unrated_match_count) == (1, 1)
            assert [end.end for end in told.uncounted_ends] == [standing_pb2.MATCH_END_VOIDED]
            log.append(Disqualified(at=3, bot="e/e", why="a test"))
            told = await table(hall, tournament="cup")
            assert told.match_count == 0
            (gone,) = [row for row in told.standings if row.bot_id == "e/e"]
            assert (gone.departure, gone.departure_text) == (standing_pb2.DEPARTURE_DISQUALIFIED, "a test")
            assert told.standings[-1] == gone

    run(play())


def test_tables_are_listed_by_their_keys_page_by_page(tmp_path: Path) -> None:
    """By tournament, game, rules version and options; each key leads to its table."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            await hall.bots(games=[GAME, "guan_pai"])
            for number, (cup, options) in enumerate(
                [("", {"target": 10}), ("b", {"target": 10}), ("a", {"target": 10}), ("a", {"target": 20})]
            ):
                await played(
                    hall, "abcd", seed=None, tournament=cup, pairing_id=f"{cup}/{number}", options=options
                )
            await played(hall, "abc", seed=None, game="guan_pai", options={"deals": 1})
            every = list((await keys(hall)).keys)
            assert [found.tournament for found in every] == ["", "", "a", "a", "b"]
            assert [found.game for found in every[:2]] == [GAME, "guan_pai"]
            assert [found.tournament for found in (await keys(hall, tournament="a")).keys] == ["a", "a"]
            assert [found.game for found in (await keys(hall, game="guan_pai")).keys] == ["guan_pai"]
            paged: list[standing_pb2.StandingsKey] = []
            token, pages = "", 0
            while pages == 0 or token:
                answer = await keys(hall, page_size=2, page_token=token)
                paged += answer.keys
                token, pages = answer.next_page_token, pages + 1
            assert (paged, pages) == (every, 3)
            for found in every:
                request = pb.GetStandingsRequest(key=found)
                method = ("StandingsService", "GetStandings")
                answer = await ask(hall.address, *method, request, pb.GetStandingsResponse)
                assert answer.standings.key == found
                assert answer.standings.match_count == 1
                assert not any(row.encounters for row in answer.standings.standings)
            assert await code(keys(hall, page_token="x")) == grpc.StatusCode.INVALID_ARGUMENT

    run(play())


def test_what_cannot_be_asked_of_standings_is_refused_by_name(tmp_path: Path) -> None:
    """No game, a value that the rules refuse, an unknown game, and a table without a match."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            for fields in ({"game": ""}, {"options": {"target": "x"}}, {"options": {"nonsense": "1"}}):
                assert await code(table(hall, **fields)) == grpc.StatusCode.INVALID_ARGUMENT
            assert await code(table(hall, game="chess", options={})) == grpc.StatusCode.NOT_FOUND
            assert await code(table(hall)) == grpc.StatusCode.NOT_FOUND
            assert await code(table(hall, rules_version="0")) == grpc.StatusCode.NOT_FOUND

    run(play())


def test_t1_who_folds_standings_hands_over_to_the_matches_soon(tmp_path: Path) -> None:
    """Another thread computes for less than a millisecond while a bot's answer waits."""

    async def play() -> None:
        before = sys.getswitchinterval()
        try:
            async with room(tmp_path):
                assert sys.getswitchinterval() < 0.001
        finally:
            sys.setswitchinterval(before)

    run(play())


def test_readers_share_a_fold_and_a_dear_one_is_not_made_anew_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often somebody asks, folding takes no more than a tenth of the time."""
    now, folds = 0, 0
    fold = Board._fold

    def slow(self: Board, store: Store) -> Any:
        nonlocal now, folds
        folds += 1
        now += SECOND
        return fold(self, store)

    monkeypatch.setattr(Board, "_fold", slow)

    async def play() -> None:
        nonlocal now
        index = Index(Store.under(tmp_path), tmp_path)
        board = Board(index, tmp_path, lambda: now)
        await asyncio.gather(*(board.tables() for _ in range(5)))
        assert folds == 1
        for number in range(3):
            write(tmp_path, result(number, {"a": 3, "b": 2, "c": 1, "d": 0}))
            index.sync()
            assert await board.tables() == ()
        assert folds == 1
        now += 10 * SECOND
        (table,) = await board.tables()
        assert (folds, table.matches) == (2, 3)
        now += 100 * SECOND
        assert await board.tables() == (table,)
        assert folds == 2
        await index.close()

    run(play())

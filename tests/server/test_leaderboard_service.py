"""Leaderboards of challenges, and tables of unrated tournaments, for everybody to read."""

import json
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc import aio

from referee.store.decision_log import DecisionLog, decisions_path
from referee.store.store import Store
from referee.store.tables import decided, leaderboards, tables_of
from referee.tournament.decision import Opened, Withdrawn
from referee.tournament.export import to_json
from referee.v1 import standing_pb2
from referee.v1 import standings_service_pb2 as pb
from tests.server.client import Room, room, run
from tests.server.spectator import ask
from tests.server.test_arena_service import code
from tests.store.logs import write
from tests.tournament.samples import result

GAME = "block_dominoes"
HOUSE = {"easy": ("easy/easy", "easy/easy-2"), "expert": ("expert/expert", "expert/expert-2")}


def challenge(data: Path, number: int, bot: str, level: str, cup: str, score: int = 50, **about: Any) -> None:
    """Keeps a match of a bot against two house bots of a level, which have 30 and 20."""
    one, other = HOUSE[level]
    scores = {bot: score, one: 30, other: 20}
    write(data, result(number, scores, tournament=cup, pairing=f"{cup}/{number}", **about))


async def board(hall: Room, cup: str, **fields: Any) -> standing_pb2.Leaderboard:
    """Returns a leaderboard."""
    key = standing_pb2.StandingsKey(**{"game": GAME, "tournament": cup, **fields})
    request = pb.GetLeaderboardRequest(key=key)
    answer = await ask(hall.address, "StandingsService", "GetLeaderboard", request, pb.GetLeaderboardResponse)
    found: standing_pb2.Leaderboard = answer.leaderboard
    return found


async def keys(hall: Room, **fields: Any) -> pb.ListLeaderboardsResponse:
    """Returns a page of keys."""
    request = pb.ListLeaderboardsRequest(**fields)
    found: pb.ListLeaderboardsResponse = await ask(
        hall.address, "StandingsService", "ListLeaderboards", request, pb.ListLeaderboardsResponse
    )
    return found


async def table(hall: Room, cup: str) -> standing_pb2.Standings:
    """Returns a table of standings."""
    request = pb.GetStandingsRequest(key=standing_pb2.StandingsKey(game=GAME, tournament=cup))
    answer = await ask(hall.address, "StandingsService", "GetStandings", request, pb.GetStandingsResponse)
    found: standing_pb2.Standings = answer.standings
    return found


async def refusal(call: Any) -> tuple[grpc.StatusCode, str]:
    """Returns status and text of a call that is refused."""
    with pytest.raises(aio.AioRpcError) as caught:
        await call
    return caught.value.code(), caught.value.details() or ""


def test_k16_a_leaderboard_is_what_the_fold_of_the_store_is(tmp_path: Path) -> None:
    """Places, points and what was achieved at each level; who withdrew stands last, and is flagged."""
    for number in range(12):
        challenge(tmp_path, number, "ann", "easy", "quest", score=31 + number)
    challenge(tmp_path, 20, "ann", "expert", "quest", score=1)
    challenge(tmp_path, 21, "bob", "expert", "quest", score=90)
    challenge(tmp_path, 22, "cyd", "expert", "quest")
    challenge(tmp_path, 23, "cyd", "expert", "quest")
    log = DecisionLog(decisions_path(tmp_path, "quest"))
    log.append(Opened(at=1, tournament="quest", file=""), Withdrawn(at=2, bot="cyd", why="no time"))

    async def play() -> None:
        async with room(tmp_path) as hall:
            told = await board(hall, "quest")
        with Store.under(tmp_path) as store:
            (expected,) = leaderboards(store, decided(tmp_path))
        assert [
            (row.place, row.bot_id, row.display_name, row.owner, row.ranking_points)
            for row in told.challengers
        ] == [(row.place, row.bot, row.name, row.owner, row.points) for row in expected.rows]
        assert [(row.bot_id, row.ranking_points) for row in told.challengers] == [
            ("ann", 100),
            ("bob", 100),
            ("cyd", 200),
        ]
        easy, expert = told.challengers[0].levels
        assert (easy.level, easy.match_count, easy.win_count, easy.untaken_match_count) == ("easy", 10, 10, 2)
        assert (easy.points_per_win, easy.largest_margin) == (10, 10)
        assert (expert.points_per_win, expert.match_count, expert.win_count) == (100, 1, 0)
        assert not expert.HasField("largest_margin")
        assert [row.departure for row in told.challengers] == [0, 0, standing_pb2.DEPARTURE_WITHDRAWN]

    run(play())


def test_leaderboards_are_listed_by_their_keys_page_by_page(tmp_path: Path) -> None:
    """By tournament; each key leads to its leaderboard, and matches that are no challenge have none."""
    for number, cup in enumerate(("spring", "autumn", "summer")):
        challenge(tmp_path, number, "ann", "easy", cup)
    challenge(tmp_path, 8, "ann", "easy", "dry", rated=False)
    write(tmp_path, result(9, {"ann": 3, "bob": 2, "cyd": 1}, tournament="winter", pairing="winter/9"))

    async def play() -> None:
        async with room(tmp_path) as hall:
            every = list((await keys(hall)).keys)
            assert [found.tournament for found in every] == ["autumn", "spring", "summer"]
            assert [one.tournament for one in (await keys(hall, tournament="spring")).keys] == ["spring"]
            assert not (await keys(hall, game="guan_pai")).keys
            first = await keys(hall, page_size=2)
            rest = await keys(hall, page_size=2, page_token=first.next_page_token)
            assert [*first.keys, *rest.keys] == every
            assert not rest.next_page_token
            for key in every:
                assert (await board(hall, key.tournament)).key == key
            other = keys(hall, page_size=2, page_token=first.next_page_token, game=GAME)
            assert await code(other) == grpc.StatusCode.INVALID_ARGUMENT
            assert await code(keys(hall, page_size=-1)) == grpc.StatusCode.INVALID_ARGUMENT

    run(play())


def test_an_unrated_tournament_has_the_table_that_the_command_line_shows(tmp_path: Path) -> None:
    """Its matches count among themselves, also those of a seeded round robin; rated runs have theirs too."""
    scores = {"ann": 3, "bob": 2, "cyd": 1}
    for number in range(3):
        about: dict[str, Any] = {"rated": False, "pairing": f"dry/{number}", "tournament": "dry"}
        write(tmp_path, result(number, scores, **about))
        write(tmp_path, result(10 + number, scores, rated=False, pairing=f"rr-seeded/{number}"))
        write(tmp_path, result(20 + number, scores, pairing=f"rr-fair/{number}"))

    async def play() -> None:
        async with room(tmp_path) as hall:
            for cup in ("dry", "rr-seeded", "rr-fair"):
                told = await table(hall, cup)
                with Store.under(tmp_path) as store:
                    folded = tables_of(store, decided(tmp_path), cup)
                (expected,) = json.loads(to_json(folded))["tables"]
                assert told.match_count == expected["matches"] == 3
                assert [(row.place, row.bot_id, row.points.mean) for row in told.standings] == [
                    (row["place"], row["bot"], row["points"]["mean"]) for row in expected["rows"]
                ]
            together = await table(hall, "")
            assert (together.match_count, together.unrated_match_count) == (3, 3)

    run(play())


def test_names_that_are_not_known_are_refused_with_what_may_have_been_meant(tmp_path: Path) -> None:
    """Of tournaments and of games, for standings and for leaderboards."""
    challenge(tmp_path, 1, "ann", "easy", "spring")
    write(tmp_path, result(9, {"ann": 3, "bob": 2, "cyd": 1}, tournament="winter", pairing="winter/9"))

    async def play() -> None:
        async with room(tmp_path) as hall:
            missing = grpc.StatusCode.NOT_FOUND
            hint = "; did you mean spring?"
            assert await refusal(board(hall, "sprnig")) == (
                missing,
                f"no challenge of this table has ended yet{hint}",
            )
            assert await refusal(table(hall, "sprnig")) == (
                missing,
                f"no match of this table has ended yet{hint}",
            )
            assert await refusal(board(hall, "winter")) == (
                missing,
                "no challenge of this table has ended yet",
            )
            status, text = await refusal(board(hall, "spring", game="block_domino"))
            assert status == missing
            assert "did you mean block_dominoes?" in text
            assert await code(board(hall, "spring", game="")) == grpc.StatusCode.INVALID_ARGUMENT
            assert await code(board(hall, "spring", rules_version="0")) == missing

    run(play())

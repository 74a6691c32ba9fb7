"""Open tables: who is seated with whom, without being asked for."""

import asyncio
from pathlib import Path

from referee.match.config import SECOND
from referee.server.config import OpenTable
from tests.server.client import GAME, Client, room, run, start_runs_out, until


def test_d15_open_tables_seat_who_waits_and_pair_the_others_anew(tmp_path: Path) -> None:
    """A bot that is not ready in time costs its table one match; the others get another."""

    async def play() -> None:
        tables = (OpenTable(game="block_dominoes", options={"target": 10}),)
        async with room(tmp_path, auto_pair=True, tables=tables) as hall:
            silent = await hall.bot("a", auto=False)
            others = await hall.bots("bcd")
            await until(lambda: hall.host.matches)
            await start_runs_out(hall.live)
            ended = await others[0].expect("match_ended")
            assert not ended.placements
            fifth = await hall.bot("e")
            ended = await fifth.expect("match_ended")

            assert len(ended.placements) == 4
            assert {place.display_name for place in ended.placements} == {"b", "c", "d", "e"}
            assert len(silent.matches) == 1

    run(play())


def test_two_bots_of_one_owner_never_meet_at_an_open_table(tmp_path: Path) -> None:
    """Four bots of three owners wait for a fourth owner; then every table has four owners."""

    async def play() -> None:
        tables = (OpenTable(game=GAME, options={"target": 10}),)
        async with room(tmp_path, auto_pair=True, tables=tables) as hall:
            owners = {"a1": "a", "a2": "a", "b1": "b", "b2": "b", "c1": "c", "c2": "c", "d1": "d"}
            for name, owner in owners.items():
                hall.tokens[name] = hall.arena.add_guest(name, owner)
            waiting = [await hall.bot(name, matches_at_once=2) for name in list(owners)[:-1]]
            for _ in range(2):  # a look for tables follows every arrival, and here nothing can follow it
                await asyncio.sleep(0)
            assert not hall.host.matches
            last = await hall.bot("d1", matches_at_once=2)
            await until(lambda: len(last.all("match_ended")) >= 12)
            seen: dict[str, Client] = {
                match_id: client for client in (*waiting, last) for match_id in client.matches
            }
            tables_of = [
                [owners[seat.display_name] for seat in client.matches[match_id].seats]
                for match_id, client in seen.items()
            ]

            assert len(tables_of) >= 12
            assert all(sorted(seated) == ["a", "b", "c", "d"] for seated in tables_of)

    run(play())


def test_open_tables_take_turns_whoever_is_free_first(tmp_path: Path) -> None:
    """Six bots that play two games, of three and of four seats, get as many matches of either."""

    async def play() -> None:
        tables = (
            OpenTable(game="guan_pai", options={"deals": 1}),
            OpenTable(game="ding_niu", options={"deals": 1}),
        )
        async with room(tmp_path, auto_pair=True, tables=tables, table_wait=3600 * SECOND) as hall:
            bots = [await hall.bot(name, games=["guan_pai", "ding_niu"]) for name in "abcdef"]
            await until(lambda: all(len(bot.all("match_ended")) >= 8 for bot in bots))
            played = {match_id: start.game for bot in bots for match_id, start in bot.matches.items()}
            counts = [list(played.values()).count(game) for game in ("guan_pai", "ding_niu")]

            assert abs(counts[0] - counts[1]) <= 1
            assert min(counts) >= 6

    run(play())


def test_nobody_waits_for_a_turn_for_longer_than_is_said(tmp_path: Path) -> None:
    """With three of five bots in a match that does not go on, the others do not wait for ever."""

    async def play() -> None:
        tables = (
            OpenTable(game="guan_pai", options={"deals": 1}),
            OpenTable(game="ding_niu", options={"deals": 1}),
            OpenTable(game="mexican_train", options={"deals": 1}, seats=2),
        )
        async with room(tmp_path, auto_pair=True, tables=tables, table_wait=SECOND // 10) as hall:
            slow = [await hall.bot(name, games=["guan_pai", "ding_niu"], auto=False) for name in "abc"]
            await until(lambda: all(bot.all("match_started") for bot in slow))
            quick = [await hall.bot(name, games=["ding_niu", "mexican_train"]) for name in "de"]
            await until(lambda: all(bot.all("match_ended") for bot in quick))

            assert {start.game for bot in quick for start in bot.matches.values()} == {"mexican_train"}

    run(play())

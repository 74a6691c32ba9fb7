"""People who sit down against house bots: their clock, their names, and what becomes of an empty chair."""

from pathlib import Path
from typing import Any

import pytest

from referee import games
from referee.errors import UsageError
from referee.match.config import SECOND
from referee.replay.reader import read, scan
from referee.server.house.config import PeopleRules, PracticeRules
from referee.server.house.people import People, Ticket
from referee.v1 import play_service_pb2 as pb
from tests.server.client import GAME, Client, Room, ready, room, run, until
from tests.server.ladders import TRAIN, ladder, practice_of

EASY = PeopleRules(levels=("easy",))
SHORT: dict[str, dict[str, Any]] = {
    GAME: {"target": 1},
    TRAIN: {"deals": 1},
    "guan_pai": {"deals": 1},
    "ding_niu": {"deals": 1},
}


def people(hall: Room) -> People:
    """Returns who lets people sit down in an arena."""
    found = hall.arena.people
    assert found
    return found


async def sit(hall: Room, name: str = "Ann", game: str = GAME, **about: Any) -> Client:
    """Returns the stream of somebody who has come in."""
    return await come(people(hall).admit(name), game, **about)


async def come(ticket: Ticket, game: str = GAME, **about: Any) -> Client:
    """Returns the stream of a ticket."""
    return await Client(ticket.address, ticket.token, games=[game], practice_only=True, **about).hello()


async def ask(person: Client, game: str = GAME, *, by_person: bool = True, **options: Any) -> None:
    """Asks for a match against easy house bots."""
    wish = pb.Practice(game=game, level="easy", by_person=by_person)
    for name, value in options.items():
        wish.options.add(option=name, value=str(value))
    await person.send(pb.PlayRequestFrame(practice=wish))


@pytest.mark.parametrize("game", games.names())
def test_a_person_plays_each_game_on_a_server_with_open_tables(tmp_path: Path, game: str) -> None:
    """Unrated, at the clock of people, under the own name; logged as any match is."""

    async def play() -> None:
        async with room(tmp_path, people=EASY) as hall:
            person = await sit(hall, game=game)
            await ask(person, game, **SHORT[game])
            started = await person.expect("match_started")
            await person.expect("match_ended")
            assert not started.rated
            assert started.time_control.base_duration.seconds == 600
            assert started.time_control.bank_duration.seconds == 0

        (log,) = map(read, scan(tmp_path))
        names = [seat.name for seat in log.setup.seats]
        assert sorted(names) == ["Ann", *["easy"] * (len(names) - 1)]
        assert {seat.owner for seat in log.setup.seats} == {"easy", "people"}
        assert log.setup.penalties.retries == 20

    run(play())


def test_a_ladder_seats_people_for_games_that_it_does_not_play(tmp_path: Path) -> None:
    """And what is frozen is frozen for people too."""

    async def play() -> None:
        async with room(tmp_path, ladder=ladder(), people=EASY, recover=True) as hall:
            person = await sit(hall, game="ding_niu")
            await ask(person, "ding_niu", deals=1)
            await person.expect("match_ended")
            backstage = hall.arena._backstage
            assert backstage.ladder
            backstage.ladder.freeze("tonight")
            await ask(person, "ding_niu")
            refused = await person.expect("practice_refused")
            assert refused.refusal == pb.PRACTICE_REFUSAL_CLOSED

    run(play())


def test_bots_practise_on_a_server_with_open_tables(tmp_path: Path) -> None:
    """At the clock of the server; people are seated only where that is wished for."""

    async def play() -> None:
        async with room(tmp_path, practice=PracticeRules(levels=("easy",)), auto_pair=True) as hall:
            hall.arena.config.check()
            bot = await hall.bot("a", practice_only=True)
            await ask(bot)
            refused = await bot.expect("practice_refused")
            assert refused.refusal == pb.PRACTICE_REFUSAL_NOT_OFFERED
            assert "people" in refused.note
            await ask(bot, by_person=False)
            refused = await bot.expect("practice_refused")
            assert refused.refusal == pb.PRACTICE_REFUSAL_UNKNOWN_GAME
        assert hall.arena.people is None

    run(play())


def test_an_empty_chair_is_given_up_after_a_while(tmp_path: Path) -> None:
    """While the stream is gone the house bots wait for as long as the rules say, and then play on."""

    async def play() -> None:
        async with room(tmp_path, people=EASY) as hall:
            practice = practice_of(hall)
            person = await sit(hall, auto=False)
            await ask(person, target=1)
            await person.send(ready(await person.expect("match_started")))
            live = hall.live
            await until(lambda: live.match.phase == "running")
            await person.close()
            seat = next(at for at, member in enumerate(live.members) if member.identity.name == "Ann")
            await until(lambda: live.members[seat].stream is None)
            gone = hall.host.runner.now()
            for later in (0, EASY.away - 10 * SECOND):
                practice.look(gone + later)
            assert not live.ended.done()
            practice.look(gone + EASY.away)
            await live.ended
            await until(lambda: practice.running == 0)
        (log,) = map(read, scan(tmp_path))
        assert log.setup.seats[seat].name == "Ann"
        assert log.end
        assert log.end.places[seat].forfeited

    run(play())


def test_a_match_that_ends_in_a_stall_without_one_of_its_seats_ends_once(tmp_path: Path) -> None:
    """Nobody is asked any more whose clock would have to start behind the stall: the log is closed."""

    async def play() -> None:
        async with room(tmp_path, people=EASY) as hall:
            person = await sit(hall, auto=False)
            await ask(person)
            await person.expect("match_started")
            live = hall.live
            await person.close()
            seat = next(at for at, member in enumerate(live.members) if member.identity.name == "Ann")
            await until(lambda: live.members[seat].stream is None)
            live.gone(seat, hall.host.runner.now() + 60 * SECOND)
            await live.ended
            assert live.failure is None
            other = await sit(hall, "Ben", auto=False)
            await ask(other)
            await other.expect("match_started")
            (log,) = map(read, scan(tmp_path))
        assert log.end
        assert log.end.termination == "no_show"

    run(play())


def test_who_leaves_gives_up_the_seat_at_once(tmp_path: Path) -> None:
    """The match goes to its end without the person, and the ticket opens nothing any more."""

    async def play() -> None:
        async with room(tmp_path, people=EASY) as hall:
            ticket = people(hall).admit("Ann")
            person = await come(ticket, auto=False)
            await ask(person, target=1)
            await person.send(ready(await person.expect("match_started")))
            people(hall).dismiss(ticket, "went away")
            await person.expect("match_ended")
            await person.close()
            again = Client(ticket.address, ticket.token, games=[GAME])
            assert (await again.status())[0].name == "UNAUTHENTICATED"

    run(play())


def test_matches_of_people_are_bounded_apart_from_those_of_bots(tmp_path: Path) -> None:
    """Neither takes the places of the other."""

    async def play() -> None:
        rules = PeopleRules(levels=("easy",), matches=1)
        async with room(tmp_path, people=rules, practice=PracticeRules(levels=("easy",), matches=1)) as hall:
            first, second = await sit(hall, "Ann", auto=False), await sit(hall, "Ben", auto=False)
            await ask(first)
            await first.expect("match_started")
            await ask(second)
            refused = await second.expect("practice_refused")
            assert refused.refusal == pb.PRACTICE_REFUSAL_BUSY

    run(play())


@pytest.mark.parametrize("name", ["", "a\nb", "easy", "EXPERT", "seat 1", "a/b", "x" * 65])
def test_a_person_has_a_name_as_bots_have(tmp_path: Path, name: str) -> None:
    """Nobody is called what could be taken for something else; two people may have one name."""

    async def play() -> None:
        async with room(tmp_path, people=EASY) as hall:
            assert people(hall).admit("Ann").instance != people(hall).admit("Ann").instance
            with pytest.raises(UsageError):
                people(hall).admit(name)

    run(play())

"""The kit practises: one match of each game, then it leaves."""

import pytest

from referee.bot import main
from referee.bot.practice import LEVELS
from referee.bot.session import Bot, Session
from referee.store.bots import HOUSE_BOTS
from referee.v1 import play_service_pb2 as pb


def session(*games: str, level: str = "normal") -> Session:
    """Returns the bot's side of a stream that has been welcomed by nobody yet."""
    return Session(
        Bot(choose_batch=lambda turns: [0] * len(turns), games=games, practice=level, verbose=False)
    )


def heard(made: Session, **arm: object) -> list[str]:
    """Returns what a bot says to one frame, by kind, with the game it asks for."""
    frame = pb.PlayResponseFrame(**arm)  # type: ignore[arg-type]  # one arm of many
    said = []
    for request in made.receive(pb.PlayResponse(frames=[frame])):
        for one in request.frames:
            kind = str(one.WhichOneof("frame"))
            said.append(f"practice {one.practice.game}" if kind == "practice" else kind)
    return said


def test_a_bot_asks_for_each_of_its_games_and_leaves() -> None:
    """The next wish comes after the end of the match before; it says that it wants no others."""
    made = session("guan_pai", "ding_niu")
    hello = made.hello().frames[0].hello

    assert hello.practice_only
    assert heard(made, welcome=pb.Welcome()) == ["practice guan_pai"]
    assert heard(made, ping=pb.Ping(ping_id=1)) == ["pong"]
    assert heard(made, match_started=pb.MatchStarted(match_id="m")) == ["ready"]
    assert heard(made, match_ended=pb.MatchEnded(match_id="m")) == ["practice ding_niu"]
    assert heard(made, match_started=pb.MatchStarted(match_id="n")) == ["ready"]
    assert heard(made, match_ended=pb.MatchEnded(match_id="n")) == ["leave"]
    assert heard(made, ping=pb.Ping(ping_id=2)) == ["pong"]


def test_a_bot_that_practises_leaves_its_other_process_alone() -> None:
    """It is an instance of its own, unless it has a name for that already."""
    bot = Bot(choose_batch=lambda turns: [0] * len(turns), games=["guan_pai"], practice="easy", instance="b")

    assert session("guan_pai").hello().frames[0].hello.instance_id == "practice"
    assert session("guan_pai", level="").hello().frames[0].hello.instance_id == "default"
    assert Session(bot).hello().frames[0].hello.instance_id == "b"


def test_a_refusal_is_told_and_the_next_game_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    """A game that is not played there costs the others nothing."""
    made = session("guan_pai", "ding_niu")
    heard(made, welcome=pb.Welcome())

    assert heard(made, practice_refused=pb.PracticeRefused(note="not here")) == ["practice ding_niu"]
    assert "no practice of guan_pai: not here" in capsys.readouterr().err
    assert heard(made, practice_refused=pb.PracticeRefused(note="nor that")) == ["leave"]


@pytest.mark.parametrize("reason", ["UNKNOWN_LEVEL", "NOT_OFFERED", "CLOSED", "TOO_OFTEN"])
def test_a_refusal_that_holds_for_all_games_is_told_once(
    reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The other games are not asked for: they would be refused in the same words."""
    made = session("guan_pai", "ding_niu", "mexican_train")
    heard(made, welcome=pb.Welcome())
    refusal = pb.PracticeRefused(refusal=f"PRACTICE_REFUSAL_{reason}", note="never")  # type: ignore[arg-type]

    assert heard(made, practice_refused=refusal) == ["leave"]
    assert heard(made, practice_refused=refusal) == []
    assert capsys.readouterr().err == "bot: no practice: never\n"


def test_a_refusal_says_when_to_ask_again(capsys: pytest.CaptureFixture[str]) -> None:
    """Where the server tells a time, in whole seconds."""
    made = session("guan_pai")
    heard(made, welcome=pb.Welcome())
    refusal = pb.PracticeRefused(note="all are busy")
    refusal.retry_duration.FromMilliseconds(9_200)

    assert heard(made, practice_refused=refusal) == ["leave"]
    assert capsys.readouterr().err == "bot: no practice of guan_pai: all are busy; ask again in 10 s\n"


def test_the_kit_knows_the_levels_of_the_house_bots() -> None:
    """It keeps a list of its own, since it imports nothing of the server."""
    assert LEVELS == HOUSE_BOTS


@pytest.mark.parametrize("level", ["", "hard", "Easy"])
def test_an_unknown_level_is_refused_before_the_bot_connects(
    level: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """An empty one too: the bot would sit down at rated tables."""
    with pytest.raises(SystemExit) as ended:
        main(
            lambda _: 0,
            argv=["--practice", level, "--server", "127.0.0.1:1", "--token", "x"],
            games=["guan_pai"],
        )

    assert ended.value.code == 2
    assert capsys.readouterr().err == (
        f"bot: no house bots have the level {level!r}; practise against easy, normal, expert\n"
    )


def test_a_bot_that_does_not_practise_asks_for_nothing() -> None:
    """Any number of matches may come and go."""
    made = session("guan_pai", level="")

    assert not made.hello().frames[0].hello.practice_only
    assert heard(made, welcome=pb.Welcome()) == []
    for match_id in "abc":
        heard(made, match_started=pb.MatchStarted(match_id=match_id))
        assert heard(made, match_ended=pb.MatchEnded(match_id=match_id)) == []

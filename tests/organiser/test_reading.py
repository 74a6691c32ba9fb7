"""What a tournament file may say, and what is said of one that cannot be played."""

from pathlib import Path

import pytest

from referee.errors import UsageError
from referee.match.config import Penalties, TimeControl
from referee.organiser.file import Document
from referee.organiser.reading import read_tournament
from referee.organiser.tournament import Tournament
from referee.server.config import ArenaConfig
from referee.store.bots import Bot
from referee.tournament.formats.settings import GauntletSettings, RoundRobinSettings, SwissSettings

HEAD = """[tournament]
name = "cup"
game = "block_dominoes"
"""
BOTS = """
[bots.easy]
[bots.normal]
[bots.spar]
house = "expert"
[bots.mine]
command = "sample_bots/python/first_bot.py --fast"
owner = " ann"
"""
REGISTER = (Bot("deep", "Deep", "bob", 1, None), Bot("old", "old", "bob", 1, 2))


def read(text: str) -> Tournament:
    """Reads a tournament."""
    return read_tournament(Document("cup.toml", text), lambda: REGISTER)


def problems(text: str) -> list[str]:
    """Returns the lines with which a text is refused."""
    with pytest.raises(UsageError) as refused:
        read(text)
    return str(refused.value).split("\n")


def test_a_short_file_has_defaults_for_all_else() -> None:
    """Name, game and bots are enough; house bots need no more than their name."""
    cup = read(HEAD + BOTS)

    assert [(bot.name, bot.owner, bot.bot_id, bot.house) for bot in cup.bots] == [
        ("easy", "easy", "easy/easy", True),
        ("normal", "normal", "normal/normal", True),
        ("spar", "expert", "expert/spar", True),
        ("mine", "ann", "ann/mine", False),
    ]
    assert cup.bots[3].command[-1] == "--fast"
    assert (cup.seats, cup.rated, cup.duplicate, cup.seed) == (4, True, None, None)
    assert (cup.format, cup.time_control, cup.penalties) == (RoundRobinSettings(), TimeControl(), Penalties())
    assert cup.options["target"] == 100
    assert cup.order == read(HEAD + BOTS).order, "the same every time"
    assert cup.watch_delay == ArenaConfig().watch_delay, "that of `referee serve`"


def test_everything_can_be_said() -> None:
    """Each key of the documented file is taken."""
    cup = read(
        HEAD
        + """
seats = 4
rated = false
anonymous = true
duplicate = "none"
seed = 7
order = 3
time = "2s+0,bank=20s"
watch_delay = 3
[options]
target = 50
[penalties]
strikes = 3
retries = 0
strays = 5
max_plies = 500
[format]
kind = "swiss"
rounds = 5
bye = 1
[stop]
least = 40
width = 0.1
certain = true
[running]
concurrency = 8
share = 0.25
attempts = 2
no_shows = 1
start_failures = 4
"""
        + BOTS
    )

    assert (cup.format, cup.seed, cup.order) == (SwissSettings(rounds=5, bye=1.0), 7, 3)
    assert cup.penalties == Penalties(strikes=3, retries=0, strays=5, max_plies=500)
    assert (cup.stop.least, cup.stop.width, cup.stop.certain) == (40, 0.1, True)
    assert (cup.running.concurrency, cup.running.share, cup.running.start_failures) == (8, 0.25, 4)
    assert (cup.options["target"], cup.anonymous, cup.rated, cup.watch_delay) == (50, True, False, 3)


def test_a_registered_bot_is_named_by_its_name_in_the_register() -> None:
    """It plays under the id, and for the owner, that it is registered with; case makes no difference."""
    cup = read(HEAD + BOTS + '[bots.far]\nregistered = "DEEP"\n')
    far = cup.bots[-1]

    assert (far.name, far.bot_id, far.owner, far.command) == ("far", "deep", "bob", ())


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (HEAD.replace("game", "gmae"), "cup.toml:3: tournament.gmae: unknown key; did you mean game?"),
        (
            HEAD.replace("block_dominoes", "block_domino"),
            (
                "cup.toml:3: tournament.game: 'block_domino' is not one of block_dominoes, guan_pai,"
                " mexican_train, ding_niu; did you mean block_dominoes?"
            ),
        ),
        (
            HEAD.replace('"cup"', '"my cup"'),
            "cup.toml:2: tournament.name: 'my cup' has to be 1 to 64 letters",
        ),
        (HEAD.replace('"cup"', '""'), "cup.toml:2: tournament.name: '' has to be 1 to 64 letters"),
        (
            HEAD + '[bots.seat-1]\nhouse = "easy"',
            "cup.toml:4: bots.seat-1: name 'seat-1': opponents are told",
        ),
        (
            HEAD + '[format]\nkind = "gauntlet"\ncandidates = ["mine", "mine"]',
            "cup.toml:6: format.candidates.1: 'mine' is named twice",
        ),
        (HEAD + "seats = 3", "cup.toml:4: tournament.seats: block_dominoes is for 4 seats, not for 3"),
        (HEAD + "seed = 4", "cup.toml:4: tournament.seed: a rated tournament has no seed"),
        (HEAD + "watch_delay = -1", "cup.toml:4: tournament.watch_delay: -1 is not between 0 and"),
        (HEAD + 'watch_delay = "8s"', "cup.toml:4: tournament.watch_delay: has to be a whole number, not"),
        (HEAD + 'time = "5 parsecs"', "cup.toml:4: tournament.time: time control '5 parsecs': cannot read"),
        (
            HEAD + 'duplicate = "mirror"',
            "cup.toml:4: tournament.duplicate: 'mirror' is not one of none, rotate",
        ),
        (
            HEAD + "[options]\ntargte = 5",
            "cup.toml:5: options.targte: block_dominoes has no such option; did you mean target?",
        ),
        (HEAD + "[options]\ntarget = 0", "cup.toml:5: options.target: "),
        (HEAD + "[options]\ntarget = true", "cup.toml:5: options.target: has to be a whole number or a text"),
        (HEAD + "[penalties]\nstrikes = 0", "cup.toml:5: penalties.strikes: 0 is not between 1 and"),
        (HEAD + '[format]\nkind = "swis"', "cup.toml:5: format.kind: 'swis' is not one of round_robin"),
        (HEAD + '[format]\nkind = "swiss"', "cup.toml:4: format.rounds: is missing"),
        (
            HEAD + '[format]\nkind = "gauntlet"\ncandidates = ["mien"]',
            "cup.toml:6: format.candidates: there is no bot 'mien'; did you mean mine?",
        ),
        (HEAD + "[stop.sprt]\ngain = 0.1", 'cup.toml:4: stop.sprt: is for format kind = "gauntlet"'),
        (HEAD + "[running]\nshare = 2", "cup.toml:5: running.share: 2 is not between 0.001 and 1"),
        (HEAD + "[bots.other]", "cup.toml:4: bots.other: has nothing to play; give one of command, house"),
        (
            HEAD + '[bots.other]\ncommand = "./nonesuch.py"',
            "cup.toml:5: bots.other.command: bot ./nonesuch.py: no such program: tried ",
        ),
        (
            HEAD + '[bots.other]\nhouse = "expret"',
            "cup.toml:5: bots.other.house: 'expret' is not one of easy",
        ),
        (HEAD + '[bots.Easy]\nhouse = "easy"', "bots.easy: is the same bot as bots.Easy; take another name"),
        (
            HEAD + '[bots.other]\nregistered = "depe"',
            "cup.toml:5: bots.other.registered: no bot is registered as 'depe'; did you mean deep?",
        ),
        (
            HEAD + '[bots.other]\nregistered = "old"',
            "cup.toml:5: bots.other.registered: the token of 'old' was",
        ),
        (
            HEAD + 'duplicate = "rotate"\n[bots.other]\nregistered = "deep"',
            "cup.toml:6: bots.other.registered: cannot play duplicate = 'rotate'",
        ),
        (
            HEAD + '[bots.other]\ncommand = "true"\nowner = "Easy"',
            "cup.toml:6: bots.other.owner: owner 'Easy': this is the name of a house bot",
        ),
        (
            HEAD + '[bots.other]\ncommand = "true"\nowner = "ann\\n"',
            "cup.toml:6: bots.other.owner: owner 'ann\\n': 1 to 64 printable",
        ),
        (HEAD + '["bots"."a b"]\nhouse = "easy"', "cup.toml:4: bots.a b: the name has to be 1 to 64 letters"),
    ],
)
def test_s17_what_cannot_be_played_is_refused_by_line_and_key(text: str, line: str) -> None:
    """Games, options, formats and bots that do not exist are named, with what may have been meant."""
    found = problems(text + BOTS)

    assert [told for told in found if line in told] != [], found
    assert len(found) <= 2


def test_a_file_with_too_few_bots() -> None:
    """A table that cannot be filled is refused before anything starts."""
    assert problems(HEAD + "[bots.easy]\n[bots.normal]\n") == [
        "cup.toml:1: tournament.seats: a table has 4 seats; name at least 4 bots, not 2"
    ]
    assert "there is no bot" in problems(HEAD)[-1]


def test_all_problems_come_at_once() -> None:
    """One run tells all that has to be changed."""
    text = HEAD.replace('"cup"', "7") + "[options]\nx = 1\n[running]\nshare = 'a'\n[nonsense]\n" + BOTS

    assert [problem.split(": ")[1] for problem in problems(text)] == [
        "tournament.name",
        "options.x",
        "running.share",
        "nonsense",
    ]


def test_the_committed_example_can_be_read() -> None:
    """The example of the documentation is a sound file."""
    path = Path(__file__).parents[2] / "sample_bots" / "tournament.toml"
    cup = read_tournament(Document.read(path), lambda: ())

    assert len(cup.bots) >= cup.seats
    assert not isinstance(cup.format, GauntletSettings)

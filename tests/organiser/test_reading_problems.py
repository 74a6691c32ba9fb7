"""What a tournament file says that cannot be, told so that whoever wrote it knows what to change."""

import pytest

from tests.organiser.test_reading import HEAD, problems, read

DUCK = '[bots.duck]\ncommand = "true"\n'
FOUR = "[bots.easy]\n[bots.normal]\n[bots.expert]\n" + DUCK
CHALLENGE = '[format]\nkind = "challenge"\nlevel = "easy"\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            HEAD + FOUR.replace("command", "cmd"),
            [
                "cup.toml:7: bots.duck: has nothing to play; give one of command, house, registered",
                "cup.toml:8: bots.duck.cmd: unknown key; did you mean command?",
            ],
        ),
        (
            HEAD + FOUR + 'house = "easy"\n',
            [
                (
                    "cup.toml:9: bots.duck.house: command is given too, and they exclude each other;"
                    " keep one of them"
                )
            ],
        ),
        (HEAD + "sed = 3\n" + FOUR, ["cup.toml:4: tournament.sed: unknown key; did you mean seed?"]),
        (
            HEAD + FOUR + "[stop]\nsptr = 1\n",
            ["cup.toml:10: stop.sptr: unknown key; did you mean sprt?"],
        ),
        (
            HEAD + DUCK.replace("true", "") + FOUR.replace("duck", "goose"),
            ["cup.toml:5: bots.duck.command: bot '': the command is empty; name a bot such as easy"],
        ),
        (
            HEAD + FOUR + 'owner = ""\n',
            [("cup.toml:9: bots.duck.owner: owner '': 1 to 64 printable characters make a name; this has 0")],
        ),
        (
            HEAD + FOUR + 'owner = "ann/bob"\n',
            [
                (
                    "cup.toml:9: bots.duck.owner: owner 'ann/bob': '/' ends the owner in the id of a bot;"
                    " take another"
                )
            ],
        ),
    ],
)
def test_a_key_that_is_close_to_a_known_one_or_excludes_another(text: str, told: list[str]) -> None:
    """Which keys are known depends on nothing that is given; what is empty is no command and no owner."""
    assert problems(text) == told


def test_a_table_that_is_none_is_the_only_problem_of_it() -> None:
    """Nobody is told that keys are missing which stand in a table of the wrong kind."""
    assert problems(HEAD.replace("[tournament]", "[[tournament]]") + FOUR) == [
        "cup.toml:1: tournament: has to be a table, [tournament]"
    ]
    assert problems(HEAD + "[bots]\nduck = 3\neasy = {}\nnormal = {}\nexpert = {}\n") == [
        "cup.toml:5: bots.duck: has to be a table, [bots.duck]"
    ]


def test_another_problem_does_not_make_a_challenge_want_more_bots() -> None:
    """The house bots of a challenge need not be named, whatever else is wrong."""
    assert problems(HEAD + "sed = 3\n" + CHALLENGE + DUCK) == [
        "cup.toml:4: tournament.sed: unknown key; did you mean seed?"
    ]
    assert problems(HEAD + CHALLENGE + "matches = 0\n" + DUCK) == [
        "cup.toml:7: format.matches: 0 is not between 1 and 1000000000"
    ]
    assert [bot.name for bot in read(HEAD + CHALLENGE + DUCK).bots] == ["duck", "easy", "easy-2", "easy-3"]


def test_a_challenge_names_none_of_its_house_bots_or_all() -> None:
    """A part of them, others, their names for another bot, and nobody else are refused where they stand."""
    some = "a challenge at 4 seats is against 3 house bots of level easy and no others"
    all_of = "name none or all of easy, easy-2, easy-3"
    assert problems(HEAD + CHALLENGE + DUCK + "[bots.easy]\n") == [f"cup.toml:9: bots.easy: {some}; {all_of}"]
    assert problems(HEAD + CHALLENGE + FOUR) == [f"cup.toml:7: bots.easy: {some}; {all_of}"]
    assert problems(HEAD + CHALLENGE + DUCK.replace("duck", "easy-2")) == [
        "cup.toml:7: bots.easy-2: this is the name of a house bot of the challenge; take another"
    ]
    house = "".join(f'[bots.easy-{number}]\nhouse = "easy"\n' for number in (2, 3))
    assert problems(HEAD + CHALLENGE + "[bots.easy]\n" + house) == [
        "cup.toml:7: bots: nobody takes the challenge: all of these are house bots"
    ]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("alpha = 2", "alpha: 2 is not between 0 and 0.5, neither of which can be had"),
        ("beta = 0.5", "beta: 0.5 is not between 0 and 0.5, neither of which can be had"),
        ("gain = 1", "gain: 1 is not between -1 and 1, neither of which can be had"),
        ("gain = -0.5", "gain: differences of 0 and -0.5 points cannot be told apart; the first must be"),
        ("null = 0.5", "null: differences of 0.5 and 0.05 points cannot be told apart; the first must be"),
    ],
)
def test_the_numbers_of_a_sequential_test_are_told_with_their_own_range(line: str, told: str) -> None:
    """An error rate lies between 0 and one half, a difference of points between -1 and 1."""
    gauntlet = '[format]\nkind = "gauntlet"\ncandidates = ["duck"]\n'
    (problem,) = problems(HEAD + gauntlet + FOUR + "[stop.sprt]\n" + line)

    assert problem.startswith(f"cup.toml:13: stop.sprt.{told}")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[format]\nlaps = 2\nmatches = 3\n", "cup.toml:6: format.matches: laps and matches are both given"),
        ('duplicate = "same_seat"\n[format]\nlaps = 2\n', "cup.toml:4: tournament.duplicate: a round robin"),
        (
            'duplicate = "same_seat"\n[format]\nkind = "gauntlet"\ncandidates = ["easy"]\n',
            "cup.toml:4: tournament.duplicate: same_seat blocks are played against house bots alone",
        ),
    ],
)
def test_what_makes_no_schedule_is_told_with_the_line_of_its_key(text: str, told: str) -> None:
    """A setting is refused where it stands and not where the format begins."""
    (problem,) = problems(HEAD + text + FOUR)

    assert problem.startswith(told)


def test_bots_of_one_owner_that_make_no_table_are_told_with_the_bots() -> None:
    """The line is that of the first table of a bot."""
    bots = "".join(f'[bots.{name}]\ncommand = "true"\nowner = "ann"\n' for name in "abcd")
    (problem,) = problems(HEAD + "\n" + bots)

    assert problem.startswith("cup.toml:5: bots: no table of 4 seats can be made: rated tables hold one bot")


@pytest.mark.parametrize(
    ("table", "line", "least"),
    [
        ("format", "laps = 0", "1 and 1000000000"),
        ("format", "matches = 0", "1 and 1000000000"),
        ("running", "share = 0", "0.001 and 1"),
        ("running", "concurrency = 0", "1 and 4096"),
        ("stop", "width = 0.0", "0.001 and 1"),
        ("stop", "matches = 0", "1 and 1000000000"),
    ],
)
def test_zero_does_not_stand_for_what_is_left_out(table: str, line: str, least: str) -> None:
    """Whoever writes 0 meant something by it; what is not wanted is left out."""
    key = line.partition(" ")[0]
    assert problems(HEAD + f"[{table}]\n{line}\n" + FOUR) == [
        f"cup.toml:5: {table}.{key}: 0 is not between {least}"
    ]

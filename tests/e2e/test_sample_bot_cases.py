"""What goes wrong between a bot and the referee, as the sample bots of all languages see it.

Refusals that stand alone (M1, M2) and coming back (D8) are in `test_sample_bot_sessions.py`, lost
connections and long idles (D2, D18) in `test_sample_bots_together.py`.
"""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from google.protobuf import text_format

from referee.games import names
from referee.v1 import fault_pb2 as faults
from referee.v1 import game_pb2
from referee.v1 import play_service_pb2 as play
from tests.bot.scripted_referee import (
    Refusal,
    Requests,
    Script,
    ScriptedReferee,
    goodbye,
    heard,
    rejected,
    say,
    started,
    turn,
    welcome,
)
from tests.e2e.languages import BUILD_LIMIT, Bots
from tests.e2e.launcher import Launcher
from tests.patience import PATIENCE

pytestmark = pytest.mark.timeout(BUILD_LIMIT + 120)

PING = play.PlayResponseFrame(ping=play.Ping(ping_id=7))
MIB = 1024 * 1024

PHASES = {
    "block_dominoes the opening": ("", "{ tile: 102 }"),
    "block_dominoes a play": ("", "{ tile: 6 end: 1 } { tile: 22 end: 2 }"),
    "guan_pai a lead": (
        "public { hand_counts: [2, 2, 2] } private { hand_cards: [0, 1] }",
        "{ kind: 1 cards: 0 } { kind: 1 cards: [0, 1] }",
    ),
    "guan_pai a play to beat": (
        "public { hand_counts: [2, 2, 2] top_play { seat: 1 cards: 4 } } private { hand_cards: [0, 8] }",
        "{ kind: 1 cards: 8 } { kind: 2 }",
    ),
    "guan_pai only a pass": (
        "public { hand_counts: [1, 1, 1] top_play { seat: 1 cards: 4 } } private { hand_cards: 0 }",
        "{ kind: 2 }",
    ),
    "mexican_train a first turn": (
        "public { trains {} trains {} public_train {} hand_counts: [2, 2] } private { hand_tiles: [1, 2] }",
        "{ kind: 1 tile: 1 } { kind: 2 }",
    ),
    "mexican_train a drawn tile": (
        "public { trains {} trains {} public_train {} drawn: true } private { hand_tiles: 1 drawn_tile: 1 }",
        "{ kind: 1 tile: 1 train: 8 }",
    ),
    "ding_niu a lead": ("private { hand_tiles: [17, 34] }", "{ kind: 1 tile: 17 } { kind: 1 tile: 34 }"),
    "ding_niu a discard": ("private { hand_tiles: [17, 34] }", "{ kind: 2 tile: 17 } { kind: 2 tile: 34 }"),
    "ding_niu a settlement": ("private { hand_tiles: 17 }", "{ kind: 3 } { kind: 4 }"),
}
"""The kinds of questions of each game: what the seat sees, and what it may do."""


def question(match_id: str, phase: str) -> play.PlayResponseFrame:
    """Returns the first turn of a match, in a phase of its game."""
    game = phase.split(maxsplit=1)[0]
    seen, allowed = PHASES[phase]
    asked = turn(match_id, 1)
    text_format.Parse(f"{game} {{ {seen} }}", asked.turn.observation)
    for action in re.findall(r"\{.*?\}", allowed):
        text_format.Parse(f"{game} {action}", asked.turn.legal_actions.add())
    return asked


def quiet(requests: Requests) -> Iterator[play.PlayResponse]:
    """Yields a ping, and makes sure that the bot has nothing else to say than its answer."""
    yield say(PING)
    assert [pong.ping_id for pong in heard(requests, "pong")] == [7]


def opened(requests: Requests, *matches: str) -> Iterator[play.PlayResponse]:
    """Yields what opens a session with running matches."""
    heard(requests, "hello")
    yield say(welcome(), *map(started, matches))
    readies = 0
    while readies < len(matches):
        readies += len(heard(requests, "ready"))


def plays(launch: Launcher, *scripts: Script) -> None:
    """Plays scripts to a bot, which ends well."""
    with ScriptedReferee(*scripts) as referee:
        assert launch(referee.address).wait() == 0
    assert len(referee.authorizations) == len(scripts)


def test_m1_a_refusal_in_one_match_costs_the_others_nothing(launch: Launcher) -> None:
    """Of eight matches the third turn of the first is refused: it is answered again, all others go on."""
    matches = [f"match-{number}" for number in range(8)]

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        yield from opened(requests, *matches)
        for number in (1, 2, 3):
            yield say(*(turn(match_id, number, 0x25, 0x66) for match_id in matches))
            acts = heard(requests, "act")
            assert [(act.match_id, act.turn_id) for act in acts] == [(each, number) for each in matches]
        refused = rejected(matches[0], 3, faults.FAULT_KIND_ILLEGAL)
        yield say(refused, *(turn(match_id, 4, 0x25) for match_id in matches[1:]))
        first, *others = heard(requests, "act")
        assert (first.match_id, first.turn_id, first.WhichOneof("answer"), first.index) == (
            *(matches[0], 3, "index"),
            0,
        )
        assert [(act.match_id, act.turn_id) for act in others] == [(each, 4) for each in matches[1:]]
        yield from quiet(requests)
        yield say(goodbye())

    plays(launch, script)


def test_m3_m6_m9_d16_no_other_refusal_is_answered(launch: Launcher) -> None:
    """A refused act that was out of turn, early, late or too much is left alone, however often told."""
    kinds = ("NOT_YOUR_TURN", "FUTURE", "STALE", "CONFLICTING", "RATE_LIMITED")

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        yield from opened(requests, "a")
        yield say(turn("a", 1, 0x25))
        heard(requests, "act")
        for kind in kinds:
            fault = faults.FaultKind.Value(f"FAULT_KIND_{kind}")
            nobody = play.Rejected(match_id="a", turn_id=0, answered_turn_id=1, fault=fault)
            yield say(*[play.PlayResponseFrame(rejected=nobody)] * 100)
            yield from quiet(requests)
        stale = rejected("a", 2, faults.FAULT_KIND_STALE, remaining_duration={"seconds": 2})
        stale.rejected.answered_turn_id = 1
        yield say(stale, turn("a", 2, 0x25), stale)
        assert [act.turn_id for act in heard(requests, "act")] == [2]
        yield from quiet(requests)
        yield say(goodbye())

    plays(launch, script)


def test_m10_m13_every_phase_is_answered_from_the_list_and_again_when_it_is_refused(launch: Launcher) -> None:
    """In each phase of each game the answer is one of the actions as it came; a refused one is mended."""
    assert {phase.split()[0] for phase in PHASES} == set(names())

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        yield from opened(requests, *PHASES)
        for phase in PHASES:
            asked = question(phase, phase)
            yield say(asked)
            (act,) = heard(requests, "act")
            assert act.action in list[game_pb2.Action](asked.turn.legal_actions), phase
            yield say(rejected(phase, 1, faults.FAULT_KIND_ILLEGAL))
            assert heard(requests, "act") == [play.Act(match_id=phase, turn_id=1, index=0)]
        yield from quiet(requests)
        yield say(goodbye())

    plays(launch, script)


def test_d3_it_reads_whatever_comes_and_returns_when_it_was_dropped(launch: Launcher) -> None:
    """A burst of messages that ask for nothing is read; after a status without a word the bot comes back."""
    frame = play.PlayResponseFrame.FromString(b"\xba\x3e\x80\x40" + bytes(8192))

    def burst(requests: Requests) -> Iterator[play.PlayResponse]:
        yield from opened(requests, "a")
        for _ in range(300):
            yield say(frame)
        yield from quiet(requests)
        raise Refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, "the bot does not read")

    def back(requests: Requests) -> Iterator[play.PlayResponse]:
        yield from opened(requests, "a")
        yield say(turn("a", 5, 0x25))
        assert [act.turn_id for act in heard(requests, "act")] == [5]
        yield say(goodbye())

    plays(launch, burst, back)


def test_d19_messages_up_to_the_limit_are_read(launch: Launcher) -> None:
    """A message of `Limits.max_response_bytes` is read, with the turn in it."""
    asked = say(turn("a", 1, 0x25))
    room = MIB - asked.ByteSize()
    padding = play.PlayResponseFrame.FromString(b"\xba\x3e" + length(room - 16) + bytes(room - 16))
    asked.frames.insert(0, padding)
    assert MIB - 16 < asked.ByteSize() <= MIB

    def script(requests: Requests) -> Iterator[play.PlayResponse]:
        yield from opened(requests, "a")
        yield asked
        assert [act.turn_id for act in heard(requests, "act")] == [1]
        yield from quiet(requests)
        yield say(goodbye())

    plays(launch, script)


def length(number: int) -> bytes:
    """Returns a number as protobuf writes lengths."""
    return bytes([number & 127 | 128, number >> 7 & 127 | 128, number >> 14])


UNTIDY = 4
"""How many turns are first answered in a text that is not canonical."""
TEXT = {
    "python-bare": (
        "bare_bot.py",
        {
            "turn_id=turn.turn_id, action=choose(turn)": "turn_id=turn.turn_id, text=written(turn)",
            "def prepare() -> None:": """def written(turn: play.Turn) -> str:
    action = choose(turn).block_dominoes
    end = ["", " left", " right"][action.end]
    text = f"play {action.tile >> 4}-{action.tile & 15}{end}"
    untidy = {1: text + chr(13), 2: chr(0xFEFF) + text, 3: text.upper(), 4: " " + text}
    return untidy.get(turn.turn_id, text)


def prepare() -> None:""",
        },
    ),
    "typescript": (
        "src/bot.ts",
        {
            "turnId: turn.turnId, action: choose(turn)": "turnId: turn.turnId, text: written(turn)",
            "function ended(": """function written(turn: NonNullable<Frame["turn"]>): string {
  const { tile, end } = choose(turn).blockDominoes ?? { tile: 0, end: "" };
  const side = String(end).replace("BLOCK_DOMINOES_END_", "").replace("UNSPECIFIED", "").toLowerCase();
  const text = `play ${tile >> 4}-${tile & 15} ${side}`.trim();
  return [text, text + "\\r", "\\ufeff" + text, text.toUpperCase(), " " + text][turn.turnId] ?? text;
}

function ended(""",
        },
    ),
    "go": (
        "session.go",
        {
            '\t"log"\n': '\t"fmt"\n\t"log"\n',
            "Answer: &pb.Act_Action{Action: choose(turn)}": "Answer: &pb.Act_Text{Text: written(turn)}",
            "func act(": """func written(turn *pb.Turn) string {
	action := choose(turn).GetBlockDominoes()
	end := []string{"", " left", " right"}[action.End]
	text := fmt.Sprintf("play %d-%d%s", action.Tile>>4, action.Tile&15, end)
	untidy := []string{text, text + "\\r", "\\ufeff" + text, strings.ToUpper(text), " " + text}
	if int(turn.TurnId) < len(untidy) {
		return untidy[turn.TurnId]
	}
	return text
}

func act(""",
        },
    ),
}
"""What makes a bot answer in text: its file, and what is put in place of what."""


@pytest.mark.parametrize("language", TEXT)
def test_m12_answers_in_text_are_taken_or_the_first_bad_byte_is_named(
    built: Bots, language: str, tmp_path: Path
) -> None:
    """Carriage return, byte order mark, capitals and a space are told by their place; the rest is played."""
    bot = shlex.join(built.variant(language, *TEXT[language]))
    run = [sys.executable, "-m", "referee", "match", "--json", "--seed", "7", "--data", str(tmp_path)]
    done = subprocess.run(
        [*run, "--time", "20s+0,bank=0", "--option", "target=30", "easy", "normal", "expert", f"text={bot}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    said = "".join(path.read_text("utf-8") for path in tmp_path.glob("output/*/*text*"))
    places = [int(place) for place in re.findall(r"MALFORMED: byte (\d+): ", said)]

    assert result["termination"] == "completed"
    assert [place["faults"] for place in result["placements"] if place["seat"] == 3] == [
        {"malformed": UNTIDY}
    ]
    assert (places[0] in {len("play 6-6"), len("play 2-5 left"), len("play 2-5 right")}, places[1:]) == (
        True,
        [0, 0, 0],
    )

"""The house bots at Ding Niu: what they choose, and what they work out."""

import random

import pytest

from referee.bot import Turn
from referee.bot.tiles import halves, parse, pips
from referee.games.ding_niu import GAME
from referee.games.ding_niu.scoring import score
from referee.v1 import play_service_pb2 as play
from referee.v1.ding_niu_pb2 import DING_NIU_ACTION_KIND_CONTINUE, DING_NIU_ACTION_KIND_DISCARD
from sample_bots.house import ding_niu as house
from tests.games.helpers import Step, playout


def ask(
    hand: str,
    steps: str,
    legal: str,
    *,
    seat: int = 0,
    leader: int = 1,
    down: str = "",
    options: dict[str, str] | None = None,
) -> Turn:
    """Returns a turn; steps are written as in `1 play 2-6, 2 play 6-6 right, 3 discard`."""
    turn = play.Turn()
    table = turn.observation.ding_niu
    table.private.hand_tiles.extend(map(parse, hand.split()))
    table.private.discard_tiles.extend(map(parse, down.split()))
    table.public.leader_seat = leader
    counts, line = [6, 6, 6, 6], list[tuple[int, int]]()
    for step in filter(None, steps.split(", ")):
        who, _, what = step.partition(" ")
        said = table.public.steps.add(seat=int(who))
        if what.startswith("play"):
            named = GAME.text.parse_action(what)
            action = Turn(turn, play.MatchStarted()).message.legal_actions.add()
            action.ParseFromString(GAME.wire.action(named))
            said.kind, said.tile, said.end = action.ding_niu.kind, action.ding_niu.tile, action.ding_niu.end
            del turn.legal_actions[:]
            lay(line, halves(said.tile), what)
        else:
            said.kind = DING_NIU_ACTION_KIND_DISCARD if "discard" in what else DING_NIU_ACTION_KIND_CONTINUE
            said.revoke = "revoke" in what
        counts[int(who)] -= 0 if what == "continue" else 1 + said.revoke
    table.public.hand_counts.extend(counts)
    table.public.line_tiles.extend(16 * left + right for left, right in line)
    table.public.totals.extend([0, 0, 0, 0])
    table.public.deal = 1
    for text in legal.split(", "):
        turn.legal_actions.add().ParseFromString(GAME.wire.action(GAME.text.parse_action(text)))
    started = play.MatchStarted(game="ding_niu", seat=seat)
    for name, word in GAME.info.resolve(options or {}).items():
        started.options.add(option=name, value=str(word))
    return Turn(turn, started)


def lay(line: list[tuple[int, int]], tile: tuple[int, int], text: str) -> None:
    """Lays a tile at the end that the text names."""
    if text.endswith("left"):
        line.insert(0, tile if tile[1] == line[0][0] else tile[::-1])
    else:
        line.append(tile if not line or tile[0] == line[-1][1] else tile[::-1])


@pytest.mark.parametrize(
    ("legal", "chosen"),
    [
        ("play 1-1 left, play 1-6 left, play 1-5 left", 1),
        ("play 1-5 left, play 3-3 right", 0),
        ("discard 2-6, discard 2-2, discard 6-6", 1),
        ("discard 1-3, discard 2-2", 0),
        ("play 1-1 left, discard 1-1, discard 6-6", 0),
        ("settle, continue", 1),
    ],
)
def test_normal_plays_heavy_tiles_and_discards_light_ones(legal: str, chosen: int) -> None:
    """Normal plays the tile with the most pips, discards the one with the fewest, and never settles."""
    assert house.normal(ask("1-1 1-3", "1 play 1-3", legal)) == chosen


FOURS = "1 play 4-6, 2 play 4-4 left, 3 play 4-4 left"
LIGHT = "1-1 1-1 1-3 1-3 2-2"
HEAVY = "5-5 5-6 5-6 6-6 6-6"


def test_expert_closes_the_line_when_that_wins() -> None:
    """With the last 4 at both ends nobody can follow; light tiles left make that a won settlement."""
    assert house.expert(ask(f"{LIGHT} 4-6", FOURS, "play 4-6 left, play 4-6 right")) == 1


def test_expert_does_not_close_the_line_when_that_loses() -> None:
    """With heavy tiles left the same play would pay for all, so that any other is better."""
    legal = "play 4-6 left, play 4-6 right, play 5-6 right, play 6-6 right"
    assert house.expert(ask(f"{HEAVY} 4-6", FOURS, legal)) != 1


@pytest.mark.parametrize(("hand", "chosen"), [(LIGHT, 0), (HEAVY, 1)])
def test_expert_settles_when_that_wins(hand: str, chosen: int) -> None:
    """Asked, it settles with light tiles left and continues with heavy ones."""
    turn = ask(hand, f"{FOURS}, 0 play 4-6 right", "settle, continue", options={"settlement": "declared"})
    assert house.expert(turn) == chosen


def test_expert_keeps_to_a_single_choice_and_to_plays() -> None:
    """One action needs no thought, and a revoke is never worth its price."""
    assert house.expert(ask("1-1 1-3", "1 play 1-3", "play 1-1 left")) == 0
    legal = "play 1-1 left, discard 1-1, discard 6-6"
    assert house.expert(ask("1-1 6-6", "1 play 1-3", legal, options={"revoke": "extra_discard"})) == 0


def test_expert_decides_alike_in_equal_turns() -> None:
    """It needs no memory and no luck: the same turn has the same answer."""
    turns = [ask("1-1 2-2 1-6 3-6 5-5 4-6", "1 play 1-3", "play 1-1 left, play 1-6 left, play 3-6 right")] * 2
    assert house.expert(turns[0]) == house.expert(turns[1])


def test_what_a_discard_says_is_kept_in_mind() -> None:
    """A seat that discarded has nothing that fits the ends of then, nor was what it put down such a tile."""
    table = house.read(
        ask("1-1 5-5", "1 play 1-3, 2 discard, 3 play 3-6 right, 0 play 1-1 left, 1 discard", "play 1-1")
    )
    lacking = [
        {house.ALL_TILES[place] for place in range(24) if cannot >> place & 1}
        for cannot in (table.lacks[2][-1], table.lacks[1][-1])
    ]
    assert lacking[0] == {0x11, 0x13, 0x15, 0x16, 0x33, 0x36}
    assert lacking[1] == {0x11, 0x13, 0x15, 0x16, 0x26, 0x36, 0x46, 0x56, 0x66}
    assert table.lacks[2] == [table.lacks[2][-1]] * 2
    assert table.lacks[3] == [0]


def test_a_revoke_says_nothing_of_what_fits() -> None:
    """The two tiles that it costs may be any that the seat can have held."""
    table = house.read(ask("1-1 5-5", "1 play 1-3, 2 discard revoke", "play 1-1 left"))
    assert table.lacks[2] == [0, 0, 0]
    assert table.counts == [6, 5, 4, 6]


def test_imagined_deals_agree_with_what_was_seen() -> None:
    """Each tile is somewhere once, hands are as large as they are, and nobody holds what it lacks."""
    steps = "1 play 4-6, 2 play 4-4 left, 3 discard, 0 play 4-6 left, 1 play 6-6 left, 2 discard, 3 discard"
    table = house.read(ask("1-1 1-6 1-6 2-2 2-6", steps, "play 1-6 left"))
    laid = sum(map(pips, map(parse, ("4-6", "4-4", "4-6", "6-6"))))
    for seed in range(200):
        hands, down = house.imagine(table, random.Random(seed))
        assert [hand.bit_count() for hand in hands] == [5, 4, 4, 4]
        assert sum(hands) == hands[0] | hands[1] | hands[2] | hands[3]
        assert sum(map(house.weight, hands)) + sum(down) + laid == 177
        assert not any(hand & lack[-1] for hand, lack in zip(hands, table.lacks, strict=True))


@pytest.mark.parametrize("pay", ["plus_two", "doubled"])
def test_the_bot_scores_as_the_rules_do(pay: str) -> None:
    """Its own account of a deal is what the referee makes of it."""
    rng = random.Random(4)
    table = house.read(ask("2-2", "1 play 1-3", "play 1-1 left", options={"settlement_pay": pay}))
    for _ in range(500):
        down, leader = [rng.randrange(12) for _ in range(4)], rng.randrange(4)
        settler = rng.choice([None, 0, 1, 2, 3])
        told = house.scores(table._replace(leader=leader), [0, 0, 0, 0], down, settler)
        assert tuple(told) == score(down, leader, settler, pay)[1]


@pytest.mark.parametrize("settlement", ["auto", "declared", "off"])
@pytest.mark.parametrize("revoke", ["reject", "extra_discard"])
def test_expert_plays_whole_matches_under_any_options(
    monkeypatch: pytest.MonkeyPatch, settlement: str, revoke: str
) -> None:
    """It answers every question with a legal action, also beside seats that revoke and run out of tiles."""
    monkeypatch.setattr(house, "PLAYED_OUT", 12)
    options = GAME.info.resolve({"settlement": settlement, "revoke": revoke, "deals": 6})
    started = [play.MatchStarted(game="ding_niu", seat=seat) for seat in range(4)]
    for message in started:
        for name, word in options.items():
            message.options.add(option=name, value=str(word))
    rng, state = random.Random(8), GAME.new(4, options)

    def check(step: Step) -> None:
        seat = step.state.to_act()
        if seat >= 0:
            legal = step.state.legal_actions()
            turn = play.Turn()
            turn.observation.ParseFromString(
                GAME.wire.public(GAME.view.public(step.state))
                + GAME.wire.private(GAME.view.private(step.state, seat))
            )
            for action in legal:
                turn.legal_actions.add().ParseFromString(GAME.wire.action(action))
            chosen = house.expert(Turn(turn, started[seat]))
            assert 0 <= chosen < len(legal)
            plays = [index for index, action in enumerate(legal) if GAME.text.action(action)[0] == "p"]
            assert chosen in plays or not plays

    assert playout(state, rng, check).deal == 6

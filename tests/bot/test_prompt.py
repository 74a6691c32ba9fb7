"""Turns in plain text: of every game, in matches that are played at random."""

import random
import re
from typing import Any

import pytest

from referee.bot import Turn, action_text, prompt
from referee.games import REGISTRY, cards, names, tiles
from referee.games.base import Action, Event, Game, State
from referee.games.guan_pai.forms import KINDS
from referee.v1 import event_pb2, game_pb2
from referee.v1 import play_service_pb2 as play
from tests.games.helpers import Step, playout, random_sitting

every_game = pytest.mark.parametrize("game", REGISTRY, ids=names())


def started(game: Game, seats: int, seat: int) -> play.MatchStarted:
    """Returns the start of a match in which seat 1 has no name and another one a bad one."""
    message = play.MatchStarted(match_id="m", game=game.info.name, seat=seat)
    for number in range(seats):
        name = f"seat {number}" if number == 1 else f"bot\n? {number}"
        message.seats.add(seat=number, display_name=name)
    return message


def asked(game: Game, state: State, events: list[Event]) -> Turn:
    """Returns the question to the seat to act, as it comes over the wire."""
    seat = state.to_act()
    message = play.Turn(match_id="m", turn_id=3)
    view, wire = game.view, game.wire
    observation = wire.public(view.public(state)) + wire.private(view.private(state, seat))
    message.observation.MergeFromString(observation)
    for action in state.legal_actions():
        message.legal_actions.add().MergeFromString(wire.action(action))
    for event in events:
        seen = view.redact(event, seat)
        message.events.add(seat=seen.seat).game.MergeFromString(wire.event(seen))
    return Turn(message, started(game, len(state.totals()), seat))


def turns(game: Game, seed: int) -> list[tuple[Turn, tuple[Action, ...]]]:
    """Returns the questions of a match that is played at random, each with its legal actions."""
    found = []
    rng = random.Random(seed)

    def on_step(step: Step) -> None:
        if step.state.to_act() >= 0:
            found.append((asked(game, step.state, step.events), step.state.legal_actions()))

    playout(random_sitting(game, rng).start(), rng, on_step, deals=1)
    return found


@every_game
def test_actions_are_written_as_the_game_writes_them(game: Game) -> None:
    """The kit's text of every action that comes up is the canonical text of the game."""
    for seed in range(20):
        for turn, legal in turns(game, seed):
            assert prompt.actions(turn) == [game.text.action(action) for action in legal]


def test_combinations_are_named_as_the_game_names_them() -> None:
    """A play that names its type is written with the word of the rules, whichever that is."""
    for number, kind in enumerate(KINDS, 1):
        action = game_pb2.Action()
        played: Any = action.guan_pai
        played.kind, played.combination = 1, number
        played.cards.append(1)
        assert action_text.text(action) == f"play 3C as {kind}"


@every_game
def test_a_turn_in_text_tells_all_that_its_seat_sees(game: Game) -> None:
    """Hand, totals and events are there; only actions begin with a number, and no name can ask or answer."""
    written = cards.text if game.info.name == "guan_pai" else tiles.text
    for turn, legal in turns(game, 7):
        lines = list(prompt.lines(turn, 12.34))
        own = getattr(turn.observation, game.info.name)
        hand = own.private.hand_cards if game.info.name == "guan_pai" else own.private.hand_tiles
        (shown,) = (line for line in lines if line.startswith(("  hand cards", "  hand tiles")))
        assert shown.split()[2:] == [written(piece) for piece in hand]
        totals = " ".join(map(str, own.public.totals))
        assert f"  totals by seat {totals}" in lines
        assert "time: 12.3 s to answer, of which the bank of the match gives 0.0 s" in lines
        numbered = [line for line in lines if line[0].isdigit()]
        assert numbered == [f"{n}. {game.text.action(action)}" for n, action in enumerate(legal, 1)]
        assert lines[-len(numbered) :] == numbered
        assert all(line.isprintable() and line != "?" for line in lines)
        events = lines[lines.index("since your last turn:") + 1 :][: len(turn.events)]
        assert all(line.startswith("  ") for line in events)


@every_game
def test_lists_by_seat_have_an_entry_for_each_seat(game: Game) -> None:
    """What is said to be by seat has as many entries as the table has seats."""
    for turn, _ in turns(game, 3):
        seats = len(turn.started.seats)
        for line in prompt.lines(turn, 1.0):
            _, found, values = line.partition(" by seat ")
            if found:
                groups = re.findall(r"(\d+) \(", values)
                assert len(groups or values.split()) == seats, line


def test_what_is_about_nobody_or_newer_than_the_kit_is_told_too() -> None:
    """A forfeit, an event of the whole table, and a game that the kit does not know."""
    about = started(REGISTRY[0], 3, 0)
    forfeit = event_pb2.Event(seat=1, forfeited=event_pb2.Forfeited())
    dealt = event_pb2.Event(seat=-1)
    dealt.game.block_dominoes.dealt.opener_seat = 2

    assert prompt.event(about, forfeit) == "1: forfeited by conduct"
    assert prompt.event(about, dealt) == "dealt opener seat 2"
    unknown = Turn(play.Turn(match_id="m", turn_id=1, legal_actions=[game_pb2.Action()]), about)
    assert list(prompt.lines(unknown, 1.0))[-1] == "1. "


def test_the_result_of_a_deal_is_a_line() -> None:
    """Scores, totals and the game's own facts; the facts only where they are told."""
    ended = play.DealEnded(match_id="m", deal=2, scores=[0, 7], totals=[3, 7])
    assert prompt.deal_ended(ended) == "deal 2 ended: scores by seat 0 7, totals by seat 3 7"
    ended.detail.ding_niu.winner_seat = 1
    assert prompt.deal_ended(ended).endswith("totals by seat 3 7, winner seat 1")

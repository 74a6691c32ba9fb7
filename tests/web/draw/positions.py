"""Tables to draw: the positions of golden logs, and matches that are played here at random."""

import random
from collections.abc import Iterator, Mapping
from pathlib import Path

from referee.games import find
from referee.games.base import CHANCE, TERMINAL, Game, Outcome, State
from referee.replay import reader
from referee.replay.positions import SPECTATOR, frames, names, seen
from referee.v1 import game_pb2
from referee.web.draw import Table


def observation(message: bytes) -> game_pb2.Observation:
    """Returns an observation from its bytes."""
    return game_pb2.Observation.FromString(message)


def of_log(path: Path, viewers: tuple[int, ...]) -> Iterator[Table]:
    """Yields each position of a log, as one of the viewers sees it, by turns."""
    log = reader.read(path)
    game = find(log.setup.game)
    for number, frame in enumerate(frames(log)):
        viewer = viewers[number % len(viewers)]
        shown = seen(frame, viewer, game)
        if shown:
            last = None if shown.action is None else _action(game, shown.action)
            yield Table(
                game=log.setup.game,
                public=observation(shown.public),
                hands={seat: observation(hand) for seat, hand in enumerate(shown.hands) if hand},
                names=names(log.setup, viewer),
                south=max(viewer, 0),
                last=last,
                last_seat=shown.seat,
            )


def played(
    name: str,
    seats: int,
    seed: int,
    *,
    viewer: int | None = None,
    options: Mapping[str, str | int] | None = None,
) -> Iterator[Table]:
    """Yields the positions of a match that is played at random; all hands are shown without a viewer."""
    game, chooser = find(name), random.Random(seed)
    state = game.new(seats, game.info.resolve(options or {}))
    last, last_seat = None, -1
    while state.to_act() != TERMINAL:
        if state.to_act() == CHANCE:
            state.start_deal(_outcome(state, chooser))
            last, last_seat = None, -1
        else:
            last_seat = state.to_act()
            action = chooser.choice(state.legal_actions())
            last = _action(game, action)
            state.apply(state.as_played(action))
        yield table_of(game, state, viewer, last, last_seat)


def table_of(
    game: Game, state: State, viewer: int | None, last: game_pb2.Action | None = None, last_seat: int = -1
) -> Table:
    """Returns a state as a viewer sees it, with its choices; all hands are shown without a viewer."""
    count = len(state.totals())
    south = 0 if viewer is None else max(viewer, 0)
    legal = state.legal_actions() if viewer != SPECTATOR and state.to_act() == south else ()
    return Table(
        game=game.info.name,
        public=observation(game.wire.public(game.view.public(state))),
        hands={
            seat: observation(game.wire.private(game.view.private(state, seat)))
            for seat in range(count)
            if viewer in {None, seat}
        },
        names=tuple(f"bot-{seat}" for seat in range(count)),
        south=south,
        last=last,
        last_seat=last_seat,
        choices=tuple(_action(game, action) for action in legal),
    )


def _outcome(state: State, chooser: random.Random) -> Outcome:
    chance = state.chance()
    order = list(range(chance.size))
    chooser.shuffle(order)
    return Outcome(tuple(chooser.randrange(size) for size in chance.draws), tuple(order))


def _action(game: Game, action: int) -> game_pb2.Action:
    return game_pb2.Action.FromString(game.wire.action(action))

"""Any game of the registry as an environment of PettingZoo, in which agents act one by one.

The engine deals, judges and scores; this turns its decisions into steps, masks and rewards.
"""

import operator
import secrets
import sys
from typing import Any, TypedDict

import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle
from numpy.typing import NDArray
from pettingzoo import AECEnv

from referee.envs.choice import Choice
from referee.envs.encoding import Encoding, Vector
from referee.envs.encodings import encoding_of
from referee.errors import IllegalActionError, UsageError
from referee.games import find
from referee.games.base import CHANCE, TERMINAL, Action, State
from referee.games.info import Options
from referee.match.shuffle import deal_seed, derived_secret, draw

RENDER_MODES = ("human", "ansi")
_SECRET_BYTES = 32


class Observation(TypedDict):
    """What an agent sees, and which ids it may choose: all zeros unless it is its turn."""

    observation: Vector
    action_mask: NDArray[np.int8]


class Arena(AECEnv[str, Any, Any], EzPickle):
    """A match as one episode, with an agent for each seat, `seat_0` first.

    An agent is paid, at the end of each deal, what its seat scored in it, negated where the lower
    total is better. A pickled or copied environment is a new one, made from the same arguments.
    """

    def __init__(
        self,
        game: str,
        seats: int | None = None,
        options: Options | None = None,
        render_mode: str | None = None,
    ) -> None:
        """Makes the environment of a game; `reset` begins the first match.

        `seats` are as few as the game allows unless given, options have their defaults.
        """
        EzPickle.__init__(self, game, seats, options, render_mode)
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise UsageError(f"render_mode: {render_mode!r} is not one of {', '.join(RENDER_MODES)}")
        self.game = find(game)
        info = self.game.info
        self.options = info.resolve(options or {})
        self.seats = info.min_seats if seats is None else seats
        self.render_mode = render_mode
        self.metadata = {
            "name": f"{info.name}_v{info.rules_version}",
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
        }
        self._state: State = self.game.new(self.seats, self.options)
        self.encoding: Encoding = encoding_of(info.name, self.seats, self.options)
        self.possible_agents = [f"seat_{seat}" for seat in range(self.seats)]
        self.agents = []
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.observation_spaces = {agent: self._observation_space() for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(self.encoding.ids) for agent in self.possible_agents}
        self._choice = Choice()
        self._seed: int | None = None
        self._episode = 0

    def _observation_space(self) -> spaces.Dict:
        layout = self.encoding.layout
        vector = spaces.Box(layout.low(), layout.high(), dtype=np.float32)
        return spaces.Dict(
            {"observation": vector, "action_mask": spaces.Box(0, 1, (self.encoding.ids,), np.int8)}
        )

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Returns the space of what an agent observes, the same object each time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Returns the space of an agent's ids, the same object each time."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002  PettingZoo's signature
        """Begins a match; options of the game are given to the constructor, not here.

        A seed fixes the deals of this match and of those that later calls without a seed begin.
        Before the first seed, deals come from the system's random source.
        """
        if seed is not None:
            self._seed, self._episode = seed, 0
        else:
            self._episode += 1
        self._group = f"environment episode {self._episode}"
        if self._seed is None:
            self._secret = secrets.token_bytes(_SECRET_BYTES)
        else:
            self._secret = derived_secret(self._seed, self._group)
        self._state = self.game.new(self.seats, self.options)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._go_on()

    def step(self, action: int | None) -> None:
        """Chooses an id for the selected agent; refuses one that is masked out, and changes nothing then."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        number = self._checked(agent, action)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._choice = self._choice.after(number)
        played = self._choice.action()
        if played is not None:
            self._play(played)

    def _checked(self, agent: str, action: int | None) -> int:
        """Returns an id as a plain number, if it may be chosen now."""
        try:
            number = operator.index(action)  # type: ignore[arg-type]
        except TypeError:
            raise IllegalActionError(f"{agent}: {action!r} is no id: it has to be a whole number") from None
        if not 0 <= number < self.encoding.ids:
            raise IllegalActionError(f"{agent}: id {number} is not one of 0..{self.encoding.ids - 1}")
        if number not in self._choice.ids():
            what = self.encoding.describe(number)
            raise IllegalActionError(f"{agent}: id {number} ({what}) is masked out, see action_mask")
        return number

    def _play(self, action: Action) -> None:
        """Plays an action, and pays what it changed in the totals: something only where a deal ended."""
        before = self._state.totals()
        self._state.apply(action)
        self._go_on()
        after = self._state.totals()
        if after != before:
            sign = -1.0 if self.game.info.lower_is_better else 1.0
            for agent, old, new in zip(self.agents, before, after, strict=True):
                self.rewards[agent] = sign * (new - old)
            self._accumulate_rewards()

    def _go_on(self) -> None:
        """Deals if a deal is due, then selects who acts, or ends the episode."""
        state = self._state
        while state.to_act() == CHANCE:
            seed = deal_seed(self._secret, self._group, state.deal + 1, (b"",) * self.seats)
            state.start_deal(draw(seed, state.chance()))
        self._public = self.game.view.public(state)
        if state.to_act() == TERMINAL:
            self._choice = Choice()
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
        else:
            seat, legal = state.to_act(), state.legal_actions()
            paths = self.encoding.paths(self._public, self.game.view.private(state, seat), legal)
            self._choice = Choice((), tuple(zip(paths, legal, strict=True)))
            self.agent_selection = self.agents[seat]
        if self.render_mode == "human":
            sys.stdout.write(f"{self._table()}\n")

    def observe(self, agent: str) -> Observation:
        """Returns what an agent sees, and what it may choose if it is its turn."""
        seat = self._seat_of[agent]
        mask = np.zeros(self.encoding.ids, np.int8)
        chosen: tuple[int, ...] = ()
        if seat == self._state.to_act():
            chosen = self._choice.chosen
            mask[self._choice.ids()] = 1
        private = self.game.view.private(self._state, seat)
        seen = self.encoding.observe(seat, self._public, private, chosen)
        return {"observation": np.array(seen, np.float32), "action_mask": mask}

    def render(self) -> str | None:
        """Returns the whole table, hidden hands included, as text; writes it if the mode is `human`."""
        if self.render_mode == "human":
            sys.stdout.write(f"{self._table()}\n")
            return None
        if self.render_mode is None:
            raise UsageError(f"make the environment with a render_mode: {', '.join(RENDER_MODES)}")
        return self._table()

    def _table(self) -> str:
        return "\n".join(self.game.text.table(self._state))

    def close(self) -> None:
        """Has nothing to release."""

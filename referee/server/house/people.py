"""People who sit down at this process's own terminal or site: their names and their tokens."""

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from referee.errors import UsageError
from referee.server.house.config import PeopleRules
from referee.tournament import names
from referee.tournament.house import LEVELS

if TYPE_CHECKING:
    from referee.server.host import Host

OWNER = "people"
"""The owner of all seats that people hold."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """What a person sits down with: where to dial in, and as whom.

    Attributes:
        instance: tells this person from all others of the same name.
    """

    address: str
    token: str = field(repr=False)
    name: str
    instance: str


class People:
    """Gives out tickets that live as long as this process, and takes them back."""

    def __init__(self, host: "Host", address: str, rules: PeopleRules) -> None:
        self.rules = rules
        self._host = host
        self._address = address

    def admit(self, name: str) -> Ticket:
        """Returns a ticket for one person; raises `UsageError` for a name that cannot be."""
        name = person_name(name)
        instance = secrets.token_hex(8)
        token = self._host.auth.add_guest(name, OWNER, f"{OWNER}/{instance}", instance)
        return Ticket(self._address, token, name, instance)

    def dismiss(self, ticket: Ticket, why: str) -> None:
        """Takes a ticket back; a match that still runs goes on without the person, who has forfeited."""
        self._host.absent(ticket.name, why, ticket.instance)
        self._forget(ticket)

    def call_off(self, ticket: Ticket, why: str) -> None:
        """Takes a ticket back; a match that still runs is void."""
        for live, _ in self._host.seated(ticket.name, ticket.instance):
            live.void(why, self._host.runner.now())
        self._forget(ticket)

    def _forget(self, ticket: Ticket) -> None:
        self._host.auth.remove_guest(ticket.token)
        self._host.lobby.forget(ticket.instance)


def person_name(text: str) -> str:
    """Returns the name of a person as it is shown, or raises `UsageError` for one that cannot be."""
    name = names.shown(text)
    names.check_new(name)
    if names.key(name) in LEVELS:
        raise UsageError(f"name {name!r}: this is the name of a house bot; take another")
    return name

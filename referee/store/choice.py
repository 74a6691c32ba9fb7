"""Says which of two matches for one attempt at a pairing is kept, the same in whatever order they come.

The accepted one, if the decisions name one; else one whose log is there rather than one whose log is
gone, which a rebuild would not find either; else the one made first.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from referee.errors import RecordError
from referee.replay import packs
from referee.store.decision_log import DecisionLog, decisions_path
from referee.tournament.decision import Accepted, rulings
from referee.tournament.names import SHORT
from referee.tournament.result import MatchResult

if TYPE_CHECKING:
    from collections.abc import Mapping


class Choice:
    """Chooses by what lies under a data root, as it is when first asked; without one the first counts.

    Attributes:
        left_out: one line for each match that is not kept, by its log.
    """

    def __init__(self, data: Path | None = None) -> None:
        self.left_out: dict[str, str] = {}
        self._data = data
        self._accepted: dict[str, Mapping[str, Accepted]] = {}

    def refusal(self, result: MatchResult, rival: MatchResult) -> str:
        """Returns why `result` is not kept while `rival` is; nothing where it takes its place."""
        if self._rank(result) < self._rank(rival):
            self.left_out[rival.log] = self._told(rival, result)
            return ""
        return self._told(result, rival)

    def _rank(self, result: MatchResult) -> tuple[bool, bool, tuple[int, str]]:
        """Returns what is the lesser the more a match is to be kept."""
        return not self._is_accepted(result), self._is_gone(result), result.order

    def _is_accepted(self, result: MatchResult) -> bool:
        series = result.series
        if self._data is None or not SHORT.fullmatch(series):
            return False
        if series not in self._accepted:
            try:
                decisions = DecisionLog(decisions_path(self._data, series)).read()
            except RecordError:  # its tables are left out, and say why
                decisions = []
            self._accepted[series] = rulings(decisions).accepted
        accepted = self._accepted[series].get(result.pairing)
        return accepted is not None and result.match_id in accepted.match_ids

    def _is_gone(self, result: MatchResult) -> bool:
        if self._data is None or not result.log:
            return False
        try:
            return not packs.exists(self._data / result.log)
        except (OSError, RecordError):  # nobody can tell now
            return False

    def _told(self, result: MatchResult, rival: MatchResult) -> str:
        why = "it was accepted" if self._is_accepted(rival) else "it was made first"
        if not self._is_accepted(rival) and self._is_gone(result):
            why = "the log of this one is gone"
        return (
            f"{result.log or result.match_id}: attempt {result.attempt} at pairing {result.pairing_id}"
            f" was played already, as match {rival.match_id}, which counts: {why}; this one is left out"
        )

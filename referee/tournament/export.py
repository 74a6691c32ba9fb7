"""Standings as JSON: the same bytes for the same results."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from referee.tournament.bootstrap import Estimate
from referee.tournament.lead import Lead
from referee.tournament.leaderboard import Leaderboard
from referee.tournament.rating import Rating
from referee.tournament.result import COUNTED, MatchResult
from referee.tournament.standings import Row, Standings

_DIGITS = 6


def to_json(tables: Iterable[Standings], *, crosstable: bool = False) -> str:
    """Returns the tables as one JSON object in ASCII; what is not known is null, never a NaN."""
    return json.dumps({"tables": to_values(tables, crosstable=crosstable)}, indent=2, allow_nan=False)


def to_values(tables: Iterable[Standings], *, crosstable: bool = False) -> list[dict[str, Any]]:
    """Returns the tables as values for JSON; with `crosstable` each row has its matches with others."""
    return [_table(table, crosstable=crosstable) for table in tables]


def leaderboard_values(boards: Iterable[Leaderboard]) -> list[dict[str, Any]]:
    """Returns the leaderboards as values for JSON."""
    return [
        {
            "tournament": board.key.tournament,
            "game": board.key.game,
            "rules_version": board.key.rules_version,
            "options": dict(board.key.options),
            "rows": [asdict(row) for row in board.rows],
        }
        for board in boards
    ]


def result_values(result: MatchResult) -> dict[str, Any]:
    """Returns the result of a match as values for JSON; place and points are null where none counts."""
    counted = result.termination in COUNTED
    return {
        "match_id": result.match_id,
        "pairing_id": result.pairing_id,
        "attempt": result.attempt,
        "replay": result.log,
        "termination": result.termination,
        "rated": result.rated,
        "placements": [
            {
                "seat": number,
                "bot": seat.bot,
                "name": seat.name,
                "version": seat.version,
                "rank": seat.rank if counted else None,
                "score": seat.score,
                "points": _short(seat.points) if counted else None,
                "forfeited": seat.forfeited,
                "faults": dict(seat.faults),
            }
            for number, seat in enumerate(result.seats)
        ],
    }


def _table(table: Standings, *, crosstable: bool) -> dict[str, Any]:
    rows = []
    for row in table.rows:
        values = _row(row)
        if crosstable:
            values["against"] = _against(table, row)
        rows.append(values)
    return {
        "tournament": table.key.tournament,
        "game": table.key.game,
        "rules_version": table.key.rules_version,
        "options": dict(table.key.options),
        "matches": table.matches,
        "deal_groups": table.deal_groups,
        "terminations": dict(table.terminations),
        "not_counted": dict(table.apart),
        "unplayed": [
            {"pairing_id": one.pairing_id, "why": one.why, "at_fault": list(one.at_fault)}
            for one in table.unplayed
        ],
        "byes": dict(table.byes),
        "updated": table.updated,
        "rows": rows,
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "place": row.place,
        "bot": row.bot,
        "version": row.version,
        "name": row.name,
        "owner": row.owner,
        "current": row.current,
        "left": {"how": row.left, "why": row.why} if row.left else None,
        "matches": row.matches,
        "placements": list(row.ranks),
        "points": _estimate(row.points),
        "score": _estimate(row.score),
        "rating": _rating(row.rating),
        "lead": _lead(row.lead),
        "ends": dict(row.ends),
        "forfeits": row.forfeits,
        "no_shows": row.no_shows,
        "voids": row.voids,
        "unrated": row.unrated,
        "faults": dict(row.faults),
        "turns": row.turns,
        "think_mean_us": row.think // row.turns if row.turns else None,
        "think_longest_us": row.longest if row.turns else None,
        "byes": row.byes,
        "unplayed": row.unplayed,
    }


def _against(table: Standings, row: Row) -> list[dict[str, Any]]:
    found = []
    for other in table.rows:
        matches, wins = table.against(row.line, other.line)
        if matches:
            found.append({**other.line._asdict(), "matches": matches, "share": _short(wins / matches)})
    return found


def _estimate(estimate: Estimate | None) -> dict[str, float | None] | None:
    if estimate is None:
        return None
    return {"mean": _short(estimate.mean), "low": _short(estimate.low), "high": _short(estimate.high)}


def _lead(lead: Lead | None) -> dict[str, float | int | None] | None:
    if lead is None:
        return None
    return {name: value if name == "needed" else _short(value) for name, value in asdict(lead).items()}


def _rating(rating: Rating | None) -> dict[str, float | None] | None:
    if rating is None:
        return None
    return {
        "ordinal": _short(rating.ordinal),
        "mu": _short(rating.mean),
        "sigma": _short(rating.deviation),
    }


def _short(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)

"""A table of standings, or a leaderboard, as a message."""

from collections.abc import Iterator, Mapping

from google.protobuf.duration_pb2 import Duration

from referee.errors import UsageError
from referee.games import find
from referee.match.config import SECOND
from referee.server.reads import describe
from referee.tournament.bootstrap import Estimate
from referee.tournament.lead import Lead
from referee.tournament.leaderboard import RANKING_POINTS, Challenger, Leaderboard
from referee.tournament.standings import Row, Standings, TableKey
from referee.tournament.tally import FORFEITED
from referee.v1 import fault_pb2
from referee.v1 import standing_pb2 as pb


def key(table: TableKey) -> pb.StandingsKey:
    """Returns the key of a table."""
    return pb.StandingsKey(
        tournament=table.tournament,
        game=table.game,
        rules_version=table.rules_version,
        options=describe.options(dict(table.options)),
    )


def standings(table: Standings, *, crosstable: bool) -> pb.Standings:
    """Returns a table with its rows; with `crosstable` each tells how it did against the others."""
    return pb.Standings(
        key=key(table.key),
        standings=[_row(table, row, crosstable=crosstable) for row in table.rows],
        match_count=table.matches,
        deal_group_count=table.deal_groups,
        unrated_match_count=sum(table.apart.values()),
        lower_score_wins=_lower_wins(table.key.game),
        update_time=describe.timestamp(table.updated),
        terminations=[
            pb.TerminationCount(termination=describe.termination(name), match_count=count)
            for name, count in table.terminations.items()
        ],
        uncounted_ends=_ends(table.apart),
        unplayed_pairings=[
            pb.UnplayedPairing(pairing_id=one.pairing_id, reason_text=one.why, absent_bot_ids=one.at_fault)
            for one in table.unplayed
        ],
    )


def leaderboard(board: Leaderboard) -> pb.Leaderboard:
    """Returns a leaderboard with its rows."""
    return pb.Leaderboard(key=key(board.key), challengers=map(_challenger, board.rows))


def _challenger(row: Challenger) -> pb.Challenger:
    return pb.Challenger(
        place=row.place,
        bot_id=row.bot,
        display_name=row.name,
        owner=row.owner,
        ranking_points=row.points,
        levels=[
            pb.LevelTally(
                level=level,
                points_per_win=RANKING_POINTS[level],
                match_count=tally.matches,
                win_count=tally.wins,
                largest_margin=tally.margin,
                untaken_match_count=tally.beyond,
            )
            for level, tally in row.levels.items()
        ],
        departure=pb.DEPARTURE_WITHDRAWN if row.left else pb.DEPARTURE_UNSPECIFIED,
    )


def _lower_wins(game: str) -> bool:
    try:
        return find(game).info.lower_is_better
    except UsageError:
        return False  # of a game that is no longer played nobody knows


def _row(table: Standings, row: Row, *, crosstable: bool) -> pb.Standing:
    message = pb.Standing(
        place=row.place,
        bot_id=row.bot,
        display_name=row.name,
        bot_version=row.version,
        owner=row.owner,
        match_count=row.matches,
        rank_counts=row.ranks,
        points=_estimate(row.points),
        score=_estimate(row.score),
        forfeit_count=row.forfeits,
        no_show_count=row.no_shows,
        faults=_faults(row.faults),
        current=row.current,
        ends=_ends(row.ends),
        lead=_lead(row.lead),
        turn_count=row.turns,
        departure=pb.Departure.Value(f"DEPARTURE_{(row.left or 'unspecified').upper()}"),
        departure_text=row.why,
        bye_count=row.byes,
        unplayed_count=row.unplayed,
        encounters=_encounters(table, row) if crosstable else (),
    )
    if row.rating:
        message.rating.mean, message.rating.deviation = row.rating.mean, row.rating.deviation
        message.rating.ordinal = row.rating.ordinal
    if row.turns:
        message.mean_think_duration.CopyFrom(_duration(row.think // row.turns))
        message.longest_think_duration.CopyFrom(_duration(row.longest))
    return message


def _encounters(table: Standings, row: Row) -> Iterator[pb.Encounter]:
    for other in table.rows:
        matches, wins = table.against(row.line, other.line)
        if matches:
            yield pb.Encounter(
                bot_id=other.bot, bot_version=other.version, match_count=matches, win_share=wins / matches
            )


def _ends(ends: Mapping[str, int]) -> Iterator[pb.EndCount]:
    for name, count in ends.items():
        kind, _, cause = name.partition("_") if name.startswith(f"{FORFEITED}_") else (name, "", "")
        end = pb.MatchEnd.Value(f"MATCH_END_{kind.upper()}")
        yield pb.EndCount(end=end, forfeit_cause=cause, match_count=count)


def _faults(faults: Mapping[str, int]) -> Iterator[fault_pb2.FaultCount]:
    for kind, count in faults.items():
        fault = fault_pb2.FaultKind.Value(f"FAULT_KIND_{kind.upper()}")
        yield fault_pb2.FaultCount(kind=fault, fault_count=count)


def _estimate(estimate: Estimate | None) -> pb.Estimate | None:
    if estimate is None:
        return None
    return pb.Estimate(mean=estimate.mean, low=estimate.low, high=estimate.high)


def _lead(lead: Lead | None) -> pb.Lead | None:
    if lead is None:
        return None
    return pb.Lead(points=lead.points, low=lead.low, high=lead.high, needed_match_count=lead.needed)


def _duration(microseconds: int) -> Duration:
    seconds, rest = divmod(microseconds, SECOND)
    return Duration(seconds=seconds, nanos=rest * 1000)

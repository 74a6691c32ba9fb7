"""Turns the replay log of a finished match into its result."""

from pathlib import Path

from referee.errors import RecordError, in_one_line
from referee.replay.conduct import conducted
from referee.replay.reader import Log, read
from referee.replay.record import kind_of
from referee.tournament.result import MatchResult, SeatResult, check


def read_result(root: Path, path: Path) -> MatchResult:
    """Returns the result of the finished log `path` under the data root `root`.

    Raises `RecordError` that names the file: a log that cannot be read, that is not whole, or whose
    places, forfeits and points contradict each other.
    """
    name = path.relative_to(root).as_posix()
    try:
        log = read(path)
        result = result_of(log, name)
        if path.stem != result.match_id:
            raise RecordError(f"it holds match {result.match_id}, which is not its name", 1)
    except RecordError as error:
        text = str(error)
        raise RecordError(text if name in text else f"{path}: {text}; this match is left out") from None
    except Exception as error:  # noqa: BLE001  one log, whatever it holds, does not hide the others
        raise RecordError(f"{path}: {in_one_line(error)}; this match is left out") from None
    return result


def result_of(log: Log, name: str = "") -> MatchResult:
    """Returns the result that a log tells; `name` is where it lies under the data root."""
    end = log.end
    if end is None or log.torn:
        raise RecordError("the log has no whole end record")
    setup = log.setup
    if [place.seat for place in end.places] != list(range(len(setup.seats))):
        raise RecordError("the end record does not place each seat once")
    forfeits = sum(kind_of(record) == "forfeit" for record in log.records)
    if forfeits != sum(place.forfeited for place in end.places):
        raise RecordError(f"the end record does not agree with the {forfeits} forfeits before it")
    conduct = conducted(log)
    result = MatchResult(
        match_id=setup.match_id,
        pairing_id=setup.pairing_id,
        attempt=setup.attempt,
        deal_group=setup.deal_group,
        game=setup.game,
        rules_version=setup.rules_version,
        options=dict(setup.options),
        created=setup.created,
        termination=end.termination,
        rated=setup.rated,
        provable=setup.provable,
        tournament=setup.tournament or "",
        parts=setup.block.parts if setup.block else 1,
        duration=end.t,
        seats=tuple(
            SeatResult(
                owner=info.owner,
                bot=info.bot,
                name=info.name,
                version=info.version,
                rank=place.rank,
                score=place.score,
                points=place.points,
                forfeited=place.forfeited,
                strikes=place.strikes,
                at_fault=place.seat in end.at_fault,
                faults=dict(place.faults),
                cause=seat.cause if place.forfeited else "",
                turns=seat.turns,
                think=seat.think,
                longest=seat.longest,
            )
            for info, place, seat in zip(setup.seats, end.places, conduct, strict=True)
        ),
        log=name,
        last_hash=log.last_hash,
    )
    check(result)
    return result

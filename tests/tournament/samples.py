"""Results made up for tests, sound unless a test makes them otherwise."""

from collections.abc import Mapping, Sequence

from referee.match.result import places, points
from referee.tournament.result import COUNTED, MatchResult, SeatResult


def match_id(number: int) -> str:
    """Returns a match id that sorts by its number."""
    return f"01890000-0000-7000-8000-{number:012x}"


def result(
    number: int,
    scores: Mapping[str, int],
    *,
    forfeits: Sequence[str] = (),
    termination: str = "completed",
    pairing: str = "",
    attempt: int = 1,
    rated: bool = True,
    group: str = "",
    options: Mapping[str, int | str] | None = None,
    faults: Mapping[str, Mapping[str, int]] | None = None,
    at_fault: Sequence[str] = (),
    version: str = "1",
    created: int | None = None,
    tournament: str = "",
    parts: int = 1,
    causes: Mapping[str, str] | None = None,
    think: Sequence[int] = (),
) -> MatchResult:
    """Returns the result of match `number` between the bots of `scores`, higher is better.

    `causes` says why bots forfeited, `think` what each seat took over each of its turns.
    """
    bots = list(scores)
    seats = [bots.index(bot) for bot in forfeits]
    ranks: Sequence[int] = [0] * len(bots)
    earned: Sequence[float] = [0.0] * len(bots)
    if termination in COUNTED:
        ranks = places(list(scores.values()), seats, lower_is_better=False)
        earned = points(ranks, seats)
    return MatchResult(
        match_id=match_id(number),
        pairing_id=pairing,
        attempt=attempt,
        deal_group=group or match_id(number),
        game="block_dominoes",
        rules_version="1",
        options=options or {"target": 100},
        created=1_700_000_000_000_000 + number if created is None else created,
        termination=termination,
        rated=rated,
        provable=True,
        tournament=tournament,
        parts=parts,
        duration=5,
        seats=tuple(
            SeatResult(
                owner=f"owner of {bot}",
                bot=bot,
                name=bot,
                version=version,
                rank=ranks[seat],
                score=scores[bot],
                points=earned[seat],
                forfeited=bot in forfeits,
                at_fault=bot in at_fault,
                faults=(faults or {}).get(bot, {}),
                cause=(causes or {}).get(bot, ""),
                turns=len(think),
                think=sum(think),
                longest=max(think, default=0),
            )
            for seat, bot in enumerate(bots)
        ),
    )

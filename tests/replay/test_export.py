"""Exports of matches: by their schema, and with what the log says."""

import csv
import dataclasses
import io
import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from referee.errors import RecordError
from referee.match import events as ev
from referee.replay import export, reader, results_csv
from referee.replay.exporting import exported
from referee.store.log_result import result_of
from tests.replay import export_schema, tampering
from tests.replay.golden import FOLDER

GOLDENS = sorted(FOLDER.glob("*/*.jsonl"))
every_golden = pytest.mark.parametrize("path", GOLDENS, ids=lambda path: f"{path.parent.name}/{path.stem}")
SCHEMA = json.loads(export_schema.PATH.read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def values(match: export.Match) -> dict[str, Any]:
    """Returns a match as it stands in a file."""
    found: dict[str, Any] = json.loads(msgspec.json.encode(match))
    return found


def whole(*matches: export.Match) -> dict[str, Any]:
    """Returns an export as it stands in a file."""
    return {
        "format": export.FORMAT,
        "version": export.VERSION,
        "matches": list(map(values, matches)),
        "left_out": [],
    }


def test_the_committed_schema_is_that_of_the_code() -> None:
    """`python -m tests.replay.export_schema` writes it anew; it is a good JSON Schema."""
    assert export_schema.PATH.read_text(encoding="utf-8") == export_schema.text()
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@every_golden
def test_every_export_keeps_to_the_schema(path: Path) -> None:
    """All games, terminations and faults are exported by the schema, which takes nothing less."""
    made = whole(exported(reader.read(path), path.name))
    VALIDATOR.validate(made)
    for name in made["matches"][0]:
        lacking = {**made, "matches": [{key: one for key, one in made["matches"][0].items() if key != name}]}
        assert not VALIDATOR.is_valid(lacking), name
    assert not VALIDATOR.is_valid({**made, "version": 2})


@every_golden
def test_an_export_holds_every_record(path: Path) -> None:
    """Actions, deals, results and incidents are those of the log, each in its place; totals add up."""
    log = reader.read(path)
    match = exported(log, path.name)
    numbered = [
        *(part.n for deal in match.deals for part in (deal, *deal.plays, deal.result) if part),
        *(one.n for one in match.incidents),
    ]
    told = ev.Ready | ev.Turn | ev.End
    assert sorted(numbered) == [record.n for record in log.records if not isinstance(record, told)]
    plays = [play for deal in match.deals for play in deal.plays]
    assert [(play.ply, play.seat, play.action) for play in plays] == [
        (record.ply, record.seat, record.action)
        for record in log.records
        if isinstance(record, ev.Act | ev.Default)
    ]
    assert match.plies == len(plays)
    for deal in match.deals:
        assert len(deal.hands) == len(match.seats)
    results = [deal.result for deal in match.deals if deal.result]
    if results and all(seat.place for seat in match.seats):
        assert results[-1].totals == tuple(seat.place.score for seat in match.seats if seat.place)


@every_golden
def test_csv_rows_are_the_results_that_standings_count(path: Path) -> None:
    """One row for each seat, with the values of the result as the store has it."""
    log = reader.read(path)
    match = exported(log, path.name)
    rows = list(csv.DictReader(io.StringIO(results_csv.heading() + results_csv.rows(match))))
    result = result_of(log)
    counts = result.termination in {"completed", "forfeited", "adjudicated"}
    assert len(rows) == len(result.seats)
    for at, (row, seat) in enumerate(zip(rows, result.seats, strict=True)):
        assert (row["match_id"], row["seat"], row["bot"]) == (result.match_id, str(at), seat.bot)
        assert row["rank"] == (str(seat.rank) if counts else "")
        assert row["points"] == (str(seat.points) if counts else "")
        assert (row["score"], row["termination"]) == (str(seat.score), result.termination)
        assert (row["cause"], row["forfeited"]) == (seat.cause, str(seat.forfeited).lower())
        assert [row["turns"], row["think_us"], row["longest_think_us"]] == [
            str(seat.turns),
            str(seat.think),
            str(seat.longest),
        ]
        assert {kind: int(row[f"faults_{kind}"]) for kind in results_csv.KINDS} == {
            kind: seat.faults.get(kind, 0) for kind in results_csv.KINDS
        }


def test_a_hostile_name_is_no_formula_and_commands_no_terminal() -> None:
    """A name that begins a formula is quoted, control characters are escapes, and the row stays one row."""
    log = reader.read(FOLDER / "ding_niu" / "plain.jsonl")
    first, *others = log.setup.seats
    name = '=HYPERLINK("http://x")\x1b[2J\n,"'
    seats = (msgspec.structs.replace(first, name=name), *others)
    match = exported(dataclasses.replace(log, setup=msgspec.structs.replace(log.setup, seats=seats)), "x")
    row, *rest = csv.DictReader(io.StringIO(results_csv.heading() + results_csv.rows(match)))
    assert row["name"] == '\'=HYPERLINK("http://x")\\x1b[2J\\n,"'
    assert len(rest) == 3
    VALIDATOR.validate(whole(match))


def test_an_unfinished_match_says_so() -> None:
    """Its export has no result and no place; there is no row of results."""
    log = reader.read(FOLDER / "guan_pai" / "plain.jsonl")
    match = exported(dataclasses.replace(log, records=log.records[:60]), "x")
    VALIDATOR.validate(whole(match))
    assert (match.state, match.termination, match.proof.secret) == ("unfinished", None, None)
    assert {seat.place for seat in match.seats} == {None}
    assert match.deals[-1].result is None
    with pytest.raises(RecordError, match="no result yet"):
        results_csv.rows(match)


def test_p9_a_forged_log_is_not_exported() -> None:
    """Whatever a record is made to say, its match is exported by the schema or the log is refused."""
    log = reader.read(FOLDER / "block_dominoes" / "faults.jsonl")
    refused = 0
    for at in (*range(8), len(log.records) - 1):
        for _, other in tampering.fields(log.records[at]):
            records = (*log.records[:at], other, *log.records[at + 1 :])
            try:
                VALIDATOR.validate(whole(exported(dataclasses.replace(log, records=records), "x")))
            except RecordError:
                refused += 1
    assert refused

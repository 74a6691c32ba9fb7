"""Logs that were altered, spoiled or forged, and what the index makes of them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from referee.match.events import End
from referee.replay.reader import last_hash
from referee.replay.record import Chain
from referee.store.store import Store
from tests.replay import tampering
from tests.store import logs
from tests.store.seasons import season, standings
from tests.tournament.samples import match_id


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def _edit_last(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"rank":1', b'"rank":2'))


def _swap_name(path: Path) -> None:
    path.rename(path.with_name(f"{match_id(77)}.jsonl"))


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _forget_forfeit(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"forfeited":true', b'"forfeited":false'))


def rechain(path: Path) -> None:
    """Writes a log with another note, whose chain holds: what a forger would leave."""
    header, *records = path.read_bytes().splitlines()
    chain = Chain()
    setup = chain.read_header(header)
    ended = [chain.read_record(line) for line in records]
    assert isinstance(ended[-1], End)
    ended[-1] = msgspec.structs.replace(ended[-1], note="as I say")
    chain = Chain()
    lines = [chain.header(setup), *(chain.record(record) for record in ended)]
    path.write_bytes(b"\n".join(lines) + b"\n")


def _swap_places(path: Path) -> None:
    """Gives the first place to the last seat and chains the log anew."""
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    places = sorted(lines[-1]["places"], key=lambda place: place["rank"])
    for field in ("rank", "score", "points"):
        places[0][field], places[-1][field] = places[-1][field], places[0][field]
    path.write_bytes(tampering.chained(lines))


def _break_middle(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"rated":true', b'"rated":false', 1))


@pytest.mark.parametrize("change", [rechain, _swap_places, _cut, _edit_last, _empty])
def test_p9_a_log_that_was_changed_after_it_was_kept_is_refused_by_name(
    tmp_path: Path, url: str | None, change: Callable[[Path], None]
) -> None:
    """The result stays as it was kept, and each sync and rebuild names the log, once (P9)."""
    first, second = season()[:2]
    with Store.under(tmp_path, url) as store:
        path = logs.write(tmp_path, first)
        logs.write(tmp_path, second)
        store.sync(tmp_path)
        true = path.read_bytes()
        before = standings(store)
        change(path)
        for report in (store.sync(tmp_path), store.rebuild(tmp_path), store.sync(tmp_path)):
            (line,) = report.refused
            assert line.startswith(f"{path.relative_to(tmp_path)}: was changed after its result was kept")
            assert (report.added, report.dropped, standings(store)) == (0, 0, before)
        path.write_bytes(true)

        assert store.sync(tmp_path).refused == store.rebuild(tmp_path).refused == ()
        assert standings(store) == before


def test_p9_a_change_before_the_last_line_is_found_by_a_rebuild(tmp_path: Path, url: str | None) -> None:
    """Only the last line of a known log is read by `sync`; `rebuild` reads all and sees the broken chain."""
    first = season()[0]
    with Store.under(tmp_path, url) as store:
        path = logs.write(tmp_path, first)
        store.sync(tmp_path)
        _break_middle(path)
        (line,) = store.rebuild(tmp_path).refused

        assert "was changed after its result was kept" in line
        assert store.results() == [first]


def test_p9_a_changed_log_does_not_come_in_by_another_folder(tmp_path: Path, url: str | None) -> None:
    """A log that was moved to another day and changed is refused by its match id."""
    first = season()[0]
    with Store.under(tmp_path, url) as store:
        path = logs.write(tmp_path, first)
        store.sync(tmp_path)
        (tmp_path / "replays/2024/01/01").mkdir(parents=True)
        moved = path.rename(tmp_path / "replays/2024/01/01" / path.name)
        assert store.sync(tmp_path).refused == ()
        rechain(moved)
        for report in (store.sync(tmp_path), store.rebuild(tmp_path)):
            assert any("2024/01/01" in line and "was changed" in line for line in report.refused)

        assert [kept.last_hash for kept in store.results()] != [last_hash(moved)]


@pytest.mark.parametrize("spoil", [_cut, _edit_last, _swap_name, _empty, _forget_forfeit])
def test_p2_a_spoiled_log_is_named_and_left_out(tmp_path: Path, url: str | None, spoil: object) -> None:
    """A log that cannot be trusted is reported by file every time; the others count (P2)."""
    first, second = season()[0], season()[1]
    spoiled = logs.write(tmp_path, first)
    logs.write(tmp_path, second)
    spoil(spoiled)  # type: ignore[operator]
    name = match_id(77) if spoil is _swap_name else match_id(0)
    with Store.under(tmp_path, url) as store:
        for report in (store.sync(tmp_path), store.sync(tmp_path), store.rebuild(tmp_path)):
            (line,) = report.refused
            assert name in line
            assert "\n" not in line
        assert store.results() == [second]


@pytest.mark.parametrize(
    "change",
    [
        *({"created": number} for number in (1 << 63, (1 << 64) - 1, -1, 10**5000)),
        *({"attempt": number} for number in (1 << 63, -1)),
        *({"places": {field: number}} for field in ("score", "strikes") for number in (1 << 63, -(1 << 70))),
        {"options": {"target": 10**5000}},
        {"seats": 1},
        {"schema": 10**30},
    ],
    ids=lambda change: next(iter(change)),
)
def test_p2_a_log_with_numbers_that_cannot_be_costs_no_other_result(
    tmp_path: Path, url: str | None, change: dict[str, Any]
) -> None:
    """Whatever a chained log holds, it is named in one line and the others count (P2)."""
    second, first = season()[:2]
    path = logs.write(tmp_path, first)
    logs.write(tmp_path, second)
    header, *records, end = [json.loads(line) for line in path.read_bytes().splitlines()]
    if "places" in change:
        end["places"][0] |= change["places"]
    elif "seats" in change:
        header["seats"], end["places"] = header["seats"][:1], end["places"][:1]
        end["places"][0] |= {"rank": 1, "points": 0.0}
    else:
        header |= change
    path.write_bytes(tampering.chained([header, *records, end]))
    with Store.under(tmp_path, url) as store:
        for report in (store.sync(tmp_path), store.rebuild(tmp_path)):
            (line,) = report.refused
            assert path.name in line
            assert "\n" not in line
            assert store.results() == [second]
        assert standings(store)

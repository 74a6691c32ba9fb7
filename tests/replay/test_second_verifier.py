"""A verifier in another language, written from replays/README.md alone, agrees with the referee."""

import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee import games
from referee.replay.packing import pack_days
from referee.replay.packs import PACK
from referee.replay.signature import Signer
from tests.e2e.commands import short
from tests.e2e.cups import HOUSE, Cup
from tests.replay import keys, packed, scripts, second
from tests.replay.golden import FOLDER
from tests.replay.tampering import chained
from tests.requirements import require

GAME = "block_dominoes"
Line = dict[str, Any]
Change = Callable[[list[Line]], object]


@pytest.fixture(autouse=True)
def _node() -> None:
    require("node")


def test_both_accept_every_golden() -> None:
    """Number of records, termination and hash of the last line are the same for all golden logs."""
    files = sorted(FOLDER.glob("*/*.jsonl"))

    found = second.told(files)

    assert found == second.own(files)
    assert all(line.startswith("good: ") for line in found)


@pytest.mark.parametrize("game", games.names())
def test_both_accept_a_fresh_match(game: str, tmp_path: Path) -> None:
    """A match of each game that was just played by launched bots."""
    cup = Cup(tmp_path)
    bots = ["easy", "normal", "expert", "spar=easy"][: games.find(game).info.min_seats]
    done = cup.run("match", "--game", game, *short(games.find(game)), *bots, "--quiet")
    assert done.returncode == 0, done.stderr
    files = cup.logs()

    assert len(files) == 1
    assert second.told(files) == second.own(files)
    assert second.told(files)[0].startswith("good: ")


def test_both_accept_a_match_that_goes_on_from_another(tmp_path: Path) -> None:
    """Its deals are drawn from the secret and the entropy of its parent."""
    cup = Cup(tmp_path)
    bots = ("easy", "normal", "expert", "spar=easy")
    assert cup.run("match", "--game", GAME, *bots, "--quiet").returncode == 0
    parent = cup.logs()[0]
    done = cup.run("replay", "branch", str(parent), "--at", "12", *bots, "--quiet")
    assert done.returncode == 0, done.stderr
    files = sorted(cup.logs())

    assert len(files) == 2
    assert second.told(files) == second.own(files)
    assert all(line.startswith("good: ") for line in second.told(files))


def test_both_accept_a_signed_block_and_a_day_out_of_its_pack(tmp_path: Path) -> None:
    """All matches of a block, with entropy of the first in the later ones; `unzip` gives them back packed."""
    private, public = keys.make(tmp_path)
    _, other = keys.make(tmp_path, "other")
    cup = Cup(tmp_path / "home")
    cup.folder.mkdir()
    cup.write(HOUSE + '[bots.spar]\nhouse = "easy"\n', matches=1, head='duplicate = "rotate"')
    status, _, stderr = cup.played("--sign-key", str(private))
    assert status == 0, stderr
    files = sorted(cup.logs())
    assert len(files) == 4

    assert second.told(files, public) == second.own(files, public)
    assert all(line.startswith("good: ") for line in second.told(files, public))
    assert second.told(files, other) == ["signed with another key"] * 4

    day = cup.folder / "replays" / "2026" / "07" / "28"
    day.mkdir(parents=True)
    for path in files:
        for moved in (path, path.with_name(path.name + ".sig")):
            moved.rename(day / moved.name)
    assert [told.logs for told in pack_days(cup.folder, packed.NEXT)] == [4]
    with zipfile.ZipFile(day / PACK) as archive:
        archive.extractall(tmp_path / "out")
    taken = sorted((tmp_path / "out").glob("*.jsonl"))
    assert second.told(taken, public) == second.own([day / path.name for path in taken], public)


def _first(lines: list[Line], kind: str) -> Line:
    return next(line for line in lines if line["kind"] == kind)


def _last(lines: list[Line], kind: str) -> Line:
    return _first(lines[::-1], kind)


def _swap(values: list[Any]) -> None:
    values[0], values[1] = values[1], values[0]


def _drop(lines: list[Line], kind: str) -> None:
    """Takes a record out and counts anew, as a forger would."""
    lines.remove(_last(lines, kind))
    for n, line in enumerate(lines[1:], start=1):
        line["n"] = n


FORGED: dict[str, Change] = {
    "an order": lambda lines: _swap(_last(lines, "deal")["order"]),
    "a piece twice": lambda lines: _first(lines, "deal")["order"].__setitem__(0, 5),
    "a draw too many": lambda lines: _first(lines, "deal")["draws"].append(1),
    "entropy": lambda lines: _first(lines, "ready").update(entropy="00"),
    "entropy that is none": lambda lines: _first(lines, "ready").update(entropy="0g"),
    "contributions": lambda lines: lines[-1]["contributions"].__setitem__(0, "00"),
    "contributions of fewer seats": lambda lines: lines[-1]["contributions"].pop(),
    "a secret": lambda lines: lines[-1].update(secret="00" * 32),
    "a commitment": lambda lines: lines[0].update(commitment="00" * 32),
    "a group": lambda lines: lines[0].update(deal_group="another"),
    "a block": lambda lines: lines[0].update(
        block={"kind": "rotate", "part": 1, "parts": 2, "contributions": ["00"] * 4}
    ),
    "a parent": lambda lines: lines[0].update(
        branch={"match_id": "x", "last_hash": "00" * 32, "ply": 3}, rated=False, provable=False
    ),
    "a parent of a rated match": lambda lines: lines[0].update(
        branch={"match_id": "x", "last_hash": "00" * 32, "ply": 0}, rated=True
    ),
    "a schema": lambda lines: lines[0].update(schema=2),
    "a number": lambda lines: lines[5].update(n=6),
    "a time": lambda lines: lines[-1].update(t=lines[-2]["t"] - 1),
    "a deal number": lambda lines: _last(lines, "deal").update(deal=3),
    "a turn id": lambda lines: _last(lines, "turn").update(turn=99),
    "a ply": lambda lines: _last(lines, "act").update(ply=1),
    "a strike": lambda lines: _first(lines, "strike").update(strikes=2),
    "a total": lambda lines: _last(lines, "deal_result")["totals"].__setitem__(0, 1),
    "a score": lambda lines: lines[-1]["places"][1].update(score=77),
    "a rank": lambda lines: lines[-1]["places"][1].update(rank=lines[-1]["places"][1]["rank"] % 4 + 1),
    "points": lambda lines: lines[-1]["places"][2].update(points=0.25),
    "a forfeit": lambda lines: lines[-1]["places"][2].update(
        forfeited=not lines[-1]["places"][2]["forfeited"]
    ),
    "the number of plies": lambda lines: lines[-1].update(plies=1),
    "a seat": lambda lines: _last(lines, "turn").update(seat=4),
    "a word": lambda lines: _first(lines, "strike").update(fault="rude"),
    "a kind": lambda lines: _last(lines, "turn").update(kind="glance"),
    "another member": lambda lines: _last(lines, "turn").update(more=1),
    "a missing member": lambda lines: _last(lines, "turn").pop("bank"),
    "another type": lambda lines: _last(lines, "turn").update(bank="1"),
    "a fraction": lambda lines: _last(lines, "turn").update(bank=1.5),
    "a number beyond 64 bits": lambda lines: _last(lines, "turn").update(bank=1 << 63),
    "a second header": lambda lines: lines.insert(1, dict(lines[0])),
    "a record after the end": lambda lines: lines.append({**lines[-2], "n": lines[-1]["n"] + 1}),
    "no end": lambda lines: lines.pop(),
    "a deal left out": lambda lines: _drop(lines, "deal"),
    "an action left out": lambda lines: _drop(lines, "act"),
    "a strike left out": lambda lines: _drop(lines, "strike"),
    "a seat never ready": lambda lines: _drop(lines, "ready"),
}
"""Changes by a forger who works out the chain anew."""


def _without(data: bytes, at: int, *instead: int) -> bytes:
    """Returns a log with other lines in the place of one."""
    lines = data.splitlines(keepends=True)
    return b"".join([*lines[:at], *(lines[other] for other in instead), *lines[at + 1 :]])


BLUNT: dict[str, Callable[[bytes], bytes]] = {
    "a changed line": lambda data: data.replace(b'"turn":2,', b'"turn":3,', 1),
    "a line left out": lambda data: _without(data, 6),
    "a line twice": lambda data: _without(data, 6, 6, 6),
    "lines swapped": lambda data: _without(_without(data, 6, 7, 6), 8),
    "a torn last line": lambda data: data[:-1],
    "bytes after the end": lambda data: data + b"{}\n",
    "an empty line": lambda data: data + b"\n",
    "no line": lambda _: b"",
    "bytes that are no text": lambda data: data.replace(b'"note":""', b'"note":"\xff"'),
}
"""Changes by somebody who leaves the chain alone."""

SPELLED: dict[str, tuple[bytes, bytes]] = {
    "a space": (b'"plies":', b'"plies": '),
    "a fraction that is whole": (b'"rank":1,', b'"rank":1.0,'),
    "points without a fraction": (b'"points":0.0,', b'"points":0,'),
    "points with more digits": (b'"points":0.0,', b'"points":0.00,'),
    "a character escaped": (b'"completed"', b'"\\u0063ompleted"'),
    "a slash escaped": (b'"note":""', b'"note":"\\/"'),
    "a member twice": (b'"plies":', b'"plies":1,"plies":'),
    "members in another order": (
        b'"termination":"completed","note":""',
        b'"note":"","termination":"completed"',
    ),
    "a sign": (b'"rank":1,', b'"rank":-0,'),
    "a comma at the end": (b'"at_fault":[]', b'"at_fault":[,]'),
}
"""Other spellings of the end record, whose line nothing is chained to."""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log with every fault, by itself good in both eyes."""
    path = tmp_path / "log.jsonl"
    path.write_bytes(scripts.log(scripts.faults(GAME)))
    assert second.told([path])[0].startswith("good: ")
    return path


def _all_are_found(files: dict[str, bytes], folder: Path) -> None:
    paths = []
    for name, data in files.items():
        path = folder / f"{name.replace(' ', '_')}.log"
        path.write_bytes(data)
        paths.append(path)
    for name, one, other in zip(files, second.told(paths), second.own(paths), strict=True):
        assert not one.startswith("good: "), f"the second verifier takes {name}"
        assert not other.startswith("good: "), f"the referee takes {name}"


def test_p9_both_find_every_change_under_a_new_chain(log: Path) -> None:
    """Deals, entropy, secret, commitment, numbers, counts, places, form: no new chain hides a change."""
    made = {}
    for name, change in FORGED.items():
        lines = [json.loads(line) for line in log.read_bytes().splitlines()]
        change(lines)
        made[name] = chained({"prev": "", **{k: v for k, v in line.items() if k != "prev"}} for line in lines)
    unchanged = chained(json.loads(line) for line in log.read_bytes().splitlines())

    assert unchanged == log.read_bytes()
    _all_are_found(made, log.parent)


def test_p9_both_find_every_blunt_change(log: Path) -> None:
    """A line changed, lost, doubled or moved, a torn end, and what is no log at all."""
    data = log.read_bytes()
    made = {name: change(data) for name, change in BLUNT.items()}

    assert data not in made.values()
    _all_are_found(made, log.parent)


def test_both_refuse_another_spelling(log: Path) -> None:
    """The end record, written in any other way than the one, is refused."""
    data = log.read_bytes()
    made = {}
    for name, (old, new) in SPELLED.items():
        head, newline, end = data.removesuffix(b"\n").rpartition(b"\n")
        assert old in end, name
        made[name] = head + newline + end.replace(old, new, 1) + b"\n"

    _all_are_found(made, log.parent)


def test_both_demand_the_key_that_signed(tmp_path: Path) -> None:
    """A log without a signature, one with that of another log, and a changed signature are refused."""
    private, public = keys.make(tmp_path)
    one, two = (packed.write(tmp_path, number, signer=Signer.load(private)) for number in (1, 2))
    assert second.told([one, two], public) == second.own([one, two], public)
    signature = one.with_name(one.name + ".sig")
    good = signature.read_bytes()

    for bad in (
        two.with_name(two.name + ".sig").read_bytes(),
        good.replace(b'"signature":"', b'"signature":"00'),
    ):
        signature.write_bytes(bad)
        assert not second.told([one], public)[0].startswith("good: ")
        assert not second.own([one], public)[0].startswith("good: ")
    signature.unlink()
    assert second.told([one], public) == ["not signed"]


def test_both_take_ranks_of_ties_and_forfeits(tmp_path: Path) -> None:
    """Logs in which seats tie or forfeit in turn are good in both eyes, and any other rank is not."""
    path = tmp_path / "tie.jsonl"
    shutil.copy(FOLDER / GAME / "alone.jsonl", path)
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    places = lines[-1]["places"]
    assert sum(place["forfeited"] for place in places) == 3
    first, second_place = (next(p for p in places if p["rank"] == rank) for rank in (2, 3))
    first["rank"], second_place["rank"] = 3, 2

    _all_are_found({"forfeits in another order": chained(lines)}, tmp_path)

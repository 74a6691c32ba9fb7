"""A verifier in another language, written from replays/README.md alone, agrees with the referee."""

import json
import random
import shutil
import zipfile
from pathlib import Path

import pytest

from referee import games
from referee.replay.packing import pack_days
from referee.replay.packs import PACK
from referee.replay.signature import Signer
from tests.e2e.commands import short
from tests.e2e.cups import HOUSE, Cup
from tests.replay import keys, packed, scripts, second
from tests.replay.forgeries import BLUNT, FORGED, SPELLED
from tests.replay.golden import FOLDER
from tests.replay.tampering import chained
from tests.requirements import require

GAME = "block_dominoes"


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


def _mutated(line: bytes, rng: random.Random) -> bytes:
    """Returns a line with one byte changed, left out or put in."""
    at, new = rng.randrange(len(line)), bytes([rng.choice(b'0123456789.,:"{}[] -+eE\\untf/\x00\xffabc')])
    return line[:at] + rng.choice((new + line[at + 1 :], line[at + 1 :], new + line[at:]))


def test_both_agree_on_the_form_of_any_line(tmp_path: Path) -> None:
    """Of last lines with any byte changed both take the same as lines of a log."""
    rng, files = random.Random(7), []
    for script in (scripts.faults, scripts.void, scripts.block):
        head, _, end = scripts.log(script(GAME)).removesuffix(b"\n").rpartition(b"\n")
        for number in range(100):
            files.append(tmp_path / f"{script.__name__}{number}.log")
            files[-1].write_bytes(head + b"\n" + _mutated(end, rng) + b"\n")

    pairs = list(zip(second.told(files), second.own(files), strict=True))

    assert len({one.partition(":")[0] for one, _ in pairs}) > 2
    for one, other in pairs:
        assert one == other or not other.startswith("good: "), "the second verifier refuses what is right"
        by_form = "canonical form" in other or "no record" in other or "no line" in other
        assert not (by_form and one.startswith("good: ")), "the second verifier takes another form"


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

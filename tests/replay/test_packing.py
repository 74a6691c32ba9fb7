"""Packs of finished days: nothing is lost, and every reader finds the logs as before."""

import os
import shutil
import subprocess
import sys
import zipfile
from datetime import timedelta
from pathlib import Path

import pytest

from referee.errors import LogWriteError, RecordError
from referee.replay import packs, reader
from referee.replay.files import logs_under
from referee.replay.packing import PART, pack_days, unpack_days
from referee.replay.signature import Signer, Verifier
from referee.replay.verify import verify
from referee.server.logbook import find_log
from referee.store.store import Store
from tests.disks import filled, small_disk
from tests.replay import keys, packed
from tests.replay.packed import DAY, FOLDER, NEXT, held, moved, write
from tests.requirements import require


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A data root with three logs of one day."""
    for number in range(3):
        write(tmp_path, number)
    return tmp_path


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_pack_holds_the_bytes_of_its_logs_and_is_one_file(root: Path) -> None:
    """After packing the pack alone is left of a day, and gives back what lay there, signatures included."""
    before = held(root)

    (told,) = pack_days(root, NEXT)

    assert (told.day, told.logs, told.problem) == (root / FOLDER, 3, "")
    assert told.packed == (root / FOLDER / packs.PACK).stat().st_size < told.plain
    assert _names(root / FOLDER) == [packs.PACK]
    assert held(root) == before
    with zipfile.ZipFile(root / FOLDER / packs.PACK) as archive:
        assert archive.testzip() is None
        assert {name: archive.read(name) for name in archive.namelist()} == before


def test_standard_tools_open_a_pack(root: Path) -> None:
    """`unzip` takes a log out of a pack."""
    require("unzip")
    before = held(root)
    moved(root, "pack")

    taken = subprocess.run(
        ["unzip", "-p", root / FOLDER / packs.PACK, packed.match_id(1) + ".jsonl"],
        capture_output=True,
        check=True,
    ).stdout

    assert taken == before[packed.match_id(1) + ".jsonl"]


def test_packing_again_changes_nothing_and_a_later_log_is_taken_in(root: Path) -> None:
    """A packed day is left alone; a log that comes later lies beside its pack until the next run."""
    moved(root, "pack")
    first = (root / FOLDER / packs.PACK).read_bytes()
    assert list(pack_days(root, NEXT)) == []
    assert (root / FOLDER / packs.PACK).read_bytes() == first

    late = write(root, 7)
    assert [path.name for path in reader.scan(root)][-1] == late.name
    (told,) = pack_days(root, NEXT)

    assert told.logs == 1
    assert _names(root / FOLDER) == [packs.PACK]
    assert len(held(root)) == 4


def test_unpacking_gives_back_the_very_files(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Bytes, modes and times (to two seconds) of the files are as before, and no pack is left."""
    path = root / FOLDER / (packed.match_id(0) + ".jsonl")
    path.with_name(path.name + ".sig").write_bytes(b"a signature\n")
    copy = shutil.copytree(root / FOLDER, tmp_path_factory.mktemp("copy") / "day")
    moved(root, "pack")

    mask = os.umask(0o077)
    (told,) = unpack_days(root)
    os.umask(mask)

    assert told.logs == 3
    assert _names(root / FOLDER) == _names(copy)
    for name in _names(copy):
        one, other = root / FOLDER / name, copy / name
        assert one.read_bytes() == other.read_bytes()
        assert one.stat().st_mode == other.stat().st_mode
        assert abs(one.stat().st_mtime - other.stat().st_mtime) < 3
    assert list(unpack_days(root)) == []


def test_days_that_are_wanted_are_unpacked(tmp_path: Path) -> None:
    """Only the days that are named come out of their packs."""
    for day in (DAY, NEXT):
        write(tmp_path, 1, day)
    assert len(list(pack_days(tmp_path, NEXT.replace(day=30)))) == 2

    assert [told.day.name for told in unpack_days(tmp_path, [NEXT])] == ["29"]
    assert packs.PACK in _names(tmp_path / FOLDER)


def test_a_day_is_left_alone_while_a_match_of_it_is_not_over(root: Path) -> None:
    """A running or sealed log of the day keeps all of it as it is."""
    before = held(root)
    running = packed.begin(root, 8)
    (told,) = pack_days(root, NEXT)
    assert told.waits
    assert told.problem == "1 match of it is not over"

    running.abandon()
    running.path.rename(running.path.with_name(packed.match_id(8) + reader.SEALED))
    (told,) = pack_days(root, NEXT)
    assert told.waits
    assert held(root) == before
    assert packs.PACK not in _names(root / FOLDER)


def test_a_day_that_is_not_over_is_left_alone(root: Path) -> None:
    """Only days before the one that is named are packed."""
    assert list(pack_days(root, DAY)) == []


def test_p1_no_log_is_lost_wherever_packing_and_unpacking_are_killed(root: Path) -> None:
    """Killed before every step that has to do with a file, all logs are there, and the work goes on."""
    run = subprocess.run(
        [sys.executable, "-m", "tests.replay.packed", root], capture_output=True, text=True, check=False
    )

    assert run.returncode == 0, run.stderr
    kills = [int(text) for text in run.stdout.split()]
    assert all(count > 10 for count in kills)
    assert len(held(root)) == 4
    assert not [name for name in _names(root / FOLDER) if not name.endswith(".jsonl")]


def test_a_full_disk_leaves_a_day_as_it_is(tmp_path: Path) -> None:
    """Where there is no room for the pack, that is said and no file is touched."""
    with small_disk(tmp_path / "disk") as disk:
        for number in range(3):
            write(disk, number)
        before = held(disk)
        with filled(disk):
            (problem,) = moved(disk, "pack")
            assert "No space left" in problem
            assert held(disk) == before
            assert PART not in _names(disk / FOLDER)
        assert moved(disk, "pack") == []
        assert held(disk) == before


def test_p4_a_match_id_that_is_packed_is_refused_for_a_new_log(root: Path) -> None:
    """The writer knows the logs of a pack as it knows those outside."""
    moved(root, "pack")

    with pytest.raises(LogWriteError, match="already has a log"):
        packed.begin(root, 1)


def test_p4_another_log_by_the_name_of_a_packed_one_is_not_taken_in(root: Path) -> None:
    """Two logs that differ and have one name are both kept, and named."""
    path = root / FOLDER / (packed.match_id(1) + ".jsonl")
    old = path.read_bytes()
    moved(root, "pack")
    path.write_bytes(old.replace(b"dominoes", b"dominoez"))

    for work in ("pack", "unpack"):
        (problem,) = moved(root, work)
        assert problem == f"{path}: differs from what pack.zip holds by this name; remove one of them"
    with packs.open_log(root / FOLDER / packs.PACK / path.name) as file:
        assert file.read() == old


def test_every_reader_takes_packed_logs(root: Path) -> None:
    """A log is found, read, verified and its header and last hash told by the name that it had."""
    path = root / FOLDER / (packed.match_id(1) + ".jsonl")
    plain = reader.read(path), reader.header(path), reader.last_hash(path), logs_under(root)
    moved(root, "pack")

    assert (reader.read(path), reader.header(path), reader.last_hash(path), logs_under(root)) == plain
    assert find_log(root, packed.match_id(1)) == path
    assert find_log(root, packed.match_id(5)) is None
    assert logs_under(root / FOLDER) == plain[3]
    assert logs_under(path) == [path]
    assert verify(reader.read(path)).ok


def test_a_pack_is_read_wherever_it_was_taken(root: Path) -> None:
    """A pack by another name in another place is a folder of logs."""
    moved(root, "pack")
    pack = (root / FOLDER / packs.PACK).rename(root / "2026-07-28.zip")

    found = logs_under(pack)

    assert [path.name for path in found] == [f"{packed.match_id(number)}.jsonl" for number in range(3)]
    assert all(verify(reader.read(path)).ok for path in found)
    assert reader.logs_in(root / FOLDER) == []


def test_signatures_go_along(tmp_path: Path) -> None:
    """A packed log is checked by the signature that was packed with it."""
    private, public = keys.make(tmp_path)
    path = write(tmp_path, 1, signer=Signer.load(private))
    moved(tmp_path, "pack")

    assert not path.with_name(path.name + ".sig").exists()
    Verifier.load(public).check(path, reader.last_hash(path))


def test_p2_standings_come_from_packed_logs_as_from_others(root: Path) -> None:
    """The index takes packed logs in, keeps what it has when a day is packed, and is made anew from packs."""
    with Store.under(root) as store:
        write(root, 7)
        assert store.sync(root).added == 4
        before = store.results()
        moved(root, "pack")

        report = store.sync(root)
        assert (report.added, report.refused) == (0, ())
        report = store.rebuild(root)
        assert (report.added, report.dropped, report.refused) == (0, 0, ())
        assert store.results() == before
    (root / "referee.db").unlink()
    with Store.under(root) as store:
        assert store.sync(root).added == 4
        assert store.results() == before


def test_p9_a_changed_log_in_a_pack_is_found(root: Path) -> None:
    """A pack made anew with a line changed in one log is refused like a changed log outside, by its line."""
    with Store.under(root) as store:
        store.sync(root)
        moved(root, "pack")
        pack = root / FOLDER / packs.PACK
        name = packed.match_id(1) + ".jsonl"
        with zipfile.ZipFile(pack) as archive:
            every = {member: archive.read(member) for member in archive.namelist()}
        every[name] = every[name].replace(b'"no_show"', b'"void"')
        with zipfile.ZipFile(pack, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, data in every.items():
                archive.writestr(member, data)

        (refused,) = store.sync(root).refused
        assert name in refused
        assert not verify(reader.examine(root / FOLDER / name)).ok


@pytest.mark.parametrize("at", [0, 40, 200, -30, -4], ids="byte{}".format)
def test_p9_a_damaged_pack_is_named_and_hides_no_other_day(root: Path, at: int) -> None:
    """A byte changed anywhere in a pack is found; results of other days come in, those it had stay."""
    write(root, 1, NEXT)
    with Store.under(root) as store:
        store.sync(root)
        before = store.results()
        moved(root, "pack")
        pack = root / FOLDER / packs.PACK
        data = bytearray(pack.read_bytes())
        data[at] ^= 0x55
        pack.write_bytes(data)
        write(root, 2, NEXT)

        report = store.sync(root)
        assert report.added == 1
        assert all("2026/07/28" in line for line in report.refused)
        report = store.rebuild(root)
        assert report.dropped == 0
        assert report.refused
        assert {result.match_id for result in before} < {result.match_id for result in store.results()}


def test_what_is_no_pack_of_logs_is_refused(root: Path) -> None:
    """A member whose name leads out of a folder, or an empty file, makes no pack."""
    pack = root / FOLDER / packs.PACK
    with zipfile.ZipFile(pack, "w") as archive:
        archive.writestr("../x.jsonl", b"{}")
    with pytest.raises(RecordError, match="no pack of replay logs"):
        reader.logs_in(root / FOLDER)
    pack.write_bytes(b"")
    with pytest.raises(RecordError, match="no whole zip file"):
        reader.logs_in(root / FOLDER)
    assert moved(root, "pack")
    assert moved(root, "unpack")


def test_two_packers_keep_out_of_each_others_way(root: Path) -> None:
    """A day that one process packs another leaves for the end, waits for, and then finds packed."""
    write(root, 1, NEXT)
    later = NEXT + timedelta(days=1)
    first = pack_days(root, later)
    assert next(first).logs == 3  # it holds the day until it goes on
    second = pack_days(root, later)
    told = next(second)
    assert (told.day.name, told.logs) == ("29", 1)

    work = f"from tests.replay.packed import *; print(moved(Path({str(root)!r}), 'unpack'))"
    with subprocess.Popen([sys.executable, "-c", work], stdout=subprocess.PIPE, text=True) as other:
        with pytest.raises(subprocess.TimeoutExpired):
            other.wait(0.5)
        first.close()
        second.close()
        assert other.communicate()[0] == "[]\n"
    assert held(root).keys() == {path.name for path in root.rglob("*.jsonl")}


def test_what_is_called_a_log_and_is_none_is_not_packed(
    root: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A link, a pipe, another match's log, one that is torn and a text stay as they are, and are named."""
    private = tmp_path_factory.mktemp("private") / "key"
    private.write_bytes(b"private\n")
    folder = root / FOLDER
    good = (folder / f"{packed.match_id(0)}.jsonl").read_bytes()
    odd = [f"{packed.match_id(number)}.jsonl" for number in range(10, 15)]
    (folder / odd[0]).symlink_to(private)
    os.mkfifo(folder / odd[1])
    (folder / odd[2]).write_bytes(good)
    (folder / odd[3]).write_bytes((folder / f"{packed.match_id(1)}.jsonl").read_bytes()[:-9])
    (folder / odd[4]).write_bytes(b"a text\n")
    (folder / f"{packed.match_id(0)}.jsonl.sig").symlink_to(private)
    (folder / f"{packed.match_id(10)}.jsonl.sig").write_bytes(b"of the link\n")
    before = {path.name: path.lstat() for path in folder.iterdir()}

    (told,) = pack_days(root, NEXT)

    assert (told.logs, told.odd, told.problem) == (3, tuple(odd), "")
    assert sorted(packs.contents(folder / packs.PACK)) == [f"{packed.match_id(at)}.jsonl" for at in range(3)]
    left = {path.name: path.lstat() for path in folder.iterdir() if path.name != packs.PACK}
    assert left.keys() == before.keys() - packs.contents(folder / packs.PACK).keys()
    assert {name: found.st_ino for name, found in left.items()}.items() <= {
        name: found.st_ino for name, found in before.items()
    }.items()
    (again,) = pack_days(root, NEXT)
    assert (again.logs, again.odd) == (0, tuple(odd))

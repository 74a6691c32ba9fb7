"""The folder of a tournament: one file, one runner at a time."""

import multiprocessing
import os
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest

from referee.errors import UsageError
from referee.organiser.folder import PLAN, Folder, names
from referee.tournament.decision import Opened
from tests.patience import PATIENCE

FILE = b'[tournament]\nname = "cup"\n'


def _hold(data: Path, held: Event, end: Event) -> None:
    with Folder(data, "cup").locked():
        held.set()
        end.wait(PATIENCE)


def test_a_tournament_is_begun_once_and_goes_on_with_the_same_file(tmp_path: Path) -> None:
    """The copy and the digest are kept; the same bytes again change nothing."""
    folder = Folder(tmp_path, "cup")
    with folder.locked():
        folder.begin(FILE, "cup.toml", 7)
        folder.begin(FILE, "cup.toml", 8)

    (opened,) = folder.log.read()
    assert isinstance(opened, Opened)
    assert (opened.at, opened.tournament) == (7, "cup")
    assert folder.begun_with() == FILE
    assert names(tmp_path) == ["cup"]


def test_a_changed_file_is_refused_with_what_differs(tmp_path: Path) -> None:
    """A tournament does not change under way; the lines are named as the person knows them."""
    folder = Folder(tmp_path, "cup")
    with folder.locked():
        folder.begin(FILE + b"seats = 4\n", "cup.toml", 7)
        with pytest.raises(UsageError) as refused:
            folder.begin(FILE + b"seats = 5\nrated = false\n", "cup.toml", 8)

    told = str(refused.value).split("\n")
    assert told[0].startswith("tournament cup was begun with another file")
    assert told[1] == "cup.toml:3: seats = 5 | rated = false; was seats = 4"


def test_what_changes_no_result_may_change_under_way(tmp_path: Path) -> None:
    """How it is carried out, comments and the order of tables; not the order of the bots (S17)."""
    bots = b"[bots.a]\n[bots.b]\n"
    folder = Folder(tmp_path, "cup")
    with folder.locked():
        folder.begin(FILE + b"[running]\nconcurrency = 2\n" + bots, "cup.toml", 7)
        folder.begin(b"# later\n" + bots + FILE + b"[running]\nshare = 0.5\n", "cup.toml", 8)
        folder.begin(FILE + bots, "cup.toml", 9)
        with pytest.raises(UsageError, match="was begun with another file"):
            folder.begin(FILE + b"[bots.b]\n[bots.a]\n", "cup.toml", 10)

    assert len(folder.log.read()) == 1
    assert folder.begun_with() == FILE + b"[running]\nconcurrency = 2\n" + bots, "the copy stays"


def test_a_copy_that_was_changed_is_named_and_mended_by_the_true_file(tmp_path: Path) -> None:
    """Nobody is told to put back the very file that is not true any more."""
    folder = Folder(tmp_path, "cup")
    copy = tmp_path / "tournaments" / "cup" / "tournament.toml"
    with folder.locked():
        folder.begin(FILE, "cup.toml", 7)
        copy.write_bytes(FILE + b"# mine\n")
        with pytest.raises(UsageError) as refused:
            folder.begin(copy.read_bytes(), str(copy), 8)
        assert str(refused.value) == (
            f"{copy}: is not the file any more that cup was begun with; `referee tournament run FILE` with"
            " that one goes on, and mends this copy"
        )
        folder.begin(FILE, "cup.toml", 9)
        assert copy.read_bytes() == FILE
        copy.unlink()
        folder.begin(FILE, "cup.toml", 10)

    assert copy.read_bytes() == FILE


def test_bots_are_looked_for_where_it_was_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands are relative to the working folder: another one would start other bots."""
    folder = Folder(tmp_path / "data", "cup")
    with folder.locked():
        folder.begin(FILE, "cup.toml", 7)
        monkeypatch.chdir(tmp_path)
        with pytest.raises(UsageError, match="go on from there"):
            folder.begin(FILE, "cup.toml", 8)


def test_two_runners_of_one_tournament_are_refused(tmp_path: Path) -> None:
    """The second one hears who the first is; when that ends, or is killed, the way is free."""
    context = multiprocessing.get_context("spawn")
    held, end = context.Event(), context.Event()
    holder = context.Process(target=_hold, args=(tmp_path, held, end), daemon=True)
    holder.start()
    assert held.wait(PATIENCE)
    folder = Folder(tmp_path, "cup")

    assert folder.played_by() == holder.pid
    with pytest.raises(UsageError, match=f"being played already, by process {holder.pid}"), folder.locked():
        pass
    holder.kill()
    holder.join()
    assert folder.played_by() == 0
    with folder.locked():
        assert folder.played_by() in {os.getpid(), -1}


def test_an_unknown_name_is_answered_with_near_ones(tmp_path: Path) -> None:
    """Whoever mistypes a name sees what there is."""
    with pytest.raises(UsageError, match="there is none; name the folder with --data"):
        Folder(tmp_path, "cup").begun_with()
    for name in ("spring-cup", "autumn"):
        with Folder(tmp_path, name).locked():
            Folder(tmp_path, name).begin(FILE, "x", 1)
    with pytest.raises(UsageError, match=r"no tournament 'spring-cop'.*did you mean spring-cup\?"):
        Folder(tmp_path, "spring-cop").begun_with()


def test_a_run_of_the_command_line_is_told_from_a_tournament(tmp_path: Path) -> None:
    """They lie side by side; whoever takes one for the other hears what goes on with it."""
    run = Folder(tmp_path, "rr-1", PLAN)
    with run.locked():
        run.begin(b"{}", "run rr-1", 1)

    with pytest.raises(UsageError, match="`referee round-robin --resume rr-1` goes on"):
        Folder(tmp_path, "rr-1").begun_with()
    assert names(tmp_path) == []

"""Signed standings of tournaments that were really played: who said so, and what they are made of."""

import json
import shutil
from datetime import date
from pathlib import Path

import pytest

from referee.replay.packing import pack_days
from tests.e2e.cups import FIVE, HOUSE, SEEDED, Cup
from tests.replay import keys

FILE = "tournaments/cup/standings.json"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Cup:
    """A tournament that was played to its end with a key."""
    folder = tmp_path_factory.mktemp("played")
    keys.make(folder)
    cup = Cup(folder)
    cup.write(FIVE, matches=6, head=SEEDED)
    status, told, stderr = cup.played("--sign-key", "key.pem")
    assert status == 0, stderr
    assert told["signed"] == FILE
    return cup


@pytest.fixture
def ended(played: Cup, tmp_path: Path) -> Cup:
    """A copy of that one, which a test may spoil."""
    folder = tmp_path / "copy"
    shutil.copytree(played.folder, folder)
    return Cup(folder)


def _verify(cup: Cup, *words: str, key: str = "key.pub.pem") -> tuple[int, str]:
    done = cup.here("standings", "verify", FILE, "--key", key, *words)
    return done.returncode, (done.stdout + done.stderr).strip()


def _replace(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


def test_the_end_of_a_tournament_is_signed_and_can_be_counted_again(ended: Cup) -> None:
    """The file names every log with its hash, the tables are those of `standings`, and both checks pass."""
    values = json.loads((ended.folder / FILE).read_text())
    shown = ended.told("standings", "--tournament", "cup", "--crosstable")

    assert values["tables"] == shown["tables"]
    assert [log["match_id"] for log in values["logs"]] == sorted(path.stem for path in ended.logs())
    assert values["decisions"]["count"] == len(ended.decisions())
    status, said = _verify(ended)
    assert (status, "not counted anew" in said) == (0, True), said
    status, said = _verify(ended, "--data", ".")
    assert status == 0, said
    assert "good: cup, 6 matches, signed, counted anew, the same tables; hash " in said


def test_signing_again_gives_the_same_bytes(played: Cup) -> None:
    """Standings of the same logs and decisions are one file, and it says where it lies."""
    before = [(played.folder / f"{FILE}{end}").read_bytes() for end in ("", ".sig")]
    done = played.here("standings", "sign", "cup", "--sign-key", "key.pem")

    assert (done.returncode, done.stdout) == (0, f"{FILE}: signed\n")
    assert [(played.folder / f"{FILE}{end}").read_bytes() for end in ("", ".sig")] == before
    (played.folder / FILE).unlink()
    status, _, stderr = played.played("--sign-key", "key.pem")
    assert status == 0, stderr
    assert [(played.folder / f"{FILE}{end}").read_bytes() for end in ("", ".sig")] == before


def test_packed_logs_are_counted_too(ended: Cup) -> None:
    """A recount takes logs out of packs."""
    assert sum(told.logs for told in pack_days(ended.folder, date.max)) == 6

    assert _verify(ended, "--data", ".")[0] == 0


@pytest.mark.parametrize(
    ("old", "new"), [('"place":1,', '"place":2,'), ('"tournament":"cup"', '"tournament":"cap"'), (",", ", ")]
)
def test_p9_a_changed_table_is_found(ended: Cup, old: str, new: str) -> None:
    """Whatever is changed in the file, the signature or the form tells."""
    _replace(ended.folder / FILE, old, new)

    status, said = _verify(ended)
    assert status == 1
    assert said.count("\n") == 0
    assert FILE in said


def test_the_key_has_to_be_the_one_that_signed(ended: Cup) -> None:
    """Another key, no signature, and a signature of a log for one of standings are refused."""
    keys.make(ended.folder, "other")
    assert _verify(ended, key="other.pub.pem")[0] == 1
    log = ended.logs()[0]
    (ended.folder / f"{FILE}.sig").write_bytes(log.with_name(log.name + ".sig").read_bytes())
    assert _verify(ended)[0] == 1
    (ended.folder / f"{FILE}.sig").unlink()
    status, said = _verify(ended)
    assert (status, "not signed: there is no standings.json.sig" in said) == (1, True)


def test_p9_logs_that_were_changed_or_are_gone_are_found_by_a_recount(ended: Cup) -> None:
    """A log that was changed, is missing, or is not named makes another table, and is named."""
    first, *_, last = sorted(ended.logs())
    data = first.read_bytes()
    _replace(first, '"termination":"completed"', '"termination":"adjudicated"')
    status, said = _verify(ended, "--data", ".")
    assert (status, first.stem in said) == (1, True), said
    _replace(first, '"prev":"', '"prev":"0')
    status, said = _verify(ended, "--data", ".")
    assert (status, first.stem in said) == (1, True), said
    first.write_bytes(data)
    last.rename(ended.folder / "away")
    status, said = _verify(ended, "--data", ".")
    assert (status, last.stem in said) == (1, True), said


def test_a_decision_after_the_end_asks_for_new_standings(ended: Cup) -> None:
    """A void without a key makes the file out of date, which is said and found; with a key it is new."""
    done = ended.here("tournament", "void", "cup", ended.logs()[0].stem, "--why", "the power failed")
    assert done.returncode == 0, done.stderr
    assert f"{FILE} is out of date now: " in done.stdout
    status, said = _verify(ended, "--data", ".")
    assert (status, "the decisions are not those" in said) == (1, True), said

    why = ("--why", "it cheats", "--sign-key", "key.pem")
    done = ended.here("tournament", "disqualify", "cup", "mine", *why)
    assert done.returncode == 0, done.stderr
    assert f"{FILE}: signed" in done.stdout
    assert _verify(ended, "--data", ".")[0] == 0
    values = json.loads((ended.folder / FILE).read_text())
    assert values["tables"][0]["rows"][-1]["left"]["why"] == "it cheats"


def test_a_run_of_the_command_line_can_be_signed(tmp_path: Path) -> None:
    """What has logs has standings to sign, wherever the file is to lie."""
    keys.make(tmp_path)
    cup = Cup(tmp_path)
    done = cup.run(
        "round-robin", "easy", "normal", "expert", "spar=easy", "--matches", "2", "--quiet", "--json"
    )
    assert done.returncode == 0, done.stderr
    name = next((tmp_path / "tournaments").iterdir()).name

    sign = ("standings", "sign", name, "--sign-key", "key.pem", "--out", "final.json")
    assert cup.here(*sign).returncode == 0
    done = cup.here("standings", "verify", "final.json", "--key", "key.pub.pem", "--data", ".")
    assert done.returncode == 0, done.stderr
    assert f"good: {name}, 2 matches" in done.stdout


def test_what_is_no_standings_is_refused_in_a_line(ended: Cup) -> None:
    """A missing file, a log, an unknown tournament and a missing key are told apart."""
    told = [
        (2, "no such", ("verify", "none.json", "--key", "key.pub.pem")),
        (1, "holds no standings", ("verify", str(ended.logs()[0]), "--key", "key.pub.pem")),
        (2, "did you mean cup?", ("sign", "cap", "--sign-key", "key.pem")),
        (2, "key.pub.pem", ("sign", "cup", "--sign-key", "key.pub.pem")),
        (1, "none/x.json", ("sign", "cup", "--sign-key", "key.pem", "--out", "none/x.json")),
    ]
    for status, text, words in told:
        done = ended.here("standings", *words)
        assert (done.returncode, done.stderr.count("\n")) == (status, 1), done.stderr
        assert text.lower() in done.stderr.lower(), done.stderr


def test_without_a_key_nothing_is_signed(tmp_path: Path) -> None:
    """A tournament without a key has no file of standings."""
    cup = Cup(tmp_path)
    cup.write(HOUSE + '[bots.spar]\nhouse = "easy"\n', matches=1)
    status, told, stderr = cup.played()

    assert (status, told["signed"]) == (0, None), stderr
    assert not (tmp_path / FILE).exists()


@pytest.mark.parametrize("text", [None, "no key"])
def test_nothing_is_begun_with_a_key_that_cannot_sign(tmp_path: Path, text: str | None) -> None:
    """It is told in one line, and no tournament is there that somebody would have to go on with."""
    cup = Cup(tmp_path)
    cup.write(FIVE, matches=6, head=SEEDED)
    if text:
        (tmp_path / "key.pem").write_text(text, "ascii")
    done = cup.here("tournament", "run", "cup.toml", "--sign-key", "key.pem")

    assert (done.returncode, done.stdout) == (2, "")
    assert "key.pem" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "tournaments").exists()

"""The package as people install it: a wheel, without the source tree."""

import json
import os
import site
import subprocess
import sys
import venv
from pathlib import Path

import httpx
import pytest

from referee.bot_project.languages import Language, languages
from referee.bot_project.starter import File, files
from tests.patience import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
BOTS = ("easy", "normal", "expert", "easy")


def run(*command: str | Path, folder: Path) -> str:
    """Runs a command without any of this environment's Python settings; returns what it printed."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "REFEREE"))}
    done = subprocess.run(command, cwd=folder, env=kept, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a fresh environment with the built wheel in it.

    Dependencies come from the environment that runs the tests, so that nothing is downloaded: a
    folder named in a `.pth` file is searched for packages, and its own `.pth` files, one of which
    names the source tree, are not read.
    """
    folder = tmp_path_factory.mktemp("installed")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
    build = ("wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, ROOT)
    run(*pip, *build, folder=folder)
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "venv")
    python = folder / "venv" / "bin" / "python"
    run(*pip, "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel, folder=folder)
    (packages,) = (folder / "venv" / "lib").glob("python*/site-packages")
    (packages / "dependencies.pth").write_text("\n".join(site.getsitepackages()) + "\n", encoding="utf-8")
    return folder


def test_the_command_works_without_the_source_tree(installed: Path) -> None:
    """The installed command is found, and none of its code comes from the source tree."""
    told = run(installed / "venv" / "bin" / "referee", "--version", folder=installed)
    code = "import referee, referee.v1.play_service_pb2 as v1; print(referee.__file__, v1.__file__)"
    files = run(installed / "venv" / "bin" / "python", "-c", code, folder=installed).split()

    assert told.startswith("referee ")
    assert [file for file in files if not file.startswith(str(installed))] == []


def test_an_installed_referee_plays_and_verifies_a_match(installed: Path) -> None:
    """House bots come with the package: a match is played, and its replay can be verified."""
    referee = installed / "venv" / "bin" / "referee"
    match = ("match", "--game", "block_dominoes", *BOTS, "--seed", "7", "--json", "--data", installed)
    result = json.loads(run(referee, *match, folder=installed))
    (log,) = (installed / "replays").rglob("*.jsonl")

    assert result["termination"] == "completed"
    run(referee, "replay", "verify", log, folder=installed)


def test_an_installed_referee_has_its_site(installed: Path) -> None:
    """Templates, styles and the rules of the games come with the package."""
    command = [str(installed / "venv" / "bin" / "referee"), "serve", "--data", str(installed), "--http", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout
            url = next(line.split()[1] for line in server.stdout if line.startswith("SITE "))
            for path in ("", "rules/guan_pai", "static/site.css", "standings"):
                assert httpx.get(url + path, timeout=PATIENCE).status_code == 200, path
        finally:
            server.terminate()


def test_a_site_without_its_packages_is_one_line(installed: Path) -> None:
    """Where the extra is not installed, --http says what to run."""
    code = "import sys; sys.modules['starlette'] = None; from referee.cli import main; main()"
    python = installed / "venv" / "bin" / "python"
    command = [str(python), "-c", code, "serve", "--data", str(installed), "--http", "0"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "referee: --http needs starlette: run pip install -e '.[web]' in the referee's folder\n"
    )


@pytest.mark.parametrize("language", languages(), ids=lambda language: language.name)
def test_an_installed_referee_begins_a_bot_in_any_language(
    installed: Path, language: Language, tmp_path: Path
) -> None:
    """The project is the same as one from the tree: no file is missing, and nothing built comes along."""
    new = ("bot", "new", "--language", language.name, "mybot")
    run(installed / "venv" / "bin" / "referee", *new, folder=tmp_path)
    project = tmp_path / "mybot"
    written = {path.relative_to(project).as_posix(): path for path in project.rglob("*") if path.is_file()}
    (packages,) = (installed / "venv" / "lib").glob("python*/site-packages")
    sample = packages / "referee" / "_sample_bots" / language.folder
    kept = {path.relative_to(sample).as_posix() for path in sample.rglob("*") if path.is_file()}

    assert {
        path: File(file.read_bytes(), os.access(file, os.X_OK)) for path, file in written.items()
    } == files(language, "mybot")
    assert {path for path in kept if "__pycache__" not in path} == set(map(str, language.files()))


def test_an_installed_referee_has_text_mode(installed: Path, tmp_path: Path) -> None:
    """The text adapter and the script that plays by it are found by name, and the script can be run."""
    bots = ("easy", "normal", "expert", "sample_bots/text/adapter.py -- shed.sh")
    match = ("match", *bots, "--option", "target=20", "--json", "--data", tmp_path)
    result = json.loads(run(installed / "venv" / "bin" / "referee", *match, folder=tmp_path))

    assert result["termination"] == "completed"
    assert [place["faults"] for place in result["placements"]] == [{}] * 4

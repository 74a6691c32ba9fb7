"""The commands of the page on replays, run as they stand there."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.patience import PATIENCE

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "replays.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MARK = "== next block =="


def script() -> str:
    """Returns the blocks of the page as one script: a Python one is the bot from then on."""
    return "".join(
        f"echo '{MARK}'\n{text}" if kind == "sh" else f"cat > mybot.py <<'END'\n{text}END\n"
        for kind, text in BLOCK.findall(PAGE)
    )


def test_the_commands_of_the_page_lead_where_it_says(tmp_path: Path) -> None:
    """The first bot is refused, explained and drilled; the second is not refused; two branches are good."""
    command = tmp_path / "bin" / "referee"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m referee "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("REFEREE_")}
    done = subprocess.run(
        ["bash", "-e", "-c", script()],
        cwd=tmp_path,
        env={**environment, "PATH": f"{command.parent}:{environment['PATH']}", "COLUMNS": "160"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    _, match, explained, drilled, mended, branched, verified = done.stdout.split(MARK)

    assert "completed" in match or "forfeited" in match
    assert "of its answers were refused" in explained
    assert "it answered, to turn" in explained
    assert "referee replay drill" in explained
    assert re.search(r"seat 3 of block_dominoes: .* illegal", drilled)
    assert re.search(r"seat 3 of block_dominoes: .* asked", mended)
    assert "illegal" not in mended
    assert branched.count("goes on from ply 6 of match ") == 2
    assert verified.count(": good: ") == 3

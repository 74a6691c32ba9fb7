"""Runs the verifier in another language over files, and the referee's own over the same."""

import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from referee.errors import RecordError
from referee.replay.reader import examine
from referee.replay.signature import Verifier
from referee.replay.verify import misnamed, verify

PROGRAM = Path(__file__).parent / "second_verifier" / "verify.mjs"


def told(files: Sequence[Path], key: Path | None = None) -> list[str]:
    """Returns what the second verifier says of each file: `good: ...`, or what is wrong."""
    words = ["node", PROGRAM, *(("--key", key) if key else ()), *files]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    assert len(lines) == len(files), done.stderr
    found = [line.removeprefix(f"{file}: ") for line, file in zip(lines, files, strict=True)]
    assert done.returncode == (not all(line.startswith("good: ") for line in found))
    return found


def own(files: Iterable[Path], key: Path | None = None) -> list[str]:
    """Returns what the referee says of each file, in the words of the second verifier where it is good."""
    return [_own(file, key) for file in files]


def _own(file: Path, key: Path | None) -> str:
    try:
        log = examine(file)
        verdict = verify(log)
        if verdict.ok and key:
            Verifier.load(key).check(file, log.last_hash)
    except RecordError as error:
        return str(error)
    if verdict.ok and (strange := misnamed(file.name, log.setup)):
        return strange
    if verdict.ok and log.end:
        return f"good: {verdict.records} records, {log.end.termination}, hash {log.last_hash}"
    return str(verdict)

"""`referee replay export`: matches for other tools, as JSON by a schema or their results as CSV."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Literal, Protocol, TypeAlias

import typer

from referee.cli.arguments import examples
from referee.cli.printing import ascii_json, json_of
from referee.cli.replay_log import examined, logs, naming
from referee.errors import RecordError, RefereeError, UsageError

if TYPE_CHECKING:
    from referee.replay.export import LeftOut, Match

EXAMPLES = examples(
    "referee replay export arena --format csv --out results.csv",
    "referee replay export FILE --out match.json",
)
Format: TypeAlias = Literal["json", "csv"]


def register(group: typer.Typer) -> None:
    """Adds `export` to the commands of `referee replay`."""
    group.command("export", epilog=EXAMPLES)(_export)


def _export(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH", help="Replay logs, packs, or folders of finished ones."),
    ],
    form: Annotated[
        Format,
        typer.Option(
            "--format",
            metavar="json|csv",
            help="json: everything, by a schema; csv: the results, a row for each match and seat.",
        ),
    ] = "json",
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write there, whole or not at all. Default: print it."),
    ] = None,
    keep_going: Annotated[
        bool,
        typer.Option("--keep-going", help="Leave out logs that are not good, and name them, with status 1."),
    ] = False,
) -> None:
    """Write matches for other tools, in the order of the files: JSON by a schema, or results as CSV.

    Chain and legality of every log are checked, and `verify` checks all the rest. A log that is not good
    is named, and nothing is written then. What is told of a match that is not over says so, and CSV
    has results only.
    """
    from referee.cli.interrupt import leave
    from referee.cli.printing import refuse

    leave()
    if out:
        _check_target(out)
    found = [file for path in paths for file in logs(path)]
    with _written(out) as target:
        left_out = _write(found, target, form)
        for one in left_out:
            refuse(one.problem)
        if left_out and not keep_going:
            raise RefereeError(_refused(len(left_out), len(found)))
    if left_out:
        raise typer.Exit(1)


def _refused(bad: int, all_: int) -> str:
    """Says that nothing was written, and what to do where some of the logs are good."""
    if bad == all_:
        return "nothing was written: no log of these is good" if bad > 1 else "nothing was written"
    is_ = "is" if bad == 1 else "are"
    return f"nothing was written: {bad} of {all_} logs {is_} not good; --keep-going leaves them out"


def _write(files: Sequence[Path], target: IO[str], form: Format) -> "list[LeftOut]":
    """Writes what can be exported and returns what cannot."""
    from referee.replay.export import LeftOut
    from referee.replay.exporting import exported

    sink: _Sink = _Json(target) if form == "json" else _Csv(target)
    left_out: list[LeftOut] = []
    for file in files:
        try:
            with naming(file):
                sink.take(exported(examined(file), str(file)))
        except RecordError as error:
            left_out.append(LeftOut(file=str(file), problem=str(error)))
    sink.close(left_out)
    return left_out


class _Sink(Protocol):
    def take(self, match: "Match") -> None:
        """Writes a match; raises `RecordError` before any of it is written for one that cannot be."""

    def close(self, left_out: "list[LeftOut]") -> None:
        """Ends the export."""


class _Json:
    """One JSON object, a line for each match, so that no more than one is in memory."""

    def __init__(self, target: IO[str]) -> None:
        from referee.replay.export import FORMAT, VERSION

        self._target = target
        self._between = ""
        target.write(f'{{"format":"{FORMAT}","version":{VERSION},"matches":[\n')

    def take(self, match: "Match") -> None:
        self._target.write(self._between + _json(match))
        self._between = ",\n"

    def close(self, left_out: "list[LeftOut]") -> None:
        self._target.write(f'\n],"left_out":{_json(left_out)}}}\n')


class _Csv:
    def __init__(self, target: IO[str]) -> None:
        from referee.replay.results_csv import heading

        self._target = target
        target.write(heading())

    def take(self, match: "Match") -> None:
        from referee.replay.results_csv import rows

        self._target.write(rows(match))

    def close(self, left_out: "list[LeftOut]") -> None:
        """Ends the export; what was left out is not told in it."""


def _json(value: object) -> str:
    import msgspec

    try:
        return ascii_json(msgspec.json.encode(value).decode())
    except UnicodeEncodeError:  # the file has a name that is not UTF-8
        return json_of(value, indent=None)


def _check_target(out: Path) -> None:
    """Refuses to write over a log, or where no file can be."""
    from referee.replay.reader import FINISHED, RUNNING, SEALED

    if out.name.endswith((FINISHED, RUNNING, SEALED, ".zip")):
        raise UsageError(f"--out {out}: replay logs and packs have such names; choose another")
    if out.is_dir():
        raise UsageError(f"--out {out}: that is a folder; name a file")
    if not out.parent.is_dir():
        raise UsageError(f"--out {out}: there is no folder {out.parent}")


@contextmanager
def _written(out: Path | None) -> Iterator[IO[str]]:
    """Gives a file to write; if nothing is raised it becomes `out`, or is copied to what is no file.

    So nobody ever reads half of an export.
    """
    device = out is None or (out.exists() and not out.is_file())
    final = out.resolve() if out else Path()
    try:
        with tempfile.NamedTemporaryFile(
            "w+",
            encoding="utf-8",
            newline="",
            dir=None if device else final.parent,
            prefix=f".{final.name}.",
            delete=False,
        ) as target:
            try:
                yield target
                target.flush()
                if device:
                    target.seek(0)
                    _copy(target, out)
                else:
                    os.fchmod(target.fileno(), 0o666 & ~_umask())
                    os.fsync(target.fileno())
                    Path(target.name).replace(final)
            finally:
                Path(target.name).unlink(missing_ok=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise RefereeError(f"{out or 'the export'} cannot be written: {error.strerror}") from None


def _copy(source: IO[str], out: Path | None) -> None:
    if out is None:
        shutil.copyfileobj(source, sys.stdout)
        sys.stdout.flush()
    else:
        with out.open("w", encoding="utf-8", newline="") as target:
            shutil.copyfileobj(source, target)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask

"""Generates the committed Python stubs in referee/v1, or checks that they are what they should be.

Usage: python proto/generate.py [--check]

The generators are pinned in pyproject.toml, so that the same proto files give the same stubs.
"""

import importlib.resources
import os
import shutil
import sys
import tempfile
from pathlib import Path

from grpc_tools import protoc

PROTO = Path(__file__).resolve().parent
STUBS = PROTO.parent / "referee" / "v1"
PATTERN = "*_pb2*.py*"


def generate(target: Path) -> None:
    """Writes the stubs of all proto files under `target`; gRPC stubs for the services only."""
    files = sorted(path.relative_to(PROTO).as_posix() for path in PROTO.glob("referee/v1/*.proto"))
    services = [path for path in files if path.endswith("_service.proto")]
    well_known = importlib.resources.files("grpc_tools") / "_proto"
    include = [f"-I{PROTO}", f"-I{well_known}"]
    _protoc([*include, f"--python_out={target}", f"--mypy_out=quiet:{target}", *files])
    _protoc([*include, f"--grpc_python_out={target}", f"--mypy_grpc_out=quiet:{target}", *services])


def differences(fresh: Path) -> list[str]:
    """Returns one line for each committed stub that is missing, left over or not as generated."""
    wanted = {path.name: path.read_bytes() for path in fresh.glob(PATTERN)}
    found = {path.name: path.read_bytes() for path in STUBS.glob(PATTERN)}
    lines = [f"referee/v1/{name}: is missing" for name in sorted(wanted.keys() - found.keys())]
    lines += [f"referee/v1/{name}: has no proto file" for name in sorted(found.keys() - wanted.keys())]
    both = sorted(wanted.keys() & found.keys())
    return lines + [f"referee/v1/{name}: is out of date" for name in both if wanted[name] != found[name]]


def main() -> int:
    """Generates into the tree, or with `--check` compares and returns 1 on a difference."""
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    with tempfile.TemporaryDirectory() as folder:
        generate(Path(folder))
        fresh = Path(folder) / "referee" / "v1"
        if "--check" in sys.argv[1:]:
            lines = differences(fresh)
            if lines:
                print(*lines, "run `make proto` and commit the result", sep="\n", file=sys.stderr)
            return 1 if lines else 0
        for path in STUBS.glob(PATTERN):
            path.unlink()
        for path in sorted(fresh.glob(PATTERN)):
            shutil.copyfile(path, STUBS / path.name)
    return 0


def _protoc(arguments: list[str]) -> None:
    status = protoc.main(["protoc", *arguments])
    if status != 0:
        sys.exit(status)


if __name__ == "__main__":
    sys.exit(main())

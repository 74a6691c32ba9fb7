"""A small file system for tests of full disks."""

import contextlib
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.requirements import cannot


@contextlib.contextmanager
def small_disk(at: Path, size: int = 512 * 1024) -> Iterator[Path]:
    """Mounts a file system of so many bytes on a new folder, where this user may."""
    at.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(at)]
    if not shutil.which("mount") or subprocess.run(mount, capture_output=True, check=False).returncode:
        cannot("may not mount a file system of its own", "mount")
    try:
        yield at
    finally:
        subprocess.run(["umount", "--lazy", str(at)], check=True)

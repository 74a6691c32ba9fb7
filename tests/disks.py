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


@contextlib.contextmanager
def read_only(at: Path) -> Iterator[None]:
    """Lets nobody write to a file system that `small_disk` mounted."""
    remount = ["mount", "-o"]
    subprocess.run([*remount, "remount,ro", str(at)], check=True)
    try:
        yield
    finally:
        subprocess.run([*remount, "remount,rw", str(at)], check=True)


@contextlib.contextmanager
def filled(at: Path) -> Iterator[None]:
    """Leaves no room on a file system that `small_disk` mounted."""
    path = at / "fill"
    with contextlib.suppress(OSError), path.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    try:
        yield
    finally:
        path.unlink()

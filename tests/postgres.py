"""A PostgreSQL server of the tests' own, which a fresh database is to be had from."""

import contextlib
import functools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

from tests.patience import PATIENCE
from tests.requirements import absent, cannot, require

USER = "referee"

_DEBIAN = Path("/usr/lib/postgresql")
_SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "shared_buffers": "16MB",
    "max_connections": "100",
    "autovacuum": "off",
}


class Server:
    """One server on a Unix socket in a folder of its own; it does not outlive this process.

    It refuses to run as root, so root runs it as another user.
    """

    def __init__(self, folder: Path, programs: Path) -> None:
        self._folder = folder
        self._programs = programs
        self._process: subprocess.Popen[bytes] | None = None
        self._numbers = count(1)
        self._user = pwd.getpwnam("postgres" if _known("postgres") else "nobody")
        if os.geteuid() == 0:
            os.chown(folder, self._user.pw_uid, self._user.pw_gid)
        made = ("initdb", "--auth=trust", f"--username={USER}", "--no-sync", "--encoding=UTF8")
        self._run(*made, "--locale=C.UTF-8", "-D", str(folder / "data"))

    def start(self) -> None:
        """Starts it, and returns when it answers."""
        settings = [word for name, value in _SETTINGS.items() for word in ("-c", f"{name}={value}")]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                self._words("postgres", "-D", str(self._folder / "data"), "-k", str(self._folder), *settings),
                stdout=log,
                stderr=log,
                cwd=self._folder,
            )
        give_up = time.monotonic() + PATIENCE
        while not self._answers():
            assert self._process.poll() is None, (self._folder / "log").read_text()
            assert time.monotonic() < give_up, "PostgreSQL did not start"
            time.sleep(0.02)

    def stop(self) -> None:
        """Stops it at once, as a crash of its machine would."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(PATIENCE)
            self._process = None

    @contextlib.contextmanager
    def database(self) -> Iterator[str]:
        """Makes an empty database for as long as it is needed, and gives its URL."""
        name = f"test_{os.getpid()}_{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name}")
        try:
            yield self.url(name)
        finally:
            if self._process is not None:
                self.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def url(self, database: str) -> str:
        """Returns the URL of a database."""
        return f"postgresql://{USER}@/{database}?host={self._folder}"

    def execute(self, statement: str, database: str = "postgres") -> None:
        """Executes a statement outside of any transaction."""
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            connection.execute(statement.encode())

    def program(self, name: str) -> Path:
        """Returns a program of this server's version, as pg_dump is one."""
        return self._programs / name

    def _answers(self) -> bool:
        import psycopg

        try:
            self.execute("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    def _run(self, *words: str) -> None:
        done = subprocess.run(self._words(*words), capture_output=True, cwd=self._folder, check=False)
        assert done.returncode == 0, done.stderr.decode()

    def _words(self, program: str, *words: str) -> Sequence[str]:
        """Returns a command that ends with this process, and does not run as root."""
        rights: tuple[str, ...] = ()
        if os.geteuid() == 0:
            rights = (f"--reuid={self._user.pw_uid}", f"--regid={self._user.pw_gid}", "--clear-groups")
        return ("setpriv", *rights, "--pdeathsig=QUIT", "--", str(self._programs / program), *words)


@contextlib.contextmanager
def running() -> Iterator[Server]:
    """Gives a running server; skips the test by name where none can be had."""
    try:
        import psycopg  # noqa: F401  only whether it is there
    except ImportError:
        absent("psycopg")
    programs = _programs()
    if programs is None:
        require("postgres")
    if shutil.which("setpriv") is None or programs is None:
        cannot("needs setpriv, to start PostgreSQL", "postgres")
    with tempfile.TemporaryDirectory(prefix="pg", ignore_cleanup_errors=True) as folder:
        server = Server(Path(folder), programs)
        server.start()
        try:
            yield server
        finally:
            server.stop()


@functools.cache
def _programs() -> Path | None:
    """Returns the folder of the server's programs: on the PATH, or where Debian has the newest."""
    found = shutil.which("postgres")
    if found:
        return Path(found).resolve().parent
    versions = [path for path in _DEBIAN.glob("*/bin") if (path / "initdb").exists()]
    return max(versions, key=lambda path: float(path.parent.name), default=None)


def _known(user: str) -> bool:
    try:
        pwd.getpwnam(user)
    except KeyError:
        return False
    return True

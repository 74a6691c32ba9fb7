"""What clients send that no browser does: each gets a short answer, and the operator no traceback."""

import contextlib
import json
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest

from tests.patience import PATIENCE
from tests.web import patient
from tests.web.serving import Served, serve
from tests.web.test_play_guard import Chair, sit_down

FORM = b"Content-Type: application/x-www-form-urlencoded\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"
CLOCK = re.compile(r' data-left="\d+">\d+:\d\d left')
"""How much time a page shows, which may be less on one that was drawn later."""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Path]]:
    """Returns a server, and what it writes to stderr; at the end no line of that may be a traceback."""
    folder = tmp_path_factory.mktemp("hostile")
    errors = folder / "stderr"
    with errors.open("wb") as file, serve(folder / "data", errors=file) as served:
        yield served, errors
    for line in errors.read_text().splitlines():
        if line.startswith("{"):
            assert "exception" not in json.loads(line), line
        else:
            assert line.startswith("stopping"), line


def dial(url: str) -> socket.socket:
    """Opens a connection to a site."""
    host, _, port = url.rpartition("/")[2].rpartition(":")
    return socket.create_connection((host, int(port)), timeout=PATIENCE)


def say(url: str, request: bytes) -> bytes:
    """Returns all that is answered to some bytes."""
    with dial(url) as connection:
        with contextlib.suppress(ConnectionError):
            connection.sendall(request)
        return hear(connection)


def hear(connection: socket.socket) -> bytes:
    """Returns what comes until the connection is closed."""
    heard = b""
    with contextlib.suppress(ConnectionError):
        while data := connection.recv(65536):
            heard += data
    return heard


def post(more: bytes, body: bytes = b"", path: bytes = b"/play") -> bytes:
    """Returns a request with a body."""
    return b"POST %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s\r\n%s" % (path, more, body)


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (post(b"Origin: http://[evil\r\nContent-Length: 0\r\n"), 403),
        (post(b"Origin: \xff\r\nContent-Length: 0\r\n"), 403),
        (b"GET / HTTP/1.1\r\nHost: [evil\r\nConnection: close\r\n\r\n", 400),
        (b"GET /bots/ HTTP/1.1\r\nHost: a@b\r\nConnection: close\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", 421),
        (b"GET / HTTP/1.1\r\nHost: LOCALHOST.:80\r\nConnection: close\r\n\r\n", 200),
        (b"GET / HTTP/1.1\r\nHost: [::1]:80\r\nConnection: close\r\n\r\n", 200),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.0\r\n\r\n", 200),
        (b"HEAD / HTTP/1.0\r\n\r\n", 200),
        (
            b"GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: upgrade, close\r\n\r\n",
            200,
        ),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 1_000_000, 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
        (
            b"GET /matches?" + b"a=b&" * 3_000 + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
            200,
        ),
        (b"GET /matches?game=%ff%00&page=%ED%A0%80 HTTP/1.0\r\n\r\n", 404),
        (b"GET /%ff%00 HTTP/1.0\r\n\r\n", 404),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nsomething", 413),
        (b"DELETE / HTTP/1.1\r\nHost: localhost\r\n" + CHUNKED + b"\r\n", 413),
        (post(b"Content-Type: multipart/form-data; boundary=x\r\n" + CHUNKED), 415),
        (post(b"Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 5\r\n", b"12345"), 415),
        (post(b"Content-Length: 5\r\n", b"12345"), 415),
        (post(FORM + b"Content-Length: 20000\r\n"), 413),
        (post(FORM + b"Content-Length: 99999999999999999999\r\n"), 413),
        (post(FORM + CHUNKED, (b"4000\r\n" + b"x" * 0x4000 + b"\r\n") * 100), 413),
        (post(FORM + CHUNKED, b"6\r\ngame=x\r\n0\r\n\r\n"), 400),
        (post(FORM + b"Content-Length: 16000\r\n", b"a=b&" * 4_000), 400),
    ],
)
def test_it_is_answered_in_short(told: tuple[Served, Path], request_: bytes, status: int) -> None:
    """With the status that it deserves, and the connection is closed."""
    heard = say(told[0].url, request_)
    assert heard.startswith(b"HTTP/1.1 %d " % status), heard[:300]


def test_nobody_is_missed_who_hangs_up(told: tuple[Served, Path]) -> None:
    """In the head, in the body, or before the answer; others are answered as before."""
    whole = post(FORM + b"Content-Length: 100\r\n", b"half")
    for request in (b"GET / HT", whole, whole[:40], b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"):
        for _ in range(5):
            with dial(told[0].url) as connection:
                connection.sendall(request)
    assert patient.get(told[0].url).status_code == 200


def test_every_page_answers_head(told: tuple[Served, Path]) -> None:
    """As GET would, without a body, and streams do not begin."""
    for path in ("/", "/live", "/matches", "/standings", "/bots", "/challenges", "/tournaments", "/play"):
        answer = patient.head(told[0].url + path)
        assert (answer.status_code, answer.content) == (200, b""), path


@pytest.fixture(scope="module")
def chair(told: tuple[Served, Path]) -> Chair:
    """Returns a seat whose turn it is."""
    found = sit_down(told[0].url)
    assert 'data-phase="to_act"' in found.page()
    return found


def test_a_seat_has_a_few_streams_and_the_newest_wins(chair: Chair) -> None:
    """The page of the oldest is told that it is not kept up to date; all others are told the same."""
    assert chair.client.head(f"{chair.path}/events").status_code == 200
    with contextlib.ExitStack() as streams:
        lines = []
        for _ in range(6):
            stream = chair.client.stream("GET", f"{chair.path}/events?since=0")
            lines.append(streams.enter_context(stream).iter_lines())
            assert next(lines[-1]).startswith(":")
        for ended in lines[:2]:
            assert "event: elsewhere" in list(ended)
        told = {next(line for line in one if line.startswith("data: ")) for one in lines[2:]}
        pages = {json.loads(line.removeprefix("data: "))["html"] for line in told}
        assert len({CLOCK.sub("", page) for page in pages}) == 1


def test_a_flood_of_half_requests_leaves_descriptors_for_logs(tmp_path: Path) -> None:
    """One address has a sixteenth of what the process may have, and a match can begin."""
    with serve(tmp_path) as served:
        process = psutil.Process(served.process.pid)
        with contextlib.ExitStack() as open_:
            held = [open_.enter_context(dial(served.url)) for _ in range(100)]
            before = process.num_fds()
            for connection in held:
                with contextlib.suppress(ConnectionError):
                    connection.sendall(b"GET / HT")
            held += [open_.enter_context(dial(served.url)) for _ in range(1_000)]
            soft, _ = process.rlimit(psutil.RLIMIT_NOFILE)
            assert process.num_fds() < before + min(1024, soft // 4) // 4 + 20
        while not answers(served.url):
            pass
        page = sit_down(served.url).page()
        assert list(tmp_path.glob("replays/**/*.jsonl*")), page


def answers(url: str) -> bool:
    """Says whether a site answers, and does not turn away."""
    try:
        return patient.get(url).status_code == 200
    except httpx.TransportError:
        return False


def test_a_port_that_is_taken_stops_it_before_anybody_is_told(tmp_path: Path) -> None:
    """Nothing listens, nothing is printed, and the status is 2."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        command = (sys.executable, "-m", "referee", "serve", "--data", str(tmp_path), "--http", port)
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "the site cannot listen" in done.stderr


def test_an_address_of_ipv6_stands_in_brackets(tmp_path: Path) -> None:
    """Where bots dial in and where browsers do; house bots find their way, too."""
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6")
    with serve(tmp_path, "--host", "::1") as served:
        assert served.address.startswith("[::1]:")
        assert served.url.startswith("http://[::1]:")
        assert 'data-phase="to_act"' in sit_down(served.url).page()

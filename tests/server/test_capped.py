"""A capped file keeps the head and the tail of whatever is written."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from referee.server.capped import CappedFile

HEAD, TAIL = 7, 5
MARKER = re.compile(rb"\n\.\.\. truncated (\d+) bytes \.\.\.\n")


@given(st.lists(st.binary(max_size=30), max_size=30))
def test_d11_head_and_tail_are_kept_and_the_rest_is_counted(chunks: list[bytes]) -> None:
    """Whatever the sizes of the writes, the file holds the head, the count of what is lost, the tail."""
    data = b"".join(chunks)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "output.txt"
        file = CappedFile(path, HEAD, TAIL)
        for chunk in chunks:
            file.write(chunk)
            assert path.stat().st_size <= HEAD + 2 * TAIL + 64
        file.close()
        kept = path.read_bytes()

    if len(data) <= HEAD + TAIL:
        assert data == kept
        return
    marker = MARKER.search(kept, HEAD)
    assert marker is not None
    assert data[:HEAD] == kept[: marker.start()]
    assert data[-TAIL:] == kept[marker.end() :]
    assert len(data) == HEAD + int(marker[1]) + TAIL


def test_d11_full_disk_costs_the_output_only() -> None:
    """A disk that takes no more bytes raises nothing at whoever drains the bot."""
    full = Path("/dev/full")
    if not full.exists():
        return
    file = CappedFile(full)
    file.write(b"lost")
    file.write(b"lost too")
    file.close()
    file.close()

"""The transcript of the guide is what the real server says."""

from tests.guide_transcript import PAGE, blocks, frames


def test_the_transcript_is_what_is_said() -> None:
    """Every frame of the page is said in the same words when the match is played again, and no other."""
    shown = [frame for block in blocks(PAGE.read_text(encoding="utf-8")) for frame in block]

    assert shown == frames()

"""Match ids: their form and their order."""

import os
import re
import uuid

import pytest

from referee.replay.ids import uuid7
from tests.replay.processes import in_eight_processes


def _many(count: int) -> list[str]:
    """Makes ids, all in the same millisecond."""
    return [uuid7(1_700_000_000_000, os.urandom(10)) for _ in range(count)]


def test_layout_is_that_of_rfc_9562() -> None:
    """The example of appendix A.6 of the RFC comes out bit by bit."""
    randomness = (0xCC3 << 64 | 0x18C4DC0C0C07398F).to_bytes(10, "big")

    assert uuid7(0x017F22E279B0, randomness) == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"


@pytest.mark.parametrize("randomness", [bytes(10), b"\xff" * 10])
def test_version_and_variant_stand_over_any_randomness(randomness: bytes) -> None:
    """Random bits never reach the version and variant fields."""
    text = uuid7(1_700_000_000_000, randomness)
    value = uuid.UUID(text)

    assert (value.version, value.variant) == (7, uuid.RFC_4122)
    assert value.int >> 80 == 1_700_000_000_000
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", text)


def test_ids_sort_by_time() -> None:
    """An id of a later millisecond is greater as text, whatever its random bits are."""
    assert uuid7(1_000, b"\xff" * 10) < uuid7(1_001, bytes(10))


def test_p15_ten_thousand_ids_from_eight_processes_are_unique() -> None:
    """Processes that make ids in the same moment never make the same one, nor do others after them."""
    ids = []
    for _ in range(2):
        ids += [id_ for part in in_eight_processes(_many, 625) for id_ in part]

    assert len(set(ids)) == 10_000


def test_other_amounts_of_randomness_are_refused() -> None:
    """Too few random bytes are a mistake of the caller and never padded."""
    with pytest.raises(ValueError, match="10 random bytes, not 8"):
        uuid7(0, bytes(8))

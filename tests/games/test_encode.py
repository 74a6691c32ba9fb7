"""Bytes put together from parts are what protobuf writes."""

import pytest

from referee.games.encode import length_tag, number_tag, prefixed, varint
from referee.v1 import play_service_pb2 as pb


@pytest.mark.parametrize("value", [1, 127, 128, 300, 16_383, 16_384, 1 << 31, (1 << 63) - 1, -1, -(1 << 63)])
def test_numbers_are_as_protobuf_writes_them(value: int) -> None:
    """Small, large and negative numbers."""
    expected = pb.Ping(ping_id=value).SerializeToString()

    assert number_tag(pb.Ping, "ping_id") + varint(value) == expected


@pytest.mark.parametrize("length", [1, 127, 128, 20_000])
def test_fields_are_as_protobuf_writes_them(length: int) -> None:
    """Short and long bodies, with the number of their field."""
    expected = pb.Rejected(reason="x" * length).SerializeToString()

    assert prefixed(length_tag(pb.Rejected, "reason"), b"x" * length) == expected

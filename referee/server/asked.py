"""What a caller asked, out of its bytes: nobody is told in the words of a library what is wrong with them."""

from typing import Any

from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass

from referee.server.refusal import invalid


def parse(method: MethodDescriptor, data: bytes) -> Any:
    """Returns the request of a method; raises `Refusal` for bytes that are none.

    gRPC itself would answer before anybody was asked for a token, with the text of an exception.
    """
    try:
        return GetMessageClass(method.input_type).FromString(data)
    except DecodeError:
        raise invalid(f"the request cannot be read: it is no {method.input_type.full_name}") from None

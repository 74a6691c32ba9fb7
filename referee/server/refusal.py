"""A read that is refused: how the call ends."""

import grpc


class Refusal(Exception):  # noqa: N818  it is an answer, and nothing went wrong
    """Ends a call with a status and a fixed text."""

    def __init__(self, code: grpc.StatusCode, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text


def invalid(text: str) -> Refusal:
    """Returns the refusal of a request that no server could answer."""
    return Refusal(grpc.StatusCode.INVALID_ARGUMENT, text)


def not_found(text: str) -> Refusal:
    """Returns the refusal of a request for what is not here."""
    return Refusal(grpc.StatusCode.NOT_FOUND, text)

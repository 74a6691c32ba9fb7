"""Changes of a log that every verifier has to find, by what is changed: of one with every fault."""

from collections.abc import Callable
from typing import Any

Line = dict[str, Any]
Change = Callable[[list[Line]], object]


def _first(lines: list[Line], kind: str) -> Line:
    return next(line for line in lines if line["kind"] == kind)


def _last(lines: list[Line], kind: str) -> Line:
    return _first(lines[::-1], kind)


def _swap(values: list[Any]) -> None:
    values[0], values[1] = values[1], values[0]


def _drop(lines: list[Line], kind: str) -> None:
    """Takes a record out and counts anew, as a forger would."""
    lines.remove(_last(lines, kind))
    for n, line in enumerate(lines[1:], start=1):
        line["n"] = n


FORGED: dict[str, Change] = {
    "an order": lambda lines: _swap(_last(lines, "deal")["order"]),
    "a piece twice": lambda lines: _first(lines, "deal")["order"].__setitem__(0, 5),
    "a draw too many": lambda lines: _first(lines, "deal")["draws"].append(1),
    "entropy": lambda lines: _first(lines, "ready").update(entropy="00"),
    "entropy that is none": lambda lines: _first(lines, "ready").update(entropy="0g"),
    "contributions": lambda lines: lines[-1]["contributions"].__setitem__(0, "00"),
    "contributions of fewer seats": lambda lines: lines[-1]["contributions"].pop(),
    "a secret": lambda lines: lines[-1].update(secret="00" * 32),
    "a commitment": lambda lines: lines[0].update(commitment="00" * 32),
    "a group": lambda lines: lines[0].update(deal_group="another"),
    "a block": lambda lines: lines[0].update(
        block={"kind": "rotate", "part": 1, "parts": 2, "contributions": ["00"] * 4}
    ),
    "a parent": lambda lines: lines[0].update(
        branch={"match_id": "x", "last_hash": "00" * 32, "ply": 3}, rated=False, provable=False
    ),
    "a parent of a rated match": lambda lines: lines[0].update(
        branch={"match_id": "x", "last_hash": "00" * 32, "ply": 0}, rated=True
    ),
    "a schema": lambda lines: lines[0].update(schema=2),
    "a number": lambda lines: lines[5].update(n=6),
    "a time": lambda lines: lines[-1].update(t=lines[-2]["t"] - 1),
    "a deal number": lambda lines: _last(lines, "deal").update(deal=3),
    "a turn id": lambda lines: _last(lines, "turn").update(turn=99),
    "a ply": lambda lines: _last(lines, "act").update(ply=1),
    "a strike": lambda lines: _first(lines, "strike").update(strikes=2),
    "a total": lambda lines: _last(lines, "deal_result")["totals"].__setitem__(0, 1),
    "a score": lambda lines: lines[-1]["places"][1].update(score=77),
    "a rank": lambda lines: lines[-1]["places"][1].update(rank=lines[-1]["places"][1]["rank"] % 4 + 1),
    "points": lambda lines: lines[-1]["places"][2].update(points=0.25),
    "a forfeit": lambda lines: lines[-1]["places"][2].update(
        forfeited=not lines[-1]["places"][2]["forfeited"]
    ),
    "the number of plies": lambda lines: lines[-1].update(plies=1),
    "a seat": lambda lines: _last(lines, "turn").update(seat=4),
    "a word": lambda lines: _first(lines, "strike").update(fault="rude"),
    "a kind": lambda lines: _last(lines, "turn").update(kind="glance"),
    "another member": lambda lines: _last(lines, "turn").update(more=1),
    "a missing member": lambda lines: _last(lines, "turn").pop("bank"),
    "another type": lambda lines: _last(lines, "turn").update(bank="1"),
    "a fraction": lambda lines: _last(lines, "turn").update(bank=1.5),
    "a number beyond 64 bits": lambda lines: _last(lines, "turn").update(bank=1 << 63),
    "a second header": lambda lines: lines.insert(1, dict(lines[0])),
    "a record after the end": lambda lines: lines.append({**lines[-2], "n": lines[-1]["n"] + 1}),
    "no end": lambda lines: lines.pop(),
    "a deal left out": lambda lines: _drop(lines, "deal"),
    "an action left out": lambda lines: _drop(lines, "act"),
    "a strike left out": lambda lines: _drop(lines, "strike"),
    "a seat never ready": lambda lines: _drop(lines, "ready"),
}
"""Changes by a forger who works out the chain anew."""


def _without(data: bytes, at: int, *instead: int) -> bytes:
    """Returns a log with other lines in the place of one."""
    lines = data.splitlines(keepends=True)
    return b"".join([*lines[:at], *(lines[other] for other in instead), *lines[at + 1 :]])


BLUNT: dict[str, Callable[[bytes], bytes]] = {
    "a changed line": lambda data: data.replace(b'"turn":2,', b'"turn":3,', 1),
    "a line left out": lambda data: _without(data, 6),
    "a line twice": lambda data: _without(data, 6, 6, 6),
    "lines swapped": lambda data: _without(_without(data, 6, 7, 6), 8),
    "a torn last line": lambda data: data[:-1],
    "bytes after the end": lambda data: data + b"{}\n",
    "an empty line": lambda data: data + b"\n",
    "no line": lambda _: b"",
    "bytes that are no text": lambda data: data.replace(b'"note":""', b'"note":"\xff"'),
}
"""Changes by somebody who leaves the chain alone."""

SPELLED: dict[str, tuple[bytes, bytes]] = {
    "a space": (b'"plies":', b'"plies": '),
    "a fraction that is whole": (b'"rank":1,', b'"rank":1.0,'),
    "points without a fraction": (b'"points":0.0,', b'"points":0,'),
    "points with more digits": (b'"points":0.0,', b'"points":0.00,'),
    "a character escaped": (b'"completed"', b'"\\u0063ompleted"'),
    "a slash escaped": (b'"note":""', b'"note":"\\/"'),
    "a member twice": (b'"plies":', b'"plies":1,"plies":'),
    "members in another order": (
        b'"termination":"completed","note":""',
        b'"note":"","termination":"completed"',
    ),
    "a sign": (b'"rank":1,', b'"rank":-0,'),
    "a comma at the end": (b'"at_fault":[]', b'"at_fault":[,]'),
}
"""Other spellings of the end record, whose line nothing is chained to."""

"""Reads TOML files of settings and names everything that is wrong in them, one line each.

A problem is told as `FILE:LINE: key: what; did you mean ...`. Reading goes on after it, with a value
that is as good as any, so that a person hears of all problems at once; `Document.check` then raises.
"""

import codecs
import difflib
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar

from referee.errors import LaunchError, OptionError, UsageError, printable
from referee.organiser.lines import KeyPath, key_lines
from referee.replay.opening import SETTINGS, content
from referee.tournament.names import SHORT, SHORT_TOLD

T = TypeVar("T")
_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
_CLOSE = 0.6
_BITS = 63
"""A whole number takes so many bits, and one for its sign; TOML has no larger ones."""
_LONG = re.compile(r"[0-9][0-9_]{4000,}")


class Document:
    """A TOML file, and the problems that were found in it so far."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.problems: list[tuple[int, str]] = []
        values, self._lines = _parsed(name, text)
        self.root = Section(self, (), values)
        for path in _oversized(values):
            self.problem(path, "a whole number has 64 bits at the most")
        self.check()

    @classmethod
    def read(cls, path: Path) -> Self:
        """Reads a file; raises `UsageError` for one that cannot be read or is no TOML."""
        return cls.parse(str(path), read_bytes(path))

    @classmethod
    def parse(cls, name: str, data: bytes) -> Self:
        """Reads the bytes of a file; raises `UsageError` for what is no TOML.

        They may begin with the mark that some editors put before UTF-8.
        """
        data = data.removeprefix(codecs.BOM_UTF8)
        try:
            return cls(name, data.decode("utf-8"))
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise UsageError(f"{name}:{line}: is not written in UTF-8") from None

    def line(self, path: KeyPath) -> int:
        """Returns the line of a key, or of the nearest thing around it that stands in the file."""
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path, 1)

    def problem(self, path: KeyPath, what: str) -> None:
        """Takes note of a problem with a key."""
        key = ".".join(map(str, path))
        self.problems.append((self.line(path), printable(f"{key}: {what}" if key else what)))

    def check(self) -> None:
        """Raises `UsageError` with all problems, in the order of their lines, if there are any."""
        if self.problems:
            found = dict.fromkeys(sorted(self.problems, key=lambda problem: problem[0]))
            raise UsageError("\n".join(f"{self.name}:{line}: {what}" for line, what in found))


class Section:
    """A table of a document. Whoever asks for a key makes it known; `close` refuses all others.

    Of one that is not `sound`, since something else than a table stands there, nothing more is told.
    """

    def __init__(
        self, document: Document, path: KeyPath, values: Mapping[str, Any], *, sound: bool = True
    ) -> None:
        self.document = document
        self.path = path
        self.values = values
        self.sound = sound
        self._known: list[str] = []

    def __contains__(self, key: str) -> bool:
        self._known.append(key)
        return key in self.values

    def problem(self, key: str, what: str) -> None:
        """Takes note of a problem with a key of this table, or with the table where `key` is empty."""
        if self.sound:
            self.document.problem((*self.path, key) if key else self.path, what)

    def made(self, key: str, make: Callable[[], object]) -> bool:
        """Makes something of a key, and takes note of what is refused of it; says whether it was made."""
        try:
            make()
        except (UsageError, OptionError, LaunchError) as error:
            self.problem(key, str(error))
            return False
        return True

    def text(self, key: str, default: str | None = None, what: str = "") -> str:
        """Returns a text. Without a default it has to be there; `what` says what for."""
        given = self._given(key, str, what, needed=default is None)
        return (default or "") if given is None else given

    def name(self, key: str, what: str) -> str:
        """Returns a name that may be part of a path; it has to be there, and `what` says what for."""
        name = self.text(key, what=what)
        if isinstance(self.values.get(key), str) and not SHORT.fullmatch(name):
            self.problem(key, f"{name!r} has to be {SHORT_TOLD}")
        return name

    def flag(self, key: str, *, default: bool) -> bool:
        """Returns true or false."""
        given = self._given(key, bool)
        return default if given is None else given

    def whole(self, key: str, default: int | None, least: int = 0, most: int = 1_000_000_000) -> int:
        """Returns a whole number within bounds, both of which may be had; the default need not be."""
        usual = least if default is None else default
        given = self._given(key, int, needed=default is None)
        if given is None or least <= given <= most:
            return usual if given is None else given
        self.problem(key, f"{given} is not between {least} and {most}")
        return usual

    def number(
        self, key: str, default: float | None, least: float, most: float, *, within: bool = False
    ) -> float:
        """Returns a number within bounds, both of which may be had unless it has to lie `within` them."""
        usual = least if default is None else default
        given = self._given(key, float, needed=default is None)
        if given is None or (least < given < most if within else least <= given <= most):
            return usual if given is None else float(given)
        bounds = ", neither of which can be had" if within else ""
        self.problem(key, f"{given:g} is not between {least:g} and {most:g}{bounds}")
        return usual

    def choice(self, key: str, choices: Iterable[str], default: str | None = None) -> str:
        """Returns one of the words of `choices`."""
        known = list(choices)
        value = self._given(key, str, f"one of {', '.join(known)}", needed=default is None)
        if value is None:
            return default or known[0]
        if value not in known:
            self.problem(key, f"{value!r} is not one of {', '.join(known)}{meant(value, known)}")
            return known[0]
        return value

    def texts(self, key: str, default: Sequence[str] | None = None) -> tuple[str, ...]:
        """Returns a list of texts."""
        self._known.append(key)
        if key not in self.values and default is not None:
            return tuple(default)
        found = self.values.get(key)
        if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
            told = "is missing; it is" if key not in self.values else "has to be"
            self.problem(key, f'{told} a list of texts, as ["one", "two"]')
            return ()
        for at, one in enumerate(found):
            if one in found[:at]:
                self.document.problem((*self.path, key, at), f"{one!r} is named twice")
        return tuple(found)

    def section(self, key: str) -> "Section":
        """Returns a table below this one, an empty one where there is none."""
        self._known.append(key)
        found = self.values.get(key, {})
        if not isinstance(found, dict):
            self.problem(key, f"has to be a table, [{'.'.join(map(str, (*self.path, key)))}]")
            return Section(self.document, (*self.path, key), {}, sound=False)
        return Section(self.document, (*self.path, key), found, sound=self.sound)

    def sections(self) -> dict[str, "Section"]:
        """Returns all tables below this one by name, each of which may have any name."""
        return {name: self.section(name) for name in self.values}

    def parsed(self, key: str, parse: Callable[[str], T], default: T) -> T:
        """Returns what `parse` makes of a text; what it refuses is a problem of the key."""
        given = self._given(key, str)
        made: list[T] = []
        if given is not None:
            self.made(key, lambda: made.append(parse(given)))
        return made[0] if made else default

    def close(self) -> None:
        """Takes note of every key of this table that nobody asked for."""
        for key in self.values:
            if key not in self._known:
                some = ", ".join(dict.fromkeys(self._known))
                hint = meant(key, self._known) or (f"; known here: {some}" if some else "")
                self.problem(key, f"unknown key{hint}")

    def _given(self, key: str, kind: type[T], what: str = "", *, needed: bool = False) -> T | None:
        """Returns what stands at a key; None where nothing does, or nothing of this kind."""
        self._known.append(key)
        if key not in self.values:
            if needed:
                self.problem(key, f"is missing{'; it is ' if what else ''}{what}")
            return None
        value: Any = self.values[key]
        exact = type(value) is kind or (kind is float and type(value) is int)
        if exact:
            return value  # type: ignore[no-any-return]
        self.problem(key, f"has to be {_KINDS[kind]}, not {_shown(value)}")
        return None


def read_bytes(path: Path) -> bytes:
    """Returns what a file holds; raises `UsageError` naming it where that cannot be."""
    try:
        return content(path, SETTINGS)
    except FileNotFoundError:
        folder = path.parent
        names = [one.name for one in folder.iterdir()] if folder.is_dir() else []
        raise UsageError(f"{path}: no such file{meant(path.name, names)}") from None
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None


def meant(word: str, known: Iterable[str]) -> str:
    """Returns what may have been meant by a word, as the end of a line; empty where nothing is near."""
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=_CLOSE)
    return f"; did you mean {near[0]}?" if near else ""


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    return repr(value) if isinstance(value, str) else str(value).lower()


def _place(message: str, text: str) -> str:
    """Returns what the parser says with the line first: `3: Invalid value`."""
    what, _, place = message.removesuffix(")").rpartition(" (at ")
    line = place.removeprefix("line ").partition(",")[0]
    return f"{line if line.isdigit() else text.count(chr(10)) + 1}: {what or message}"


def _parsed(name: str, text: str) -> tuple[dict[str, Any], dict[KeyPath, int]]:
    """Returns what a text holds, and on which lines; raises `UsageError` for what is no TOML."""
    try:
        return tomllib.loads(text), key_lines(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{name}:{_place(str(error), text)}") from None
    except RecursionError:
        raise UsageError(f"{name}: lists or tables lie too deep in one another") from None
    except ValueError:  # Python reads no number of so many digits
        long = _LONG.search(text)
        line = text.count("\n", 0, long.start() if long else 0) + 1
        raise UsageError(f"{name}:{line}: a whole number has 64 bits at the most") from None


def _oversized(values: object) -> Iterator[KeyPath]:
    """Yields the keys of whole numbers that are larger than TOML has them."""
    left: list[tuple[KeyPath, object]] = [((), values)]
    while left:
        path, value = left.pop()
        if isinstance(value, dict):
            left += [((*path, key), one) for key, one in value.items()]
        elif isinstance(value, list):
            left += [((*path, at), one) for at, one in enumerate(value)]
        elif type(value) is int and value.bit_length() > _BITS:
            yield path

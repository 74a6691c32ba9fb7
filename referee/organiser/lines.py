"""Finds the line of every key of a TOML text, which the standard library's parser does not tell."""

import re
from typing import TypeAlias

KeyPath: TypeAlias = tuple[str | int, ...]
"""The way from the top to a value: keys, and numbers from 0 in arrays."""

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_BLANK = re.compile(r"[ \t\r\n]+|#[^\n]*")
_SPACE = re.compile(r"[ \t]*")
_PLAIN = re.compile(r"[^\s,\]}#][^,\]}#\n]*")
_STRINGS = (
    re.compile(r'"""(?:[^\\]|\\.)*?"{3,5}', re.DOTALL),
    re.compile(r"'''.*?'{3,5}", re.DOTALL),
    re.compile(r'"(?:[^"\\\n]|\\.)*"'),
    re.compile(r"'[^'\n]*'"),
)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
_ESCAPED = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r"}


def key_lines(text: str) -> dict[KeyPath, int]:
    """Returns the line, from 1, on which each key, table and array element of a sound TOML text begins."""
    scanner = _Scanner(text)
    scanner.document()
    return scanner.lines


class _Scanner:
    """Walks through a text that a parser has accepted; what that refuses is not looked for here."""

    def __init__(self, text: str) -> None:
        self.lines: dict[KeyPath, int] = {}
        self._text = text
        self._at = 0
        self._line = 1
        self._elements: dict[KeyPath, int] = {}

    def document(self) -> None:
        """Goes through the whole text."""
        table: KeyPath = ()
        while self._skip():
            if self._take("[["):
                table = self._header("]]", repeated=True)
            elif self._take("["):
                table = self._header("]", repeated=False)
            else:
                self._pair(table)

    def _header(self, end: str, *, repeated: bool) -> KeyPath:
        line = self._line
        path: KeyPath = ()
        names = self._keys()
        for name in names[:-1]:
            path = self._last((*path, name))
            self.lines.setdefault(path, line)
        path = (*path, names[-1])
        if repeated:
            self.lines.setdefault(path, line)
            self._elements[path] = self._elements.get(path, -1) + 1
        path = self._last(path)
        self.lines.setdefault(path, line)
        self._take(end)
        return path

    def _last(self, path: KeyPath) -> KeyPath:
        """Returns the last table of an array of tables, and any other path as it is."""
        return (*path, self._elements[path]) if path in self._elements else path

    def _pair(self, table: KeyPath) -> None:
        line = self._line
        path = table
        for name in self._keys():
            path = (*path, name)
            self.lines.setdefault(path, line)
        self._skip_space()
        self._take("=")
        self._skip_space()
        self._value(path)

    def _value(self, path: KeyPath) -> None:
        if self._take("["):
            number = 0
            while self._skip() and not self._take("]"):
                self.lines.setdefault((*path, number), self._line)
                self._value((*path, number))
                number += 1
                self._skip()
                self._take(",")
        elif self._take("{"):
            while self._skip() and not self._take("}"):
                self._pair(path)
                self._skip()
                self._take(",")
        elif not self._string():
            self._match(_PLAIN) or self._step()

    def _keys(self) -> list[str]:
        names = []
        while True:
            self._skip_space()
            names.append(self._key())
            self._skip_space()
            if not self._take("."):
                return names

    def _key(self) -> str:
        quoted = self._string()
        if quoted.startswith('"'):
            return _ESCAPE.sub(_unescaped, quoted[1:-1])
        return quoted[1:-1] if quoted else self._match(_BARE) or self._step()

    def _string(self) -> str:
        for kind in _STRINGS:
            if found := self._match(kind):
                return found
        return ""

    def _skip(self) -> bool:
        """Passes over blanks and comments, and says whether anything is left."""
        while self._match(_BLANK):
            pass
        return self._at < len(self._text)

    def _skip_space(self) -> None:
        self._match(_SPACE)

    def _take(self, word: str) -> bool:
        found = self._text.startswith(word, self._at)
        if found:
            self._at += len(word)
        return found

    def _match(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self._at)
        if found is None:
            return ""
        self._at = found.end()
        self._line += found[0].count("\n")
        return found[0]

    def _step(self) -> str:
        """Goes on by one character, so that the walk ends whatever it meets."""
        self._at += 1
        return self._text[self._at - 1 : self._at]


def _unescaped(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    return chr(int(code, 16)) if code else _ESCAPED.get(found[3], found[3])

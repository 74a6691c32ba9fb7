"""A project of one's own that begins as the sample bot of a language."""

import re
import shlex
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import referee
from referee.bot_project.languages import LEFT, PRIVATE, Language
from referee.bot_project.pages import Copied, contract_files, heading, relinked, rules
from referee.errors import UsageError
from referee.tournament import names
from referee.tournament.house import LEVELS

SAMPLE: Final = "sample-bot"
"""What the sample bots are called in their build files."""
LONGEST: Final = 40
"""The most characters of the name of a project."""
_NAME: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_SAMPLE: Final = re.compile(rf"(?<![\w-]){SAMPLE}(?![\w-])")
_COMMAND: Final = re.compile(r"^referee match .*$", re.MULTILINE)
_LAST: Final = """
## The rules

{rules}

What a bot hears and owes, and what its faults cost, is in [the contract](proto/README.md).
All of them come from referee {version}; what they name without a link lies in its tree.
"""


class File(NamedTuple):
    """What a file of a project holds, and whether it can be run."""

    content: bytes
    runs: bool = False


def check_name(name: str) -> str:
    """Returns the name of a project; raises `UsageError` for one that some language could not take."""
    if not _NAME.fullmatch(name) or len(name) > LONGEST:
        like = _like(name)
        meant = f"; did you mean {like}?" if like else ""
        raise UsageError(
            f"name {name[: 2 * LONGEST]!r}: write at most {LONGEST} of a-z, 0-9 and single '-' within,"
            f" a letter first{meant}"
        )
    if name in LEVELS or names.is_label(name):
        raise UsageError(f"name {name!r}: the referee calls others so; take another")
    return name


def match_words(language: Language, name: str = "") -> tuple[str, ...]:
    """Returns the words after `referee` for a match of the bot, seen from its folder."""
    bot = language.bot_command()
    return ("match", "--game", "block_dominoes", *LEVELS, f"{name}={bot}" if name else bot)


def check_words(language: Language) -> tuple[str, ...]:
    """Returns the words after `referee` for a check of the bot, seen from its folder."""
    return ("bot", "check", "--", *shlex.split(language.bot_command()))


def files(language: Language, name: str) -> dict[str, File]:
    """Returns all files of a project by their paths in its folder."""
    own = [
        Copied(language.source() / path, f"sample_bots/{language.folder}/{path}", str(path))
        for path in language.files()
    ]
    others = [*contract_files(), *rules()]
    targets = {file.origin: file.target for file in (*own, *others)}
    made = {file.target: _named(file, name, targets) for file in own}
    made |= {file.target: _copy(file, targets) for file in others}
    made["README.md"] = _readme(made["README.md"], language, name)
    made[".gitignore"] = File("".join(f"{line}\n" for line in _ignored(language)).encode())
    return made


def write(made: Mapping[str, File], folder: Path) -> None:
    """Writes a project to a folder, all of it or nothing; raises `UsageError` where it cannot be.

    The folder may be there already if nothing is in it, and the one that it lies in has to be.
    """
    is_there = _check_folder(folder)
    try:
        with tempfile.TemporaryDirectory(
            prefix=".new-bot-", dir=folder if is_there else folder.parent
        ) as room:
            project = Path(room) / "project"
            for path, file in made.items():
                _write(project / path, file)
            if is_there:
                _move_in(project, folder)
            else:
                project.rename(folder)
    except OSError as error:
        why = error.strerror or str(error)
        raise UsageError(f"folder {folder}: {why}; nothing was written") from None


def _check_folder(folder: Path) -> bool:
    """Says whether the folder is there, and empty; raises `UsageError` where no project can be written."""
    try:
        if folder.is_dir():
            if any(folder.iterdir()):
                raise UsageError(f"folder {folder}: something is in it already; name a new one with --folder")
            return True
        if folder.exists() or folder.is_symlink():
            raise UsageError(f"folder {folder}: there is a file of this name; name another with --folder")
        if not folder.parent.is_dir():
            raise UsageError(f"folder {folder}: there is no folder {folder.parent}; make it first")
    except OSError as error:
        raise UsageError(f"folder {folder}: {error.strerror or error}; name another with --folder") from None
    return False


def _move_in(project: Path, folder: Path) -> None:
    """Moves a project into a folder that is there; takes all of it out again if that fails."""
    moved: list[Path] = []
    try:
        for entry in sorted(project.iterdir()):
            moved.append(entry.rename(folder / entry.name))  # noqa: PERF401  to know which, if one fails
    except BaseException:
        for entry in moved:
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        raise


def _write(path: Path, file: File) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(file.content)
    if file.runs:
        mode = path.stat().st_mode
        path.chmod(mode | (mode & 0o444) >> 2)  # by whoever may read it


def _named(file: Copied, name: str, targets: Mapping[str, str]) -> File:
    """Returns a file of the sample bot with the name of the project in it."""
    copy = _copy(file, targets)
    return copy._replace(content=_SAMPLE.sub(name, copy.content.decode()).encode())


def _copy(file: Copied, targets: Mapping[str, str]) -> File:
    content = file.source.read_bytes()
    if file.source.suffix == ".md":
        content = relinked(content.decode(), file, targets).encode()
    return File(content, runs=bool(file.source.stat().st_mode & 0o100))


def _readme(sample: File, language: Language, name: str) -> File:
    text = sample.content.decode()
    title, _, rest = text.partition("\n")
    rest = _retold(rest, match_words(language), match_words(language, name))
    pages = (f"- [{heading(page.source.read_text('utf-8'))}]({page.target})" for page in rules())
    last = _LAST.format(rules="\n".join(pages), version=referee.__version__)
    return File(f"# {name}\n\n{title.removeprefix('# ')}.\n{rest}{last}".encode())


def _retold(text: str, old: Sequence[str], new: Sequence[str]) -> str:
    """Returns a page with one command of the referee in place of another one, however that is quoted."""

    def line(found: re.Match[str]) -> str:
        return (
            shlex.join(("referee", *new))
            if shlex.split(found[0], comments=True)[1:] == list(old)
            else found[0]
        )

    return _COMMAND.sub(line, text)


def _ignored(language: Language) -> list[str]:
    """Returns the lines of `.gitignore`: what is built, what matches leave, and what nobody may see."""
    return [*(f"/{path}" for path in (*language.skip, *LEFT)), *PRIVATE]


def _like(name: str) -> str:
    """Returns a name that is allowed and close to one that is not; empty where there is none."""
    plain = re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")
    plain = plain.lstrip("0123456789-")[:LONGEST].rstrip("-")
    return plain if _NAME.fullmatch(plain) else ""

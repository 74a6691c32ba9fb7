"""The pages that come with a project, whose links lead to what comes with it, too."""

import posixpath
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

import referee
from referee.bot_project.languages import contract

_LINK: Final = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")
_ELSEWHERE: Final = re.compile(r"[a-z]+:")


class Copied(NamedTuple):
    """A file that comes with a project: where it lies, its path in the tree, and that in the project."""

    source: Path
    origin: str
    target: str


def contract_files() -> list[Copied]:
    """Returns the contract and its guide."""
    folder = contract()
    found = [path.relative_to(folder).as_posix() for path in sorted(folder.glob("referee/v1/*.proto"))]
    return [Copied(folder / path, f"proto/{path}", f"proto/{path}") for path in (*found, "README.md")]


def rules() -> list[Copied]:
    """Returns the page of each game."""
    pages = sorted((Path(referee.__file__).parent / "games").glob("*/README.md"))
    names = [page.parent.name for page in pages]
    return [
        Copied(page, f"referee/games/{name}/README.md", f"rules/{name}.md")
        for page, name in zip(pages, names, strict=True)
    ]


def heading(text: str) -> str:
    """Returns the title of a page."""
    return text.partition("\n")[0].removeprefix("# ")


def relinked(text: str, page: Copied, targets: Mapping[str, str]) -> str:
    """Returns the text of a page as it stands in a project; a link to what does not come along is none.

    `targets` has the path in the project by that in the tree.
    """

    def link(found: re.Match[str]) -> str:
        label, to = found.groups()
        path, mark, anchor = to.partition("#")
        if not path or _ELSEWHERE.match(to):
            return found[0]
        target = targets.get(posixpath.normpath(posixpath.join(posixpath.dirname(page.origin), path)))
        if target is None:
            return str(label)
        return f"[{label}]({posixpath.relpath(target, posixpath.dirname(page.target) or '.')}{mark}{anchor})"

    return _LINK.sub(link, text)

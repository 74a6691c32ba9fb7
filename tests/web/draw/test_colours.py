"""The colours of tables: only classes in the pictures, and enough contrast in light and dark."""

import re
from importlib import resources

import pytest

CSS = (resources.files("referee.web") / "static" / "table.css").read_text(encoding="utf-8")
TEXT_ON = (
    ("felt-ink", "felt"),
    ("felt-soft", "felt"),
    ("felt-ink", "felt-deep"),
    ("plate-ink", "plate"),
    ("plate-soft", "plate"),
    ("now-ink", "now"),
    ("off-ink", "off"),
    ("lost-ink", "lost"),
    ("red", "card"),
    ("black", "card"),
    ("red", "idle"),
    ("black", "idle"),
    ("pip", "face"),
    ("pip", "idle"),
    *((f"n{number}", ground) for number in range(1, 13) for ground in ("face", "idle")),
)


def colours(dark: bool) -> dict[str, str]:  # noqa: FBT001  a parameter of the tests
    """Returns the custom properties that hold in light or in dark."""
    light, _, rest = CSS.partition("@media (prefers-color-scheme: dark)")
    blocks = [light, CSS.partition(".mexican-train {")[2].partition("}")[0]]
    if dark:
        blocks.append(rest.partition(':root[data-theme="dark"] {')[2].partition("}")[0])
    return {name: value for block in blocks for name, value in re.findall(r"--([\w-]+): (#\w{6})", block)}


def luminance(colour: str) -> float:
    """Returns the relative luminance of a colour, as the accessibility guidelines define it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize(("ink", "ground"), TEXT_ON)
def test_text_can_be_read(ink: str, ground: str, *, dark: bool) -> None:
    """Every text, numeral and suit has a contrast of at least 4.5 to what it stands on."""
    known = colours(dark)
    lighter, darker = sorted((luminance(known[ink]), luminance(known[ground])), reverse=True)

    assert (lighter + 0.05) / (darker + 0.05) >= 4.5


def test_dark_by_the_system_and_by_the_switch_are_the_same() -> None:
    """Both blocks of dark colours say the same."""
    blocks = re.findall(
        r':root(?::not\(\[data-theme="light"\]\)|\[data-theme="dark"\]) \{(.*?)\}', CSS, re.DOTALL
    )

    assert len(blocks) == 2
    assert blocks[0].split() == blocks[1].split()

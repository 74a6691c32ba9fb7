"""What a picture says in words, and how names are written."""

from dataclasses import replace

from referee.games import cards, tiles
from referee.web.draw import describe, draw
from tests.web.draw import positions, reading
from tests.web.draw.test_positions import SEATS, every_game

HOSTILE = ('<script>alert("x")</script>', "a&b]]>", "null\x00bell\x07 \u202egnp.exe", "'\" onload=x y='")


@every_game
def test_every_piece_that_is_drawn_is_told(name: str) -> None:
    """The words name each piece of the picture, each seat with its total, and whose turn it is."""
    text = cards.text if name == "guan_pai" else tiles.text
    for table in positions.played(name, SEATS[name], 8, viewer=0):
        told = " ".join(describe(table))
        words = set(told.replace(";", " ").replace(",", " ").replace(".", " ").split())
        for piece in reading.shown(reading.parsed(draw(table))):
            turned = f"{piece & 15}-{piece >> 4}"
            assert {text(piece), turned} & words
        public = getattr(table.public, name).public
        for seat, total in enumerate(public.totals):
            assert f"bot-{seat}: total {total};" in told
        assert ("Nobody is to act." in told) == (public.to_act_seat < 0)
        assert public.to_act_seat < 0 or f"bot-{public.to_act_seat} is to act." in told


@every_game
def test_the_words_stand_in_the_picture(name: str) -> None:
    """Title and description are there for a screen reader, and are named by the picture."""
    *_, table = positions.played(name, SEATS[name], 3, viewer=0)
    root = reading.parsed(draw(table, key="k"))

    assert root.findtext(f"{reading.SVG}desc") == " ".join(describe(table))
    assert (root.attrib["aria-labelledby"], root.attrib["aria-describedby"]) == ("k-title", "k-desc")
    assert root.findtext(f"{reading.SVG}title", "").endswith(describe(table)[0].rstrip("."))


@every_game
def test_hostile_names_are_only_text(name: str) -> None:
    """Markup in a name is escaped; what no XML may hold, or turns text round, is replaced."""
    for table in positions.played(name, SEATS[name], 3, viewer=0):
        named = replace(table, names=HOSTILE[: SEATS[name]])
        for narrow in (False, True):
            picture = draw(named, narrow=narrow)
            root = reading.parsed(picture)

            assert not [one for one in root.iter() if one.tag.endswith("script") or "onload" in one.attrib]
            assert not {"\x00", "\x07", "\u202e"} & set(picture)


@every_game
def test_names_stay_on_their_plates(name: str) -> None:
    """A long name is cut, and told whole where it is pointed at."""
    *_, table = positions.played(name, SEATS[name], 3, viewer=0)
    long = tuple(f"{seat} {'WM' * 40}" for seat in range(SEATS[name]))
    root = reading.parsed(draw(replace(table, names=long), narrow=True))
    names = [text for text in root.iter(f"{reading.SVG}text") if text.get("class") == "name"]
    cut = [text for text in names if text.find(f"{reading.SVG}title") is not None]

    assert {text.findtext(f"{reading.SVG}title") for text in cut} == set(long)
    assert all("".join(text.itertext()).endswith("\u2026") for text in cut)


def test_a_forfeited_seat_is_marked() -> None:
    """In the picture by a badge, in the words after its name."""
    *_, table = positions.played("block_dominoes", 4, 3)
    lost = replace(table, forfeited=(2,))

    assert ">forfeited<" in draw(lost)
    assert next(line for line in describe(lost) if "forfeited" in line).startswith("bot-2:")
    assert "forfeited" not in draw(table)

"""Numbers of things, in words."""


def many(number: int, one: str, more: str = "") -> str:
    """Returns `1 bot waits` or `2 bots wait`; without `more` an `s` makes the plural."""
    return f"{number} {one if number == 1 else more or f'{one}s'}"

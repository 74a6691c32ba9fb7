"""Writes the JSON Schema of exports anew: `python -m tests.replay.export_schema`."""

import json
from pathlib import Path

from referee.replay.export import schema

PATH = Path(__file__).parents[2] / "docs" / "replay-export.schema.json"


def text() -> str:
    """Returns the schema as it is committed."""
    return json.dumps(schema(), indent=2) + "\n"


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")

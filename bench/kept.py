"""Rows of runs that are done, kept beside a result until all are, so that an interrupted study goes on where it was."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

from bench.measure import Json

Row: TypeAlias = dict[str, Any]


class Kept:
    """Runs that are done, in a file of one JSON object a line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: list[Row] = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def has(self, **about: Json) -> bool:
        """Whether a run is done."""
        return any(about.items() <= row.items() for row in self.rows)

    def add(self, rows: Sequence[Row]) -> None:
        """Keep the rows of a run."""
        self.rows.extend(rows)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)

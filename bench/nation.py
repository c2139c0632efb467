"""What the benchmarks of tables at scale share: where the production definitions are, invented persons, a release as a process."""

import json
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bench.peers import ROOT
from bench.process import STARLING, Run, run

DEFINITIONS: Final = "NMFv7-2020"


def definitions() -> Path:
    """The folder of the production definitions; ends the program where it is missing."""
    data = Path(os.environ.get("STARLING_DATA") or ROOT.parent / "shared" / "data")
    plan = data / "tables" / DEFINITIONS
    if not plan.is_dir():
        sys.exit(f"no production definitions: set STARLING_DATA to the folder that holds tables/{DEFINITIONS}")
    return plan


def definitions_of(states: str, folder: Path) -> Path:
    """The production definitions for some states alone (codes apart by commas), as a Census folder of its own."""
    shutil.copytree(definitions(), folder)
    file = folder / "config.json"
    config = json.loads(file.read_text()) | {"run_pr": False, "state_filter_us": states.split(",")}
    file.write_text(json.dumps(config))
    return folder


@dataclass(frozen=True, slots=True)
class Made:
    """What `starling tables generate` wrote.

    Attributes:
        folder: That holds it.
        form: "text" or "parquet".
    """

    folder: Path
    form: str

    @property
    def persons(self) -> Path:
        """Of the person records."""
        return self._file("person-records")

    @property
    def geography(self) -> Path:
        """Of the blocks."""
        return self._file("GRF-C")

    @property
    def sizes(self) -> dict[str, int]:
        """Numbers of states, counties, tracts, blocks, places, AIANNH areas and persons."""
        sizes: dict[str, int] = json.loads((self.folder / "GENERATED.json").read_text())["sizes"]
        return sizes

    def _file(self, name: str) -> Path:
        return self.folder / f"{name}.{'txt' if self.form == 'text' else self.form}"


def generate(plan: Path, folder: Path, form: str, **options: str) -> tuple[Made, Run]:
    """Invent what the options say: persons, land-for, states."""
    chosen = [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", value)]
    took = run([STARLING, "tables", "generate", plan, *chosen, "--format", form, "--out", folder])
    return Made(folder, form), took


def release(plan: Path, made: Made, out: Path, *more: str | Path) -> tuple[Run, dict[str, Any]]:
    """`starling tables release` as a whole process, with whatever more is given it, and the rows of its tables."""
    files: list[str | Path] = ["--persons", made.persons, "--geography", made.geography, "--out", out, *more]
    took = run([STARLING, "tables", "release", plan, *files, "--yes", "--unvalidated", "--json"])
    return took, json.loads(took.output)["rows"]


def gigabytes(path: Path) -> float:
    """Of a file, or of all files of a folder."""
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return round(sum(file.stat().st_size for file in files) / 1e9, 3)

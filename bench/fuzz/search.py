"""The batches of a search: each follows from its number, and is one file of a source in one form."""

import base64
import json
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

import pyarrow as pa

from bench.fuzz.attempt import attempt, write_public
from bench.fuzz.formats import write
from bench.fuzz.forms import SPARK, Form
from bench.fuzz.genome import GENOME
from bench.fuzz.genome import write as write_study
from bench.fuzz.grids import AREAS, FLOWS, GROUPS, PLACES, TRIPS
from bench.fuzz.persons import TABLES
from bench.fuzz.source import Source
from bench.peers import ROOT

SOURCES: Final[tuple[Source, ...]] = (*PLACES, *AREAS, *FLOWS, *TRIPS, *GROUPS, *TABLES, GENOME)
CORPUS: Final = ROOT / "tests" / "corpus"
"""Files that once failed, each with the name of its source."""


@dataclass(frozen=True)
class Batch:
    """One file of inputs.

    Attributes:
        source: What it is about.
        form: The name of its form.
        seed: All else follows from it.
        rows: Records of a file.
    """

    source: Source
    form: str
    seed: int
    rows: int

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> "Batch":
        """The batch of a line of the log."""
        source = next(each for each in SOURCES if each.name == facts["source"])
        return cls(source, facts["format"], facts["seed"], facts["rows"])

    @property
    def again(self) -> str:
        """The command that makes it again."""
        return f"python -m bench.fuzz --rows {self.rows} --again {self.source.name} {self.form} {self.seed}"

    @property
    def facts(self) -> dict[str, Any]:
        """What names it in the log."""
        return {"source": self.source.name, "format": self.form, "seed": self.seed, "rows": self.rows}

    def write(self, folder: Path) -> tuple[Path | pa.Table, int]:
        """Write its files; the records, and how many inputs they are."""
        form = Form.named(self.form)
        write_public(self.source, folder, form.format)
        random = Random(f"{self.source.name} {self.form} {self.seed}")
        if self.source is GENOME:
            return write_study(form, random, folder)
        return write(self.source, form, random, self.rows, folder)

    def run(self) -> tuple[str, int]:
        """Open and count it; what came of it, and how many inputs it is. Raises what counting raises."""
        with TemporaryDirectory(prefix="starling-fuzz-") as scratch:
            records, many = self.write(Path(scratch))
            return attempt(self.source, records, Path(scratch), Form.named(self.form)), many


def batches(first: int, many: int, only: str, rows: int) -> Iterator[Batch]:
    """So many batches from a number on, which go round the sources and their forms."""
    pairs = [(source, form) for source in SOURCES if source.name.startswith(only) for form in source.forms]
    for seed in range(first, first + many):
        source, form = pairs[seed % len(pairs)]
        yield Batch(source, form, seed, rows)


def one_round(only: str, rows: int) -> list[Batch]:
    """A batch of each form of each source, but those that Spark counts: to start it takes as long as many of the others."""
    sources = [source for source in SOURCES if source.name.startswith(only)]
    pairs = [(source, form) for source in sources for form in source.forms if SPARK not in form.split("+")]
    return [Batch(source, form, seed, rows) for seed, (source, form) in enumerate(pairs, 1)]


def run_batches(chosen: Iterable[Batch], failures: Path) -> None:
    """Run batches and print a line of JSON when each begins and when it has ended."""
    for batch in chosen:
        print(json.dumps(batch.facts), flush=True)
        inputs = 1
        try:
            outcome, inputs = batch.run()
        except Exception:  # noqa: BLE001 - whatever counting raises is what is looked for
            outcome = "failed"
            folder = save(batch, failures)
            (folder / "traceback.txt").write_text(traceback.format_exc())
            words = f"FAILED: {batch.again}; files in {folder}\n{traceback.format_exc(limit=-2)}"
            print(words, file=sys.stderr, flush=True)
        print(json.dumps({**batch.facts, "outcome": outcome, "inputs": inputs}), flush=True)


def save(batch: Batch, failures: Path) -> Path:
    """Write the files of a batch into a folder of failures."""
    folder = failures / f"{batch.source.name}-{batch.form}-{batch.seed}"
    folder.mkdir(parents=True, exist_ok=True)
    records, _ = batch.write(folder)
    if isinstance(records, pa.Table):
        with pa.ipc.new_file(folder / "records.arrow", records.schema) as file:
            file.write_table(records)
    return folder


def corpus() -> Iterator[tuple[str, Source, str, bytes]]:
    """The kept inputs: their names, sources, names of files and bytes."""
    for path in sorted(CORPUS.glob("*.json")):
        facts = json.loads(path.read_text())
        source = next(each for each in SOURCES if each.name == facts["source"])
        yield path.stem, source, facts["file"], base64.b64decode(facts["bytes"])

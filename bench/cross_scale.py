"""Cross tables of ten million records by 500 districts: time and memory of a release, of planning many tables, and of the sum of a union.

Invented persons have one of 500 districts and a value of eight columns, of as many values as those of Adult. All tables of up to three of
the columns in every district, 14 million cells, are released from Parquet into a signed folder, as a whole process that finds what an
earlier release on the machine left compiled. Planned are all tables of up to three of fifteen columns, at one margin.
"""

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bench.measure import Json
from bench.process import STARLING, run
from bench.record import Limit, Recorder
from starling.planfile.values import toml_of
from starling.tables.analysis import open_release
from starling.tables.plan.residual_targets import margins_first
from starling.tables.plan.residuals import Shape

SEED: Final = 2026
RECORDS: Final = 10_000_000
PIECE: Final = 1_000_000
DISTRICTS: Final = tuple(f"D{number:03d}" for number in range(500))
SIZES: Final = {
    "age": 10,
    "work": 8,
    "schooling": 16,
    "marital": 7,
    "occupation": 14,
    "origin": 5,
    "sex": 2,
    "income": 2,
}
BUDGET: Final = "1/2"
MANY: Final = (2, 3, 2, 4, 5, 2, 3, 6, 2, 8, 4, 3, 2, 5, 7)
"""Values of each of fifteen columns, whose 576 tables are planned."""
VARIANCE: Final = 100.0
TIMES: Final = 15
"""How often the sum of a union is asked for."""


def invent(path: Path, records: int) -> Path:
    """So many records as Parquet."""
    random = np.random.default_rng(SEED)
    codes = {"district": DISTRICTS, **{name: values(name) for name in SIZES}}
    schema = pa.schema([(name, pa.string()) for name in codes])
    with pq.ParquetWriter(path, schema) as writer:
        for begin in range(0, records, PIECE):
            many = min(PIECE, records - begin)
            # Skewed, as people are.
            drawn = {name: (len(each) * random.random(many) ** 2).astype(np.int64) for name, each in codes.items()}
            columns = [pa.array(list(each)).take(pa.array(drawn[name])) for name, each in codes.items()]
            writer.write_table(pa.table(columns, schema=schema))
    return path


def values(name: str) -> tuple[str, ...]:
    """The codes of a column."""
    return tuple(f"{name[0]}{number}" for number in range(SIZES[name]))


def plan(path: Path) -> Path:
    """The plan of all tables of up to three columns."""
    path.write_text(
        toml_of(
            {
                "title": "Invented persons by district",
                "privacy": {"unit": "person", "neighbours": "add-remove", "measure": "rho"},
                "records": {"of-a-person": 1},
                "publication": {"negative-counts": True},
                "regions": {"column": "district", "levels": ["district"], "rows": [[each] for each in DISTRICTS]},
                "columns": [{"name": name, "values": list(values(name))} for name in SIZES],
                "tables": {"columns": list(SIZES), "cross": 3, "budget": BUDGET},
            }
        )
    )
    return path


def milliseconds(release: Path) -> list[float]:
    """Of the sum of a union of 60 cells in three districts, with its interval, each time of other cells."""
    opened = open_release(release)
    taken = []
    for place in range(TIMES + 1):
        age, marital, sex = values("age")[:5], values("marital")[:2], values("sex")
        district = [*DISTRICTS[place : place + 3]]
        begin = perf_counter()
        opened.number(district=district, age=age, marital=marital, sex=sex).interval()
        taken.append(1e3 * (perf_counter() - begin))
    return taken[1:]


def planned_seconds(sizes: Sequence[int]) -> tuple[int, float]:
    """How many tables of up to three of columns of these sizes there are, and how long planning them for one margin takes."""
    tables = tuple(table for size in range(4) for table in combinations(range(len(sizes)), size))
    begin = perf_counter()
    margins_first(Shape(tuple(sizes), tables), ((VARIANCE,) * len(tables),))
    return len(tables), perf_counter() - begin


def main() -> None:
    """Measure and write the result."""
    recorder = Recorder("cross_scale", "Time and memory of cross tables of ten million records by 500 districts.")
    recorder.parser.add_argument("--scratch", type=Path, help="where there is room for 3 GB")
    chosen = recorder.begin()
    records = 20_000 if chosen.quick else RECORDS
    with TemporaryDirectory(dir=chosen.scratch) as scratch:
        stated, paid = plan(Path(scratch, "plan.toml")), ("--unvalidated", "--yes")
        few, many = invent(Path(scratch, "few.parquet"), 1_000), invent(Path(scratch, "many.parquet"), records)
        command: list[str | Path] = [STARLING, "tables", "release", stated, *paid, "--persons"]
        run([*command, few, "--out", Path(scratch, "first")])
        took = run([*command, many, "--out", Path(scratch, "out")])
        size = sum(path.stat().st_size for path in Path(scratch, "out").rglob("*") if path.is_file())
        cells = sum(pq.read_metadata(path).num_rows for path in Path(scratch, "out", "data").glob("*.parquet"))
        asked = milliseconds(Path(scratch, "out"))
    tables, planned = planned_seconds(MANY)
    row: dict[str, Json] = {
        "records": records,
        "cells": cells,
        "seconds": round(took.seconds, 2),
        "cpu_seconds": round(took.cpu_seconds, 2),
        "gigabytes": round(took.peak_gb, 2),
        "gigabytes_of_release": round(size / 1e9, 2),
        "union_ms": round(float(np.median(asked)), 2),
        "tables_planned": tables,
        "planning_seconds": round(planned, 3),
    }
    print(row)
    limits = [
        Limit("10 million records to cross tables of 500 districts", round(took.seconds, 1), 40, "s"),
        Limit("10 million records to cross tables of 500 districts, most memory", round(took.peak_gb, 2), 3, "GB"),
        Limit(f"planning {tables} tables for one margin", round(planned, 2), 5, "s"),
        Limit("a union's interval", round(float(np.median(asked)), 2), 10, "ms"),
    ]
    settings: dict[str, Json] = {"seed": SEED, "rho": BUDGET, "districts": len(DISTRICTS), "sizes": [*SIZES.values()]}
    recorder.end(settings=settings, rows=[row], limits=[] if chosen.quick else limits)


if __name__ == "__main__":
    main()

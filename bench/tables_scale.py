"""Time and memory against records: one state's land under the production definitions, with 1 to 100 million invented persons.

The plan and the geography stay the same, so the number of groups does too; what grows is counting. A straight line is fitted to the
logarithms of time and records; the memory of 100 million is compared with that of 10 million.
"""

import shutil
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bench.measure import Json
from bench.nation import DEFINITIONS, definitions_of, generate, gigabytes, release
from bench.record import Limit, Recorder

SIZES = (1_000_000, 3_000_000, 10_000_000, 30_000_000, 100_000_000)
LAND = 10_000_000
"""Persons for whom the land is made."""


def slope(sizes: list[int], values: list[float]) -> float:
    """Of the straight line through the logarithms, by least squares.

    >>> slope([1, 10, 100], [2.0, 20.0, 200.0])
    1.0
    """
    return round(float(np.polyfit(np.log(sizes), np.log(values), 1)[0]), 3)


def main() -> None:
    """Measure and write the result."""
    recorder = Recorder("tables_scale", "Time and memory of a release against the number of records.")
    recorder.parser.add_argument("--states", default="37", help="code of the state whose name the invented one bears")
    recorder.parser.add_argument("--scratch", type=Path, help="where there is room for 2 GB")
    chosen = recorder.begin()
    sizes = [10_000, 30_000] if chosen.quick else list(SIZES)
    rows: list[Json] = []
    seconds: list[float] = []
    memory: list[float] = []
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(TemporaryDirectory(dir=chosen.scratch)))
        plan = definitions_of(chosen.states, scratch / "plan")
        for size in sizes:
            options = {"persons": str(size), "land_for": str(LAND), "states": chosen.states}
            made, _ = generate(plan, scratch / "made", "parquet", **options)
            if size == sizes[0]:
                # Leaves compiled kernels.
                release(plan, made, scratch / "first")
            took, tables = release(plan, made, scratch / "release")
            seconds.append(took.seconds)
            memory.append(took.peak_gb)
            rows.append(
                {
                    "persons": size,
                    "seconds": round(took.seconds, 1),
                    "cpu_seconds": round(took.cpu_seconds, 1),
                    "gigabytes": round(took.peak_gb, 2),
                    "persons_gb": gigabytes(made.persons),
                    "t1_rows": tables["t1"],
                    "t2_rows": tables["t2"],
                }
            )
            shutil.rmtree(scratch / "release")
            shutil.rmtree(scratch / "made")
    last = slope(sizes[-3:], seconds[-3:])
    per_record = (memory[-1] - memory[0]) * 1e9 / (sizes[-1] - sizes[0])
    recorder.end(
        settings={
            "definitions": DEFINITIONS,
            "states": chosen.states,
            "slope": slope(sizes, seconds),
            "slope_of_the_last_three": last,
            "bytes_per_record": round(per_record, 1),
        },
        rows=rows,
        limits=[
            Limit("slope of log time against log records, the last three sizes", last, 1.05, ""),
            Limit("memory of ten times as many records", round(memory[-1] / memory[-3], 3), 1.1, "times"),
        ]
        if not chosen.quick
        else [],
    )


if __name__ == "__main__":
    main()

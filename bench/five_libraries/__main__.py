"""`python -m bench.five_libraries`: whether every group is answered and has an interval, and what the process takes."""

import csv
import random
import sys
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bench.five_libraries import OURS, PEERS, lines, script
from bench.measure import Json
from bench.peers import interpreter, requirements
from bench.process import run
from bench.record import Limit, Recorder

DOMAINS: Final = {"sex": ("F", "M"), "age": ("0-17", "18-64", "65+")}
EMPTY: Final = ("M", "0-17")
"""The group that nobody is in, and that must be answered all the same."""
PEOPLE: Final = 20_000
RUNS: Final = 3
SEED: Final = 2026


def write_visits(path: Path, people: int) -> None:
    """Invented people, one a row, of all groups but one."""
    rng = random.Random(SEED)
    groups = [group for group in product(*DOMAINS.values()) if group != EMPTY]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([tuple(DOMAINS), *rng.choices(groups, k=people)])


def measure(library: str, python: Path, people: int, runs: int) -> dict[str, Json]:
    """What a script gives and takes; the best of its runs, since whatever else the machine does only adds."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_visits(folder / "visits.csv", people)
        # Spark's workers are another Python otherwise.
        taken = [run([python, script(library)], {"PYSPARK_PYTHON": str(python)}, folder) for _ in range(runs)]
        with (folder / "counts.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
    return {
        "library": library,
        "lines": lines(library),
        "groups": len({(row["sex"], row["age"]) for row in rows} & set(product(*DOMAINS.values()))),
        "interval": {"lower", "upper"} <= set(rows[0]),
        "whole": all(
            float(value).is_integer() for row in rows for name, value in row.items() if name in ("count", "len")
        ),
        "seconds": round(min(each.seconds for each in taken), 2),
    }


def main() -> None:
    """Measure and write the result."""
    recorder = Recorder("five_libraries", "One job in five libraries.", peers=True)
    chosen = recorder.begin()
    people, runs = (200, 1) if chosen.quick else (PEOPLE, RUNS)
    ours = measure(OURS, Path(sys.executable), people, runs)
    rows = [ours]
    for library, (peer, package) in PEERS.items():
        python = interpreter(chosen.peers, peer)
        if not python.exists():
            print(f"{library} is left out: python -m bench.peers {peer} makes its environment")
            continue
        (pin,) = (line for line in requirements(peer).read_text().splitlines() if line.startswith(f"{package}=="))
        rows.append({**measure(library, python, people, runs), "version": pin.partition("==")[2]})
    for row in rows:
        print(row)
    shortest = min(lines(library) for library in PEERS)
    limits = [Limit("lines of the job, over those of the shortest other library", lines(OURS) / shortest, 1, "times")]
    recorder.end(settings={"people": people, "runs": runs, "seed": SEED}, rows=list[Json](rows), limits=limits)


if __name__ == "__main__":
    main()

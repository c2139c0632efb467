"""A scan of 500,000 people by its number of SNPs, beside the disk: what `bench.genome_scan` states of large studies.

Each scan is a process that reads the plan and its list, makes a basis of ten covariates, and tests every SNP of a .bed, which is dropped
from memory before. A straight line is fitted to the seconds of the smaller studies, and the largest one's are predicted before it is
scanned. The disk's speed is that at which the same file is read and nothing done with it, dropped from memory too. A million SNPs are an
extrapolation by the line of all.
"""

import sys
from pathlib import Path
from shutil import rmtree
from typing import Final

from bench.genome_scale import Line
from bench.measure import Json, Spread, timed
from bench.process import Run, forget, run
from bench.record import Limit
from starling.genome.generate import NAME, generate

PEOPLE: Final = 500_000
SIZES: Final = (1_000, 2_000, 4_000)
HELD_OUT: Final = 8_000
WHOLE: Final = 1_000_000
ROUNDS: Final = 2
PIECE: Final = 8 << 20
"""Bytes that the disk is asked for at once, as by a scan."""
SCAN: Final = """
import sys
from pathlib import Path
import numpy as np
from starling.genome.adjusted import ScoreTests, covariate_basis
from starling.genome.plan import Plan
from starling.genome.source import open_genotypes, read
folder = Path(sys.argv[1])
plan = Plan.load(folder / "plan.toml")
genotypes = open_genotypes(folder / "study", plan)
random = np.random.default_rng(3)
basis = covariate_basis(random.normal(size=(plan.people, 10)))
tests = ScoreTests.of("additive", random.choice([-0.6, 1.6], plan.people), basis)
print(sum(len(scores.snps) for scores in read(genotypes, plan, tests.score)))
"""


def scan(folder: Path) -> Run:
    """The process of a scan, from the disk."""
    forget(folder / f"{NAME}.bed")
    return run([sys.executable, "-c", SCAN, folder])


def disk_seconds(file: Path) -> float:
    """Seconds of reading a file from the disk, and nothing else."""
    forget(file)
    room = bytearray(PIECE)

    def read() -> None:
        with file.open("rb", buffering=0) as opened:
            while opened.readinto(room):
                pass

    return timed(read)


def large_scans(folder: Path, *, quick: bool) -> tuple[list[Json], list[Limit]]:
    """Rows and limits; `folder` has room for a .bed of HELD_OUT SNPs (1 GB), and each is removed before the next is made."""
    people, sizes, held_out = (2_000, (60, 120, 240), 480) if quick else (PEOPLE, SIZES, HELD_OUT)
    runs: dict[int, list[Run]] = {}
    line, disk = None, 0.0
    for size in (*sizes, held_out):
        study = folder / f"large{size}"
        generate(people=people, snps=size, seed=1, out=study)
        if size == sizes[0]:
            scan(study)  # Leaves compiled kernels.
        if size == held_out:
            line = _line(runs)
            disk = disk_seconds(study / f"{NAME}.bed")
        runs[size] = [scan(study) for _ in range(1 if size == held_out else ROUNDS)]
        rmtree(study)
    assert line is not None
    whole, (last,) = _line(runs), runs[held_out]
    name = f"scan of {people:,} people x {{:,}} SNPs, ten covariates, whole process"
    rows: list[Json] = []
    for size, each in runs.items():
        rows.append({"run": name.format(size), "seconds": Spread.of([one.seconds for one in each]).to_json()})
        rows.append({"run": "the same", "cpu_seconds": Spread.of([one.cpu_seconds for one in each]).to_json()})
        rows.append({"run": "the same", "megabytes": round(1e3 * max(one.peak_gb for one in each), 1)})
    for text, of, size in (("predicted from those before", line, held_out), ("extrapolated", whole, WHOLE)):
        low, high = of.interval(size)
        between = Spread.of([max(low, 0.0), of.at(size), high]).to_json()
        rows.append({"run": f"{size:,} SNPs, {text}, with an interval of 95 %", "seconds": between})
    rows.append({"run": f"reading the .bed of {held_out:,} SNPs from the disk", "seconds": Spread.of([disk]).to_json()})
    limits = [
        Limit(
            f"scan of {people:,} people, ten covariates, memory of the process",
            round(1e3 * max(one.peak_gb for each in runs.values() for one in each), 1),
            500,
            "MB",
        ),
        Limit(
            f"scan of {people:,} x {held_out:,}, time over the upper end of what was predicted",
            round(last.seconds / line.interval(held_out)[1], 3),
            1,
            "",
        ),
        Limit(
            f"scan of {people:,} people, time of a SNP over that of reading it from the disk",
            round(whole.each / (disk / held_out), 2),
            1,
            "times",
        ),
    ]
    return rows, limits


def _line(runs: dict[int, list[Run]]) -> Line:
    """Through the seconds of all runs."""
    points = [(size, one.seconds) for size, each in runs.items() for one in each]
    return Line.through([size for size, _ in points], [seconds for _, seconds in points])

"""A scan of 500,000 people and 100,000 SNPs beside the disk, predicted before it is made; a million SNPs are an extrapolation.

Each scan is a process that reads the plan and its list, makes a basis of ten covariates, and tests every SNP of a .bed, which is dropped
from memory before. A straight line is fitted to the seconds of smaller studies, which tells with an interval how long the largest one will
take; then it is scanned, once. The smaller ones are scanned in turn, round after round: scans of one study right after each other agree
better than the machine and its disk do from one minute to the next, and an interval from them holds less often than it says.

The disk's speed is that at which the largest file is read and nothing done with it, before the scan and after it, dropped from memory too;
each smaller file is read so once in each round.

It needs as much disk as the largest .bed has, 125 kB a SNP; the smaller studies are removed before it is made.
"""

import sys
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Final

from bench.genome_scale import Line
from bench.measure import Json, Spread, timed
from bench.process import Run, forget, run
from bench.record import Limit, Recorder
from starling.genome.generate import NAME, generate

PEOPLE: Final = 500_000
HELD_OUT: Final = 100_000
PARTS: Final = (20, 10, 5)
"""The smaller studies have so many times fewer SNPs than the one that is predicted."""
WHOLE: Final = 1_000_000
ROUNDS: Final = 3
PIECE: Final = 8 << 20
"""Bytes that the disk is asked for at once, as by a scan."""
SCAN: Final = """
import sys
from pathlib import Path
import numpy as np
from starling.genome.adjusted import ScoreTests, covariate_basis
from starling.genome.counts.scan import chunk_bytes
from starling.genome.plan import Plan
from starling.genome.source import open_genotypes, read
folder = Path(sys.argv[1])
plan = Plan.load(folder / "plan.toml")
genotypes = open_genotypes(folder / "study", plan)
random = np.random.default_rng(3)
values, response = random.normal(size=(plan.people, 10)), random.choice([-0.6, 1.6], plan.people)
tests = ScoreTests.of("additive", response, covariate_basis(values))
del values
print(sum(len(scores.snps) for scores in read(genotypes, plan, tests.score, chunk=chunk_bytes())))
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


def main() -> None:
    """Measure all and write the result."""
    recorder = Recorder("genome_scan_scale", "A scan of 500,000 people, predicted, beside the disk.")
    recorder.parser.add_argument(
        "--snps", type=int, default=HELD_OUT, metavar="N", help="of the largest study: 125 kB of disk each"
    )
    chosen = recorder.begin()
    people, held_out = (2_000, 480) if chosen.quick else (PEOPLE, chosen.snps)
    sizes = [held_out // part for part in PARTS]
    runs: list[tuple[int, Run]] = []
    disk: dict[int, list[float]] = {size: [] for size in (*sizes, held_out)}
    with TemporaryDirectory() as scratch:
        folders = {size: Path(scratch) / f"{size}" for size in disk}
        for size in sizes:
            generate(people=people, snps=size, seed=1, out=folders[size])
        scan(folders[sizes[0]])  # Leaves compiled kernels.
        for _ in range(ROUNDS):
            for size in sizes:
                disk[size].append(disk_seconds(folders[size] / f"{NAME}.bed"))
                runs.append((size, scan(folders[size])))
        for size in sizes:
            rmtree(folders[size])
        before = _lines(runs)
        told = (f"{key.replace('_', ' ')} {line.at(held_out):.1f}" for key, line in before.items())
        print(f"predicted for {held_out:,} SNPs: {', '.join(told)}", flush=True)
        study = folders[held_out]
        generate(people=people, snps=held_out, seed=1, out=study)
        disk[held_out].append(disk_seconds(study / f"{NAME}.bed"))
        last = scan(study)
        disk[held_out].append(disk_seconds(study / f"{NAME}.bed"))
    runs.append((held_out, last))
    after = _lines(runs)
    rows: list[Json] = []
    for size in (*sizes, held_out):
        each = [one for other, one in runs if other == size]
        taken: dict[str, Json] = {
            "snps": size,
            "seconds": Spread.of(one.seconds for one in each).to_json(),
            "cpu_seconds": Spread.of(one.cpu_seconds for one in each).to_json(),
            "disk_seconds": Spread.of(disk[size]).to_json(),
            "megabytes": round(1e3 * max(one.peak_gb for one in each), 1),
        }
        rows.append(taken)
    for kind, lines, size in (("predicted", before, held_out), ("extrapolated", after, WHOLE)):
        for key, line in lines.items():
            low, high = line.interval(size)
            rows.append(
                {
                    kind: size,
                    key: round(line.at(size), 1),
                    "least": round(max(low, 0.0), 1),
                    "most": round(high, 1),
                }
            )
    rows.append({"read": held_out, "seconds": Spread.of(disk[held_out]).to_json()})
    what = f"scan of {people:,} people x {held_out:,} SNPs"
    limits = [
        Limit(f"{what}, memory of the process", round(1e3 * max(one.peak_gb for _, one in runs), 1), 500, "MB"),
        *(
            Limit(
                f"{what}, {key.replace('_', ' ')} over the upper end of what was predicted",
                round(_taken(last, key) / line.interval(held_out)[1], 3),
                1,
                "times",
            )
            for key, line in before.items()
        ),
        Limit(
            f"{what}, time of a SNP over that of reading it from the disk",
            round(after["seconds"].each * held_out / Spread.of(disk[held_out]).median, 2),
            1,
            "times",
        ),
    ]
    settings: dict[str, Json] = {"people": people, "snps": held_out, "covariates": 10, "rounds": ROUNDS}
    recorder.end(settings=settings, rows=rows, limits=limits)


def _taken(run: Run, key: str) -> float:
    return run.seconds if key == "seconds" else run.cpu_seconds


def _lines(runs: list[tuple[int, Run]]) -> dict[str, Line]:
    """Through the seconds, and the processor's seconds, of some runs."""
    sizes = [size for size, _ in runs]
    return {key: Line.through(sizes, [_taken(one, key) for _, one in runs]) for key in ("seconds", "cpu_seconds")}


if __name__ == "__main__":
    main()

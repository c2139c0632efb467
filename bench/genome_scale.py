"""A study of 500,000 people by its number of SNPs: made, then asked how many SNPs are significant and which, from file to release.

Each run is a process that reads the plan and its public list, and makes two releases. For each it passes over all genotypes in
chunks, tests every SNP exactly, selects, and writes a folder. Before each pass the file is dropped from memory, so that it comes
from the disk.

A straight line (fixed costs and a cost per SNP, errors in proportion to time) is fitted to the seconds of both releases of the smaller
studies. Before the largest one is run its time is predicted with an interval. Last, 1,000,000 SNPs are an extrapolation, labelled
as such; how a list of so many SNPs behaves is measured with few people.
"""

import json
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from bench.measure import Json, timed
from bench.process import Run, run
from bench.record import Limit, Recorder
from starling.genome.generate import NAME, generate

Float: TypeAlias = npt.NDArray[np.float64]

PEOPLE: Final = 500_000
SIZES: Final = (5_000, 20_000, 40_000)
HELD_OUT: Final = 100_000
WHOLE: Final = 1_000_000
FEW: Final = 2_000
"""People of the study that has a million SNPs."""
ROUNDS: Final = 3
SEED: Final = 20131
CONFIDENCE: Final = 0.95
ASK: Final = """
import json, os, sys
from fractions import Fraction
from pathlib import Path
from time import perf_counter
from starling import PaymentOptions
from starling.genome import LocSig, NumSig, Plan, release
folder, out = Path(sys.argv[1]), Path(sys.argv[2])
began = perf_counter()
plan = Plan.load(folder / "plan.toml")
took = {"plan": perf_counter() - began}
for name, question in (("num_sig", NumSig("g", 1, Fraction(1))), ("loc_sig", LocSig("g", 2, Fraction(1)))):
    with (folder / "study.bed").open("rb") as bed:
        os.fsync(bed.fileno())
        os.posix_fadvise(bed.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    began = perf_counter()
    release(plan, question, folder / "study", out / name, payment=PaymentOptions(unvalidated=True))
    took[name] = perf_counter() - began
print(json.dumps(took))
"""


Asked: TypeAlias = tuple[dict[str, float], Run]
"""Seconds of the parts of a process, and the whole."""


def releasing(asked: Asked) -> float:
    """Seconds of both releases."""
    return asked[0]["num_sig"] + asked[0]["loc_sig"]


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line, fitted by weighted least squares with errors in proportion to what it gives.

    Attributes:
        fixed: Seconds of a study without SNPs.
        each: Seconds a SNP.
        deviation: Of a time, as a part of it.
        covariance: Of `fixed` and `each`, over the deviation's square; float64 (2, 2).
        points: How many times it was fitted to.
    """

    fixed: float
    each: float
    deviation: float
    covariance: Float
    points: int

    @classmethod
    def through(cls, sizes: list[int], seconds: list[float]) -> "Line":
        """Of at least three times, at two sizes or more."""
        x = np.column_stack((np.ones(len(sizes)), sizes))
        y = np.array(seconds)
        weights: Float = 1 / y
        line: Float = np.zeros(2)
        for _ in range(20):
            line = np.asarray(np.linalg.lstsq(x * weights[:, np.newaxis], y * weights)[0], dtype=np.float64)
            weights = 1 / np.maximum(x @ line, y.min() / 10)
        weighted = x * weights[:, np.newaxis]
        deviation = float(np.sqrt(np.sum((y * weights - weighted @ line) ** 2) / (len(y) - 2)))
        covariance = np.asarray(np.linalg.inv(weighted.T @ weighted), dtype=np.float64)
        return cls(float(line[0]), float(line[1]), deviation, covariance, len(y))

    def at(self, size: int) -> float:
        """Seconds for so many SNPs."""
        return self.fixed + self.each * size

    def interval(self, size: int) -> tuple[float, float]:
        """Where a new time falls, by Student's distribution."""
        from scipy.stats import t

        here = np.array([1.0, size])
        margin = self.deviation * np.sqrt(self.at(size) ** 2 + here @ self.covariance @ here)
        margin *= float(t.ppf((1 + CONFIDENCE) / 2, self.points - 2))
        return float(self.at(size) - margin), float(self.at(size) + margin)


def make(people: int, snps: int, folder: Path) -> None:
    """An invented study with a causal SNP, unless it is there."""
    if not folder.exists():
        generate(people=people, snps=snps, seed=SEED, causal={1 + snps // 2: 1.5}, out=folder)


def ask(folder: Path) -> Asked:
    """Seconds of the parts, and the whole process."""
    with TemporaryDirectory(dir=folder.parent) as out:
        took = run([sys.executable, "-c", ASK, folder, out])
    return json.loads(took.output), took


def row(folder: Path, people: int, snps: int, runs: list[Asked]) -> dict[str, Any]:
    """One study, by the medians of its runs."""
    parts = {f"{name}_seconds": round(median(parts[name] for parts, _ in runs), 3) for name in runs[0][0]}
    return {
        "people": people,
        "snps": snps,
        "bed_gb": round((folder / f"{NAME}.bed").stat().st_size / 1e9, 3),
        "seconds": [round(releasing(each), 2) for each in runs],
        **parts,
        "megabytes": round(max(whole.peak_gb for _, whole in runs) * 1e3, 1),
    }


def rounded(interval: tuple[float, float]) -> list[Json]:
    """Ends of an interval of seconds."""
    return [round(max(0.0, end), 1) for end in interval]


def main() -> None:
    """Measure, predict, measure what was predicted, and write the result."""
    recorder = Recorder("genome_scale", "Questions to a study of 500,000 people, by its number of SNPs.")
    recorder.parser.add_argument(
        "--scratch",
        type=Path,
        help="where there is room for 25 GB; studies in it are used, and stay",
    )
    recorder.parser.add_argument(
        "--make-only", action="store_true", help="make the studies in --scratch, measure nothing"
    )
    chosen = recorder.begin()
    quick = chosen.quick
    people, sizes, held_out, few, whole, rounds = (
        (3_000, (100, 200), 400, 200, 500, 2) if quick else (PEOPLE, SIZES, HELD_OUT, FEW, WHOLE, ROUNDS)
    )
    with ExitStack() as stack:
        scratch = chosen.scratch or Path(stack.enter_context(TemporaryDirectory()))
        studies = [(people, size) for size in (*sizes, held_out)] + [(few, whole)]
        folders = {study: scratch / "x".join(map(str, study)) for study in studies}
        for study, folder in folders.items():
            make(*study, folder)
        if chosen.make_only:
            return
        with TemporaryDirectory(dir=scratch) as again:
            rate = sizes[0] / timed(lambda: make(people, sizes[0], Path(again, "study")))
        ask(folders[people, sizes[0]])  # Leaves compiled kernels.
        asked: dict[int, list[Asked]] = {size: [] for size in sizes}
        for _ in range(rounds):
            for size in sizes:
                asked[size].append(ask(folders[people, size]))
        line = Line.through(
            [size for size in sizes for _ in range(rounds)],
            [releasing(each) for size in sizes for each in asked[size]],
        )
        predicted, interval = line.at(held_out), line.interval(held_out)
        rows = [row(folders[people, size], people, size, asked[size]) for size in sizes]
        # Only now is the held-out study asked.
        found = [ask(folders[people, held_out])]
        rows.append(row(folders[people, held_out], people, held_out, found))
        rows.append(row(folders[few, whole], few, whole, [ask(folders[few, whole])]))
    seconds = [releasing(each) for each in found]
    longer = Line.through(
        [*(size for size in sizes for _ in range(rounds)), held_out],
        [releasing(each) for size in sizes for each in asked[size]] + seconds,
    )
    per_snp = (rows[len(sizes)]["megabytes"] - rows[0]["megabytes"]) * 1e6 / (held_out - sizes[0])
    recorder.end(
        settings={
            "rounds": rounds,
            "confidence": CONFIDENCE,
            "line": {
                "fixed_seconds": round(line.fixed, 3),
                "seconds_per_snp": line.each,
                "deviation": round(line.deviation, 4),
            },
            "held_out": {
                "snps": held_out,
                "predicted_seconds": round(predicted, 1),
                "interval": rounded(interval),
                "seconds": [round(each, 1) for each in seconds],
            },
            "extrapolated": {
                "snps": WHOLE,
                "bed_gb": round(WHOLE * PEOPLE / 4 / 1e9, 1),
                "seconds": round(longer.at(WHOLE), 1),
                "interval": rounded(longer.interval(WHOLE)),
            },
            "bytes_per_snp": round(per_snp, 1),
            "generated_snps_per_second": round(rate),
        },
        rows=list(rows),
        limits=[
            Limit(
                f"{people:,} people x {held_out:,} SNPs: time over the upper end of what was predicted",
                round(median(seconds) / interval[1], 3),
                1,
                "",
            ),
            Limit(
                "memory for each further SNP, as a part of its genotypes", round(per_snp / (people / 4), 5), 0.02, ""
            ),
        ],
    )


if __name__ == "__main__":
    main()

"""Tables from a .bed of 2,000 people x 100,000 SNPs against PLINK, the same as a .pgen, and loc_block's scores: time and memory.

PLINK runs as a whole process that reads the file, counts, tests and writes its result. Starling's side reads the same file and counts, in a
process that is already there; a second row adds the statistic of every SNP. PLINK is found on the PATH (Debian's plink1.9
and plink2); without it its rows are left out.

The .pgen is read by its library in a process of its own, which may die (starling.genome.source.pgen), and beside it by the same library in
this process; both end with the packed calls of every SNP. All data are invented.
"""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np
import numpy.typing as npt
from pgenlib import PgenReader, PgenWriter

from bench.measure import Json, Spread, in_turn, ratios, timed
from bench.process import Run, run
from bench.record import Limit, Recorder
from starling.genome.source.calls import bytes_a_snp, packed
from starling.genome.source.counting import StatusMasks, carrier_tables, genotype_tables, status_masks
from starling.genome.source.pgen import open_pgen, read_pgen
from starling.genome.statistics.association import chi_squared_statistic

Int8 = npt.NDArray[np.int8]
Int64 = npt.NDArray[np.int64]
UInt8 = npt.NDArray[np.uint8]

PEOPLE: Final = 2_000
PIECE: Final = 4_000
"""SNPs read at a time: 2 MB."""
PLINK: Final = {
    "plink1.9 --model dom": ["plink1.9", "--bfile", "study", "--model", "dom", "--out", "one"],
    "plink2 --glm dominant": ["plink2", "--bfile", "study", "--glm", "dominant", "allow-no-covars", "--out", "two"],
}
FASTER: Final = {"plink1.9 --model dom": 10, "plink2 --glm dominant": 50}
"""How many times as fast Starling is to be at least."""
OWN_PROCESS: Final = "calls of a .pgen, by Starling's process of its own"
SAME_PROCESS: Final = "calls of a .pgen, by pgenlib in this process"
SLOWER: Final = 2
"""How many times as long the process of its own may take."""
BLOCKS: Final = """
import sys
from fractions import Fraction
from time import perf_counter
import numpy as np
from starling.genome.counts.pairs import carriers, pair_distances
from starling.genome.distance.rules import of_correlation
from starling.genome.scores.blocks import block_scores
from starling.genome.scores.candidates import candidates
snps, people = int(sys.argv[1]), int(sys.argv[2])
numbers = np.random.default_rng(7)
bits = numbers.integers(0, 2**63, (8, people // 64), dtype=np.uint64)[numbers.integers(0, 8, snps)]
for _ in range(3):
    # One bit in eight of another's: SNPs of a kind go together, more or less.
    bits ^= np.bitwise_and.reduce(numbers.integers(0, 2**63, (3, snps, people // 64), dtype=np.uint64))
rule = of_correlation("r2", Fraction(1, 20), people)
def scores(size):
    among = candidates(size, [(0, size)], [size // 2])
    return block_scores(pair_distances(bits[:size], people, rule, among), carriers(bits[:size]), people, among)
scores(50)
began = perf_counter()
scores(snps)
print(perf_counter() - began)
"""


def invent(folder: Path, snps: int) -> None:
    """A study as PLINK's three files and a .pgen: people in Hardy-Weinberg proportions, the first half cases, nothing missing."""
    numbers = np.random.default_rng(2)
    pgen = PgenWriter(bytes(folder / "study.pgen"), PEOPLE, variant_ct=snps, nonref_flags=False)
    with (folder / "study.bed").open("wb") as bed, pgen:
        bed.write(b"\x6c\x1b\x01")
        for start in range(0, snps, 5_000):
            count = min(5_000, snps - start)
            copies = numbers.binomial(2, numbers.uniform(0.05, 0.5, (count, 1)), (count, PEOPLE))
            codes = np.array([3, 2, 0], dtype=np.uint8)[copies].reshape(count, -1, 4)
            four = codes[..., 0] | codes[..., 1] << 2 | codes[..., 2] << 4 | codes[..., 3] << 6
            bed.write(four.astype(np.uint8).tobytes())
            pgen.append_biallelic_batch(copies.astype(np.int8))
    lines = (f"1\trs{place}\t0\t{place}\tA\tG\n" for place in range(1, snps + 1))
    (folder / "study.bim").write_text("".join(lines))
    people = (f"f{person} p{person} 0 0 1 {2 if person < PEOPLE // 2 else 1}\n" for person in range(PEOPLE))
    (folder / "study.fam").write_text("".join(people))


def read(folder: Path) -> UInt8:
    """The packed calls."""
    return np.fromfile(folder / "study.bed", dtype=np.uint8)[3:].reshape(-1, bytes_a_snp(PEOPLE))


def tables(folder: Path, among: StatusMasks, snps: int) -> Int64:
    """Every dominant table, the file read piece by piece into one buffer."""
    out = np.empty((snps, 4), dtype=np.int64)
    piece = np.empty((PIECE, bytes_a_snp(PEOPLE)), dtype=np.uint8)
    with (folder / "study.bed").open("rb", buffering=0) as bed:
        bed.seek(3)
        for start in range(0, snps, PIECE):
            count = min(PIECE, snps - start)
            bed.readinto(piece[:count].data)
            out[start : start + count] = carrier_tables(piece[:count], among, "dominant", "a1")
    return out


def opened(folder: Path, snps: int) -> None:
    """The .pgen opened, with the process that reads it, and closed."""
    open_pgen(folder / "study.pgen", PEOPLE, np.full(snps, 2))[1].close()


def read_apart(folder: Path, snps: int) -> float:
    """Seconds in which an opened .pgen gives the packed calls of all SNPs from the process that may die."""
    path, every = folder / "study.pgen", np.arange(snps)
    size, calls = open_pgen(path, PEOPLE, np.full(snps, 2))
    try:
        return timed(
            lambda: list(read_pgen(path, size, calls.chunks(every, every, np.ones_like(every)), lambda _: None))
        )
    finally:
        calls.close()


def read_here(folder: Path, snps: int, *, packs: bool) -> float:
    """Seconds in which pgenlib, opened in this process, reads the calls of all SNPs, and `packed` packs them."""
    reader = PgenReader(bytes(folder / "study.pgen"), raw_sample_ct=PEOPLE, variant_ct=snps)
    block: Int8 = np.empty((PIECE, PEOPLE), dtype=np.int8)

    def work() -> None:
        for start in range(0, snps, PIECE):
            count = min(PIECE, snps - start)
            for at in range(count):
                reader.read(start + at, block[at])
            if packs:
                packed(block[:count])

    with reader:
        return timed(work)


def plink(folder: Path, name: str) -> float:
    """Seconds of PLINK's process; two threads where it takes them."""
    return run(PLINK[name], folder=folder).seconds


def blocks(snps: int) -> tuple[float, Run]:
    """Seconds of loc_block's scores over all blocks of one region, kernels warm, and the process that they were computed in."""
    took = run([sys.executable, "-c", BLOCKS, str(snps), str(PEOPLE)])
    return float(took.output), took


def main() -> None:
    """Measure all and write the result."""
    recorder = Recorder("genome_kernels", "Tables from packed genotypes against PLINK, and scores of blocks.")
    chosen = recorder.begin()
    rounds, snps, sizes = (1, 2_000, (60,)) if chosen.quick else (5, 100_000, (2_000, 10_000))
    among = status_masks(np.arange(PEOPLE) < PEOPLE // 2)
    there = [name for name, words in PLINK.items() if shutil.which(words[0])]
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        invent(folder, snps)
        bed = read(folder)
        kept = np.empty_like(bed)
        kernels: dict[str, Callable[[], object]] = {
            "dominant tables, bytes in memory": lambda: carrier_tables(bed, among, "dominant", "a1"),
            "additive tables, bytes in memory": lambda: genotype_tables(bed, among, "a1"),
            "the same bytes copied": lambda: np.copyto(kept, bed),
            "the same bytes added up": lambda: bed.reshape(-1).view(np.uint64).sum(),
        }
        calls: dict[str, Callable[[], float]] = {
            "Starling, file to tables": lambda: timed(lambda: tables(folder, among, snps)),
            "Starling, file to statistics": lambda: timed(lambda: chi_squared_statistic(tables(folder, among, snps))),
            **{name: (lambda name=name: plink(folder, name)) for name in there},  # type: ignore[misc]
            **{name: (lambda work=work: timed(work)) for name, work in kernels.items()},  # type: ignore[misc]
            OWN_PROCESS: lambda: read_apart(folder, snps),
            SAME_PROCESS: lambda: read_here(folder, snps, packs=True),
            f"{SAME_PROCESS}, not packed": lambda: read_here(folder, snps, packs=False),
            "a .pgen opened and closed, with the process": lambda: timed(lambda: opened(folder, snps)),
        }
        in_turn(calls, 1)
        found = in_turn(calls, rounds)
    ours = found["Starling, file to tables"]
    rows: list[Json] = [
        {"run": name, "milliseconds": Spread.of(1e3 * took for took in times).to_json()}
        for name, times in found.items()
    ]
    rows += [{"run": f"{name} over Starling's tables", "times": ratios(found[name], ours).to_json()} for name in there]
    limits = [
        Limit.of(
            f"tables of 2,000 x 100,000 from the file, times as fast as {name}",
            ratios(found[name], ours),
            FASTER[name],
            "times",
            least=True,
        )
        for name in there
    ]
    slower = ratios(found[OWN_PROCESS], found[SAME_PROCESS])
    rows.append({"run": "calls of a .pgen, the process of its own over this process", "times": slower.to_json()})
    what = "packed calls of a .pgen of 2,000 x 100,000 from a process that may die, times as long as pgenlib in this process"
    limits.append(Limit.of(what, slower, SLOWER, "times"))
    most = {2_000: 1.0, 10_000: 30.0}
    for size in sizes:
        runs = [blocks(size) for _ in range(rounds if size < 5_000 else min(rounds, 3))]
        seconds, peak = Spread.of(took for took, _ in runs), Spread.of(process.peak_gb * 1e3 for _, process in runs)
        rows.append({"run": f"scores of all blocks of {size:,} SNPs", "seconds": seconds.to_json()})
        rows.append({"run": f"scores of all blocks of {size:,} SNPs, whole process", "megabytes": peak.to_json()})
        if size in most:
            limits.append(Limit.of(f"scores of all blocks of {size:,} SNPs, 2,000 people", seconds, most[size], "s"))
        if size == 10_000:
            limits.append(Limit(f"scores of all blocks of {size:,} SNPs, memory of the process", peak.most, 400, "MB"))
    recorder.end(
        settings={"people": PEOPLE, "snps": snps, "rounds": rounds, "bed_megabytes": round(bed.nbytes / 1e6, 1)},
        rows=rows,
        limits=limits,
    )


if __name__ == "__main__":
    main()

"""Scans with covariates after one randomised response: false alarms and power by epsilon, beside PLINK on the phenotypes; and speed.

Studies are invented, one a seed: two populations whose allele frequencies differ a little and whose prevalence differs a lot, and a few
causal SNPs among many that do nothing. Each phenotype is flipped with probability 1 / (1 + e^epsilon), and the same flipped ones are
tested with and without two principal components of the study, which Starling computes. PLINK (plink2 --glm, logistic) gets the phenotypes
as they are, and the same components. The share of the sample that is left is the squared slope of the statistics after flipping on those
before it, over all SNPs; the formula says v / (v + 1 / (4 sinh^2(epsilon / 2))), v the variance of the phenotype that the components leave.

Speed is in processor seconds, of a warm process with the reading of the file, and of PLINK's whole process. Large studies are those of
genome_scan_scale.py.
"""

import os
import resource
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from math import exp, sinh
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from scipy.stats import chi2

from bench.measure import Json, Spread, in_turn, ratios
from bench.peers import ROOT
from bench.process import run
from bench.record import Limit, Recorder
from starling.genome.adjusted import ScoreTests, covariate_basis, principal_components
from starling.genome.counts.scan import chunk_bytes
from starling.genome.generate import generate
from starling.genome.plan import Plan
from starling.genome.source import Calls, open_genotypes, read
from starling.genome.source.calls import packed

Float64 = npt.NDArray[np.float64]
UInt8 = npt.NDArray[np.uint8]
R = TypeVar("R")

PEOPLE, SNPS, CAUSAL, SEEDS = 4_000, 2_000, 40, 20
EPSILONS: Final = (1, 2, 4)
COMPONENTS: Final = 2
ODDS_RATIO: Final = 1.3
PREVALENCES: Final = (0.25, 0.5)
DRIFT: Final = 0.06
"""Standard deviation of the difference of the allele frequencies of the two populations."""
MEDIAN: Final = float(chi2.ppf(0.5, 1))
FIELDS: Final = ("lambda", "false_alarms", "found", "share", "formula")
SPEED: Final = (2_000, 100_000)
WIDE: Final = (10_000, 100_000)
TEN: Final = 10


REAL_EPSILONS: Final = (0.5, 1, 1.5, 2)
REAL_CAUSAL: Final = ("rs4111409", "rs2324591")


class Study(NamedTuple):
    """An invented study: packed calls, uint8 (m, n/4), who is a case, float64 (n,); the first CAUSAL SNPs have effects."""

    calls: UInt8
    cases: Float64


def study(seed: int, snps: int) -> Study:
    """One of them."""
    random = np.random.default_rng([20_261_126, seed])
    other = random.random(PEOPLE) < 0.4
    first = random.uniform(0.1, 0.5, (snps, 1))
    second = np.clip(first + random.normal(0, DRIFT, (snps, 1)), 0.02, 0.98)
    copies = random.binomial(2, np.where(other, second, first)).astype(np.int8)
    effects = random.choice([-1, 1], CAUSAL) * np.log(ODDS_RATIO)
    inherited = effects @ (copies[:CAUSAL] - copies[:CAUSAL].mean(axis=1, keepdims=True))
    odds = np.array([share / (1 - share) for share in PREVALENCES])[other.astype(np.int64)] * np.exp(inherited)
    return Study(packed(copies), (random.random(PEOPLE) < odds / (1 + odds)).astype(np.float64))


def reading(calls: UInt8, work: Callable[[Calls], R], indices: npt.NDArray[np.int64] | None = None) -> Iterator[R]:
    """`work` of a study in memory, as `source.read` does it of a file."""
    every = np.arange(len(calls)) if indices is None else indices
    yield work(Calls(every, calls[every], np.zeros(len(every), dtype=np.bool_)))


def statistics(calls: UInt8, response: Float64, basis: Float64) -> Float64:
    """z of every SNP; 0 of one that says nothing."""
    (scores,) = reading(calls, ScoreTests.of("additive", response, basis).score)
    variances = scores.variances
    return np.divide(scores.scores, np.sqrt(variances), out=np.zeros_like(variances), where=variances > 0)


def summary(z: Float64) -> dict[str, float]:
    """What a scan found: lambda and false alarms at 5 % of SNPs without effect, and the share of causal SNPs that are significant."""
    squares = z * z
    return {
        "lambda": float(np.median(squares[CAUSAL:])) / MEDIAN,
        "false_alarms": float(np.mean(squares[CAUSAL:] > chi2.ppf(0.95, 1))),
        "found": float(np.mean(squares[:CAUSAL] > chi2.isf(0.05 / len(z), 1))),
    }


def scans(seed: int, snps: int, folder: Path) -> dict[tuple[str, str], dict[str, float]]:
    """Every scan of one study, by phenotypes and by what it is adjusted for."""
    calls, cases = study(seed, snps)
    random = np.random.default_rng([1, seed])
    components = principal_components(partial(reading, calls), PEOPLE, COMPONENTS)
    bases = {"nothing": covariate_basis(np.empty((PEOPLE, 0))), f"{COMPONENTS} components": covariate_basis(components)}
    exact = {name: statistics(calls, cases, basis) for name, basis in bases.items()}
    scanned = {("as they are", name): summary(z) for name, z in exact.items()}
    for epsilon in EPSILONS:
        chance = 1 / (1 + exp(epsilon))
        flipped = np.where(random.random(PEOPLE) < chance, 1 - cases, cases)
        response = (flipped - chance) / (1 - 2 * chance)
        for name, basis in bases.items():
            z, before = statistics(calls, response, basis), exact[name]
            rest = cases - basis @ (basis.T @ cases)
            variance = float(np.mean(rest * rest))
            left = {
                "share": float(z @ before / (before @ before)) ** 2,
                "formula": variance / (variance + 1 / (4 * sinh(epsilon / 2) ** 2)),
            }
            scanned[f"epsilon {epsilon}", name] = {**summary(z), **left}
    if shutil.which("plink2") is not None:
        write(folder, calls, cases, components)
        for name, words in (("nothing", ["allow-no-covars"]), (f"{COMPONENTS} components", [])):
            scanned["as they are, plink2", name] = summary(by_plink(folder, words))
    return scanned


def real_study() -> tuple[UInt8, Float64, list[int]] | None:
    """Packed calls, cases, and the rows of the two causal SNPs of the study that is at hand; None where it is not."""
    data = Path(os.environ.get("STARLING_DATA") or ROOT.parent / "shared" / "data") / "genome" / "hapsample_chr9_13"
    if not data.exists():
        return None
    names = [line.split()[1] for line in (data / "hapsample.bim").read_text().splitlines()]
    cases = [line.split()[5] == "2" for line in (data / "hapsample.fam").read_text().splitlines()]
    calls = np.fromfile(data / "hapsample.bed", dtype=np.uint8)[3:].reshape(len(names), -1)
    return calls, np.array(cases, dtype=np.float64), [names.index(name) for name in REAL_CAUSAL]


def real_scans(seeds: int) -> list[Json]:
    """How often scans of real genotypes with two components find the causal SNPs, and how much else, by epsilon."""
    there = real_study()
    if there is None:
        return []
    calls, cases, causal = there
    people = len(cases)
    rows: list[Json] = []
    basis = covariate_basis(principal_components(partial(reading, calls), people, COMPONENTS))
    threshold = chi2.isf(0.05 / len(calls), 1)
    exact = statistics(calls, cases, basis)
    for epsilon in (None, *REAL_EPSILONS):
        found: list[tuple[float, float, float]] = []
        for seed in range(1 if epsilon is None else seeds):
            z = exact
            if epsilon is not None:
                chance = 1 / (1 + exp(epsilon))
                flips = np.random.default_rng([int(10 * epsilon), seed]).random(people) < chance
                z = statistics(calls, (np.where(flips, 1 - cases, cases) - chance) / (1 - 2 * chance), basis)
            squares = z * z
            others = np.delete(squares, causal)
            others = others[others > 0]
            found.append((np.mean(squares[causal] > threshold), np.sum(others > threshold), np.median(others) / MEDIAN))
        means = dict(zip(("found", "others", "lambda"), np.mean(found, axis=0).round(4).tolist(), strict=True))
        rows.append({"real": "as they are" if epsilon is None else f"epsilon {epsilon}", **means})
    return rows


def write(folder: Path, calls: UInt8, cases: Float64, components: Float64) -> None:
    """A study as PLINK's files."""
    (folder / "study.bed").write_bytes(b"\x6c\x1b\x01" + calls.tobytes())
    (folder / "study.bim").write_text("".join(f"1\ts{row}\t0\t{row}\tA\tG\n" for row in range(1, len(calls) + 1)))
    fam = (f"p{row} p{row} 0 0 1 {2 if case else 1}\n" for row, case in enumerate(cases))
    (folder / "study.fam").write_text("".join(fam))
    rows = (f"p{row} p{row} {' '.join(map(str, values))}\n" for row, values in enumerate(components.tolist()))
    (folder / "covariates.txt").write_text("#FID IID a b\n" + "".join(rows))


def by_plink(folder: Path, words: list[str]) -> Float64:
    """Wald statistics of plink2."""
    covariates = [] if words else ["--covar", "covariates.txt", "--covar-variance-standardize"]
    run(["plink2", "--bfile", "study", "--glm", "hide-covar", *words, *covariates, "--out", "plink"], folder=folder)
    head, *lines = (folder / "plink.PHENO1.glm.logistic.hybrid").read_text().splitlines()
    column = head.split().index("Z_STAT")
    return np.array([float(line.split()[column]) for line in lines])


def spent() -> float:
    """Processor seconds of this process, and of those that it started and that ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def cost(work: Callable[[], object]) -> float:
    """Processor seconds of some work."""
    began = spent()
    work()
    return spent() - began


def speeds(folder: Path, *, quick: bool, rounds: int) -> dict[str, list[float]]:
    """Processor seconds of scans with ten covariates and of ten components, warm."""
    people, snps = (200, 500) if quick else SPEED
    wide_people, wide_snps = (300, 500) if quick else WIDE
    generate(people=people, snps=snps, seed=1, out=folder / "scan")
    generate(people=wide_people, snps=wide_snps, seed=1, out=folder / "wide")
    values = np.random.default_rng(3).normal(size=(people, TEN))
    names = "#FID IID " + " ".join(f"c{at}" for at in range(TEN)) + "\n"
    rows = (f"p{row} p{row} {' '.join(map(str, each))}\n" for row, each in enumerate(values.tolist(), 1))
    (folder / "scan" / "covariates.txt").write_text(names + "".join(rows))
    numbers = (f"p{row} p{row} {each}\n" for row, each in enumerate(values[:, 0].tolist(), 1))
    (folder / "scan" / "numbers.txt").write_text("#FID IID number\n" + "".join(numbers))
    glm = [
        "plink2",
        "--bfile",
        "study",
        "--covar",
        "covariates.txt",
        "--glm",
        "hide-covar",
        "--threads",
        "2",
        "--out",
        "one",
    ]

    def scan() -> None:
        plan = Plan.load(folder / "scan" / "plan.toml")
        genotypes = open_genotypes(folder / "scan" / "study", plan)
        response = np.random.default_rng(4).choice([-0.6, 1.6], people)
        tests = ScoreTests.of("additive", response, covariate_basis(values))
        for _ in read(genotypes, plan, tests.score, chunk=chunk_bytes()):
            pass

    def components() -> None:
        plan = Plan.load(folder / "wide" / "plan.toml")
        principal_components(partial(read, open_genotypes(folder / "wide" / "study", plan), plan), wide_people, TEN)

    works: dict[str, Callable[[], object]] = {"scan": scan}
    if shutil.which("plink2") is not None:
        works["plink2 --glm, cases"] = lambda: run(glm, folder=folder / "scan")
        words = [*glm, "--pheno", "numbers.txt"]
        works["plink2 --glm, numbers"] = lambda: run(words, folder=folder / "scan")
    scan()
    times = in_turn({name: partial(cost, work) for name, work in works.items()}, rounds)
    return {**times, "components": [cost(components)]}


def main() -> None:
    """Measure all and write the result."""
    recorder = Recorder("genome_scan", "Scans of a randomised response: false alarms, power and speed.")
    chosen = recorder.begin()
    seeds, snps, rounds = (1, 200, 1) if chosen.quick else (SEEDS, SNPS, 2)
    with TemporaryDirectory() as scratch:
        everything = [scans(seed, snps, Path(scratch)) for seed in range(seeds)]
        times = speeds(Path(scratch), quick=chosen.quick, rounds=rounds)
    rows: list[Json] = []
    for phenotypes, adjusted in everything[0]:
        each = [scanned[phenotypes, adjusted] for scanned in everything]
        means: dict[str, Json] = {
            key: float(f"{np.mean([one[key] for one in each]):.4g}") for key in FIELDS if key in each[0]
        }
        rows.append({"phenotypes": phenotypes, "adjusted_for": adjusted, **means})
    rows += real_scans(seeds)
    rows += [{"run": name, "cpu_seconds": Spread.of(took).to_json()} for name, took in times.items()]
    adjusted = f"{COMPONENTS} components"
    lambdas = [np.mean([scanned[f"epsilon {each}", adjusted]["lambda"] for scanned in everything]) for each in EPSILONS]
    off = max(
        abs(
            np.mean([one[key, adjusted]["share"] for one in everything])
            / np.mean([one[key, adjusted]["formula"] for one in everything])
            - 1
        )
        for key in (f"epsilon {each}" for each in EPSILONS)
    )
    limits = [
        Limit(
            "largest lambda of scans with components, mean of the seeds", round(float(max(lambdas)), 4), 1.05, "times"
        ),
        Limit(
            "least lambda of scans with components, mean of the seeds",
            round(float(min(lambdas)), 4),
            0.95,
            "times",
            least=True,
        ),
        Limit("share of the sample that is left, off the formula", round(100 * float(off), 2), 5, "%"),
        Limit.of("ten components of 10,000 x 100,000, processor seconds", Spread.of(times["components"]), 60, "s"),
    ]
    limits += [
        Limit.of(
            f"scan of 2,000 x 100,000 with ten covariates, times as fast as {name}",
            ratios(times[name], times["scan"]),
            1,
            "times",
            least=True,
        )
        for name in times
        if name.startswith("plink2")
    ]
    recorder.end(
        settings={
            "people": PEOPLE,
            "snps": snps,
            "causal": CAUSAL,
            "odds_ratio": ODDS_RATIO,
            "prevalences": list(PREVALENCES),
            "drift": DRIFT,
            "seeds": seeds,
            "rounds": rounds,
        },
        rows=rows,
        limits=limits,
    )


if __name__ == "__main__":
    main()

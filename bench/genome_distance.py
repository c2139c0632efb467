"""Exact distances to significance, and of pairs to a correlation: tables a second on one core, by test or measure and number of patients.

Tables are invented from a public seed: SNPs that have nothing to do with the disease, pairs that have nothing to do with each other. The
score test with covariates reads no tables: packed calls are unpacked, covariates are projected out, and steps are counted.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt

from bench.measure import Json, Spread, in_turn, timed
from bench.record import Limit, Recorder
from starling.genome.adjusted import covariate_basis
from starling.genome.adjusted.columns import residual_columns
from starling.genome.distance.adjusted import adjusted_distance, score_threshold, whole_columns
from starling.genome.distance.significance import distance_to_correlation, distance_to_significance
from starling.genome.source.calls import Calls, packed
from starling.genome.statistics.association import Correlation, Test

Int64 = npt.NDArray[np.int64]

SNPS: Final = 200_000
P: Final = 0.05 / 1e5
STUDIES: Final = {1_138: 567, 500_000: 250_000}
"""Patients, and cases among them: the smaller one as in the paper's Section 7.1."""
TESTS: Final[tuple[Test, ...]] = ("g", "chi2", "fisher")
DELTAS: Final[dict[Correlation, str]] = {"r2": "0.05", "dprime": "0.8"}
LEAST: Final = {1_138: 1.5, 500_000: 0.7}
"""Million SNPs a second of G and of Fisher."""
ADJUSTED: Final = 1_000
"""Patients of the score test."""
COVARIATES: Final = 11
"""Beside the intercept: ten components and an age, say."""
ADJUSTED_PART: Final = 10
"""It is measured on one SNP in so many: each takes longer."""
LEAST_ADJUSTED: Final = 0.015
"""Million SNPs a second of the score test: 30,000 on two cores."""
LIMITED: Final = {"g": "G", "fisher": "Fisher"}


@dataclass(frozen=True, slots=True)
class Case:
    """One test or correlation on one study: the distances of so many SNPs or pairs."""

    name: str
    patients: int
    size: int
    distances: Callable[[], Int64]

    def rate(self) -> float:
        """Million distances a second."""
        return self.size / timed(self.distances) / 1e6


def distances_by_name() -> dict[str, Callable[[Int64], Int64]]:
    """What is measured."""
    tests: dict[str, Callable[[Int64], Int64]] = {
        test: partial(distance_to_significance, test=test, p_threshold=P) for test in TESTS
    }
    pairs: dict[str, Callable[[Int64], Int64]] = {
        measure: partial(distance_to_correlation, measure=measure, delta_c=delta) for measure, delta in DELTAS.items()
    }
    return {**tests, **pairs}


def study(patients: int, cases: int, snps: int) -> Int64:
    """Dominant tables of SNPs that have nothing to do with the disease, minor allele frequencies from .05 to .5."""
    numbers = np.random.default_rng(20131)
    frequency = numbers.uniform(0.05, 0.5, snps)
    carrying = 1 - (1 - frequency) ** 2
    among_cases, among_controls = numbers.binomial(cases, carrying), numbers.binomial(patients - cases, carrying)
    controls = patients - cases
    return np.column_stack((among_cases, cases - among_cases, among_controls, controls - among_controls))


def adjusted(snps: int) -> Case:
    """The score test of SNPs that have nothing to do with the disease, nor with the covariates."""
    numbers = np.random.default_rng(20131)
    copies = numbers.binomial(2, numbers.uniform(0.05, 0.5, (snps, 1)), (snps, ADJUSTED)).astype(np.int8)
    calls = Calls(np.arange(snps), packed(copies), np.zeros(snps, dtype=np.bool_))
    basis, cases = covariate_basis(numbers.normal(size=(ADJUSTED, COVARIATES))), numbers.random(ADJUSTED) < 0.5
    threshold = score_threshold(Fraction(repr(P)))

    def run() -> Int64:
        columns = (whole_columns(tile.values) for tile in residual_columns(calls, "additive", basis))
        return np.concatenate([adjusted_distance(each, cases, threshold, 1) for each in columns])

    return Case("score", ADJUSTED, snps, run)


def main() -> None:
    """Measure all and write the result."""
    recorder = Recorder("genome_distance", "Distances to significance, SNPs a second on one core.")
    chosen = recorder.begin()
    rounds, snps = (1, 100) if chosen.quick else (7, SNPS)
    cases = []
    for patients, among in STUDIES.items():
        tables = study(patients, among, snps)
        for name, distances in distances_by_name().items():
            cases.append(Case(name, patients, snps, partial(distances, tables)))
    cases.append(adjusted(snps // ADJUSTED_PART))
    for case in cases:
        case.rate()
    found = in_turn({(case.name, case.patients): case.rate for case in cases}, rounds)
    rows: list[Json] = [
        {
            "test": name,
            "patients": patients,
            "million_snps_per_second": Spread.of(rates).to_json(),
        }
        for (name, patients), rates in found.items()
    ]
    recorder.end(
        settings={
            "snps": snps,
            "adjusted_snps": snps // ADJUSTED_PART,
            "covariates": COVARIATES,
            "p_threshold": P,
            "delta_c": dict(DELTAS.items()),
            "rounds": rounds,
            "threads": 1,
        },
        rows=rows,
        limits=[
            Limit.of(
                f"distances of {name} on one core, {patients:,} patients",
                Spread.of(found[what, patients]),
                least,
                "million SNPs/s",
                least=True,
            )
            for what, name in LIMITED.items()
            for patients, least in LEAST.items()
        ]
        + [
            Limit.of(
                f"distances with {COVARIATES} covariates on one core, {ADJUSTED:,} patients",
                Spread.of(found["score", ADJUSTED]),
                LEAST_ADJUSTED,
                "million SNPs/s",
                least=True,
            )
        ],
    )


if __name__ == "__main__":
    main()

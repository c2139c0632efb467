"""Exact distances to significance: SNPs a second on one core, by test and number of patients. Tables are invented from a public seed."""

from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Final

import numpy as np
import numpy.typing as npt

from bench.measure import Json, Spread, in_turn
from bench.record import Limit, Recorder
from starling.genome.distance import distance_to_significance
from starling.genome.statistics import Test

Int64 = npt.NDArray[np.int64]

SNPS: Final = 200_000
P: Final = 0.05 / 1e5
STUDIES: Final = {1_138: 567, 500_000: 250_000}
"""Patients, and cases among them: the smaller one as in the paper's Section 7.1."""
TESTS: Final[tuple[Test, ...]] = ("g", "chi2", "fisher")
LEAST: Final = {1_138: 1.5, 500_000: 0.7}
"""Million SNPs a second of G."""


@dataclass(frozen=True, slots=True)
class Case:
    """One test on one study."""

    test: Test
    patients: int
    tables: Int64

    def rate(self) -> float:
        """Million SNPs a second."""
        began = perf_counter()
        distance_to_significance(self.tables, self.test, P)
        return len(self.tables) / (perf_counter() - began) / 1e6


def study(patients: int, cases: int, snps: int) -> Int64:
    """Dominant tables of SNPs that have nothing to do with the disease, minor allele frequencies from .05 to .5."""
    numbers = np.random.default_rng(20131)
    frequency = numbers.uniform(0.05, 0.5, snps)
    carrying = 1 - (1 - frequency) ** 2
    among_cases, among_controls = numbers.binomial(cases, carrying), numbers.binomial(patients - cases, carrying)
    controls = patients - cases
    return np.column_stack((among_cases, cases - among_cases, among_controls, controls - among_controls))


def main() -> None:
    """Measure all and write the result."""
    recorder = Recorder("genome_distance", "Distances to significance, SNPs a second on one core.")
    chosen = recorder.begin()
    rounds, snps = (1, 100) if chosen.quick else (7, SNPS)
    cases = []
    for patients, among in STUDIES.items():
        tables = study(patients, among, snps)
        for test in TESTS:
            # Fisher's tails take many terms each.
            few = tables if test != "fisher" else tables[: max(1, snps // (10 if patients < 10_000 else 200))]
            cases.append(Case(test, patients, few))
            distance_to_significance(few[:1], test, P)
    found = in_turn({(case.test, case.patients): partial(case.rate) for case in cases}, rounds)
    rows: list[Json] = [
        {
            "test": test,
            "patients": patients,
            "million_snps_per_second": Spread.of(rates).to_json(),
        }
        for (test, patients), rates in found.items()
    ]
    recorder.end(
        settings={"snps": snps, "p_threshold": P, "rounds": rounds, "threads": 1},
        rows=rows,
        limits=[
            Limit.of(
                f"distances of G on one core, {patients:,} patients",
                Spread.of(found["g", patients]),
                least,
                "million SNPs/s",
                least=True,
            )
            for patients, least in LEAST.items()
        ],
    )


if __name__ == "__main__":
    main()

"""Exact distances to significance, and of pairs to a correlation: tables a second on one core, by test or measure and number of patients.

Tables are invented from a public seed: SNPs that have nothing to do with the disease, pairs that have nothing to do with each other.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt

from bench.measure import Json, Spread, in_turn, timed
from bench.record import Limit, Recorder
from starling.genome.distance.significance import distance_to_correlation, distance_to_significance
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
LIMITED: Final = {"g": "G", "fisher": "Fisher"}


@dataclass(frozen=True, slots=True)
class Case:
    """One test or correlation on one study."""

    name: str
    patients: int
    tables: Int64
    distances: Callable[[Int64], Int64]

    def rate(self) -> float:
        """Million tables a second."""
        return len(self.tables) / timed(lambda: self.distances(self.tables)) / 1e6


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


def main() -> None:
    """Measure all and write the result."""
    recorder = Recorder("genome_distance", "Distances to significance, SNPs a second on one core.")
    chosen = recorder.begin()
    rounds, snps = (1, 100) if chosen.quick else (7, SNPS)
    cases = []
    for patients, among in STUDIES.items():
        tables = study(patients, among, snps)
        for name, distances in distances_by_name().items():
            case = Case(name, patients, tables, distances)
            case.rate()
            cases.append(case)
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
        ],
    )


if __name__ == "__main__":
    main()

"""People whose stated sex is not that of their X chromosome: for the custodian, because samples that were swapped have another's phenotype.

A man has one X, so that outside the pseudo-autosomal regions none of his calls is heterozygous. As PLINK's --check-sex, of each person:

    F = 1 - (heterozygous calls) / (those expected by the frequencies of the alleles)

over SNPs that the person has a call of: about 1 for a man, about 0 for a woman. From MAN on it is a man's, up to WOMAN a woman's; what
lies between is not told, and neither is anything of people with too few calls.
"""

from collections.abc import Sequence
from threading import Lock
from typing import Final

import numpy as np

from starling.genome.arrays import Float64, Int8, Int64
from starling.genome.plan import Plan
from starling.genome.plan.choices import Build
from starling.genome.source.calls import MISSING
from starling.genome.source.people import People

MAN: Final = 0.8
WOMAN: Final = 0.2
"""As PLINK draws the lines."""
LEAST_EXPECTED: Final = 20.0
"""Heterozygous calls of a woman; with fewer expected, a man and a woman look alike too often."""
_PSEUDO_AUTOSOMAL: Final[dict[Build | None, tuple[int, int]]] = {
    "NCBI36": (2_709_520, 154_584_238),
    "GRCh37": (2_699_520, 154_931_044),
    "GRCh38": (2_781_479, 155_701_383),
    "T2T-CHM13v2.0": (2_394_410, 153_925_835),
    None: (2_781_479, 153_925_835),
}
"""The last base pair of the first region and the first of the second; of no stated build those that hold for all."""
_SEXES: Final = {b"1": "man", b"M": "man", b"MALE": "man", b"2": "woman", b"F": "woman", b"FEMALE": "woman"}


def sex_linked(plan: Plan) -> Int64:
    """The SNPs of which a man has one copy: places in the list, int64."""
    start, stop = plan.snps.chromosome_ranges.get("X", (0, 0))
    low, high = _PSEUDO_AUTOSOMAL[plan.build]
    positions = plan.snps.positions[start:stop]
    rows: Int64 = start + np.flatnonzero((positions > low) & (positions < high))
    return rows


def states_sexes(people: People) -> bool:
    """Whether there is a .fam, .psam or .sample that has a column of sexes."""
    return people.file is not None and b"SEX" in people.file.columns


def stated_sexes(people: People) -> list[str]:
    """The sex of each person in a .fam, .psam or .sample: "man", "woman", or nothing where it says none."""
    file = people.file
    if file is None or not states_sexes(people):
        return []
    at = file.columns.index(b"SEX")
    return [_SEXES.get(fields[at].upper() if at < len(fields) else b"", "") for fields in file.lines()]


class XCalls:
    """What several threads add up of the calls of sex-linked SNPs, of n people."""

    def __init__(self, people: int) -> None:
        self._lock = Lock()
        self._expected = np.zeros(people)
        self._heterozygous = np.zeros(people, dtype=np.int64)

    def add(self, copies: Int8) -> None:
        """Some SNPs: copies of one allele, int8 (c, n), MISSING where there is no call."""
        called = copies != MISSING
        frequencies = np.where(called, copies, 0).sum(axis=1) / np.maximum(2 * called.sum(axis=1), 1)
        expected, heterozygous = (2 * frequencies * (1 - frequencies)) @ called, (copies == 1).sum(axis=0)
        with self._lock:
            self._expected += expected
            self._heterozygous += heterozygous

    def inbreeding(self) -> Float64:
        """F of each person, float64 (n,); NaN where too few heterozygous calls are expected."""
        enough = self._expected >= LEAST_EXPECTED
        f: Float64 = np.where(enough, 1 - self._heterozygous / np.where(enough, self._expected, 1.0), np.nan)
        return f


def contradicted(stated: Sequence[str], f: Float64) -> list[int]:
    """The people whose stated sex is not that of their X, by their places.

    >>> contradicted(["man", "man", "woman", "woman", ""], np.array([0.99, 0.01, 0.01, 0.99, 0.99]))
    [1, 3]
    """
    wrong = {"man": f <= WOMAN, "woman": f >= MAN}
    return [row for row, sex in enumerate(stated) if sex and wrong[sex][row]]

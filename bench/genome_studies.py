"""Case-control studies of the shape of the paper's Section 7, made from a public seed: tables without people.

The paper takes two significant SNPs from the study of Duerr et al. (567 cases, 571 controls), whose tables are not at hand. The two
here are made: tables of the same margins. The other SNPs have nothing to do with the disease, as in the paper: a frequency, and
then carriers among cases and among controls, drawn independently by it.
"""

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

Float64: TypeAlias = npt.NDArray[np.float64]
Int64: TypeAlias = npt.NDArray[np.int64]

CASES: Final = 567
CONTROLS: Final = 571
PEOPLE: Final = CASES + CONTROLS
CARRIERS: Final = ((21, 77), (25, 81))
"""Of the two significant SNPs: people who carry the allele among cases, and among controls."""


@dataclass(frozen=True, slots=True)
class Kinds:
    """SNPs by their table.

    Attributes:
        tables: Different tables (a, b, c, d), int64 (kinds, 4).
        counts: How many SNPs have each, int64 (kinds,).
    """

    tables: Int64
    counts: Int64


def observed() -> Int64:
    """The two significant SNPs of the study of 1,138 patients, int64 (2, 4)."""
    return np.array([[a, CASES - a, c, CONTROLS - c] for a, c in CARRIERS])


def sampled(cases: int, controls: int, random: np.random.Generator) -> Int64:
    """The same two SNPs in a study of another size: carriers drawn by the observed shares, int64 (2, 4)."""
    shares = observed()[:, [0, 2]] / (CASES, CONTROLS)
    return _tables(random.binomial(cases, shares[:, 0]), random.binomial(controls, shares[:, 1]), cases, controls)


def carrying(snps: int, least: float, random: np.random.Generator) -> Float64:
    """Shares of carriers of SNPs whose minor alleles have frequencies drawn evenly from `least` to 1/2 (Hardy-Weinberg)."""
    frequency = random.uniform(least, 0.5, snps)
    return np.asarray(1 - (1 - frequency) ** 2)


def unrelated(shares: Float64, cases: int, controls: int, random: np.random.Generator) -> Kinds:
    """SNPs without effect: carriers drawn by the same share among cases and among controls."""
    among_cases, among_controls = random.binomial(cases, shares), random.binomial(controls, shares)
    keys, counts = np.unique(among_cases * (controls + 1) + among_controls, return_counts=True)
    return Kinds(_tables(keys // (controls + 1), keys % (controls + 1), cases, controls), counts)


def _tables(a: Int64, c: Int64, cases: int, controls: int) -> Int64:
    return np.stack([a, cases - a, c, controls - c], axis=1)

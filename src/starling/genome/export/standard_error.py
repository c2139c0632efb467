"""The standard error of ln of an odds ratio from noisy counts, for formats that ask for one: sample and noise together, to first order.

Woolf's variance of the sample is the sum of 1/count over the four cells of the table (as PLINK's --assoc has it, alleles taken as
independent). The noise adds its variance through the gradient of ln OR. Laplace noise is independent in its cells; lattice noise is
exchangeable and adds up to 0, so that the covariance of two of its m cells is -1/(m - 1) times the variance of one. Where a cell of the
table is below FEWEST deviations of its noise the sum means nothing and is not given.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import exp, sqrt
from typing import Final, Literal

from starling.genome.inference.effects import OF_ALLELES, two_by_two
from starling.genome.inference.intervals import Noise
from starling.genome.plan import Model
from starling.privacy.sampling.lattice import cell_variance

FEWEST: Final = 4
"""Standard deviations of the noise that each cell of the 2x2 table holds at least, for a standard error to be given."""
_ALLELE: Final = 5
"""Variance of an allele count in that of a cell, but for covariances: one cell once, another twice."""


def standard_error(noisy: Sequence[int], people: int, model: Model, noise: Noise, epsilon: Fraction) -> float | None:
    """Of ln of the odds ratio: sample and noise together; None where a cell is too small for it to mean anything.

    >>> round(standard_error((300, 700, 200, 800), 2000, "dominant", "lattice", Fraction(1)), 4)
    0.1059
    """
    a, b, c, d = two_by_two(noisy, people, model)
    cells: Literal[2, 3] = 3 if model in OF_ALLELES else 2
    variance = cell_variance(epsilon, cells) if noise == "lattice" else _laplace_variance(epsilon)
    if min(a, b, c, d) < FEWEST * sqrt(variance * (_ALLELE if model in OF_ALLELES else 1)):
        return None
    gradient = [1 / a, -1 / b, -1 / c, 1 / d]
    if model in OF_ALLELES:
        gradient = [-2 / b, 1 / a - 1 / b, 2 / a, 2 / d, 1 / d - 1 / c, -2 / c]
    size = len(gradient)
    squares, total = sum(each * each for each in gradient), sum(gradient)
    added = variance * squares
    if noise == "lattice":
        added = variance * (squares - total * total / size) * size / (size - 1)
    return sqrt(1 / a + 1 / b + 1 / c + 1 / d + added)


def _laplace_variance(epsilon: Fraction) -> float:
    """Of discrete Laplace noise of scale 2/epsilon."""
    q = exp(-float(epsilon) / 2)
    return 2 * q / (1 - q) ** 2

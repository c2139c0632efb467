"""The noise of a whole table: how many vectors have a size, and the size that is exceeded with at most a given probability.

Nothing here draws. Both distributions weigh a vector of integers by q^size, so with N(r) vectors of size r,
P(size > R) = 1 - sum over r <= R of N(r) q^r / Z.

- Lattice noise on a table of d cells (lattice.py): size = moved records, N(r) = `lattice_count`, q = e^(-epsilon),
  Z = sum over k of C(d - 1, k)^2 q^k/(1 - q)^(d - 1), the growth series of the root lattice A (Conway and Sloane 1997).
- Discrete Laplace noise of scale b on d cells: size = sum of the absolute values, N(r) = sum over j of C(d, j) C(r - 1, j - 1) 2^j for
  r >= 1 (j cells that are not 0), N(0) = 1, q = e^(-1/b), Z = ((1 + q)/(1 - q))^d.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import comb
from typing import Literal

from flint import arb

from starling.errors import ParameterError
from starling.privacy.budget import Exact, chance, positive
from starling.privacy.distributions.accuracy import smallest
from starling.privacy.distributions.tails import ball
from starling.privacy.least import LEAST_LATTICE_RATE
from starling.privacy.precision import precision

_BITS = 192


def lattice_count(radius: int, cells: int) -> int:
    """Integer vectors of `cells` entries with sum 0 whose positive parts sum to `radius`.

    >>> [lattice_count(radius, 4) for radius in range(4)]
    [1, 12, 42, 92]
    """
    return sum(weight for _, _, weight in sign_counts(radius, cells)) if radius else 1


def sign_counts(radius: int, cells: int) -> list[tuple[int, int, int]]:
    """(p, s, vectors of norm `radius` with p positive and s negative cells), the radius above 0."""
    return [
        (p, s, comb(cells, p) * comb(cells - p, s) * comb(radius - 1, p - 1) * comb(radius - 1, s - 1))
        for p in range(1, cells)
        for s in range(1, cells - p + 1)
    ]


def lattice_tail_quantile(epsilon: Exact, alpha: Exact, columns: Literal[2, 3] = 2) -> int:
    """The smallest R with P(more than R records are moved) <= alpha, for lattice noise on a 2 x `columns` table.

    Args:
        epsilon: The cost of the noise, exact, at least 1/4096.
        alpha: Chance of missing, exact, in (0, 1).
        columns: The columns of the table, 2 or 3.

    >>> lattice_tail_quantile(1, "0.05"), lattice_tail_quantile("0.2", "0.05")
    (6, 31)
    """
    return _tail_quantile(_epsilon(epsilon), chance(alpha, field="alpha"), "lattice", 2 * columns)


def laplace_tail_quantile(epsilon: Exact, alpha: Exact, columns: Literal[2, 3] = 2) -> int:
    """The smallest R with P(|X_1| + ... + |X_d| > R) <= alpha, for discrete Laplace noise of scale 2/epsilon on d = 2 `columns` cells.

    That noise costs epsilon, relation "replace one record": a replaced record moves two cells by one.

    >>> laplace_tail_quantile(1, "0.05"), laplace_tail_quantile("0.2", "0.05")
    (15, 77)
    """
    return _tail_quantile(_epsilon(epsilon) / 2, chance(alpha, field="alpha"), "laplace", 2 * columns)


def flips_tail_quantile(epsilon: Exact, alpha: Exact, columns: int) -> int:
    """The smallest R with P(|X_1| + ... + |X_d| > R) <= alpha, for discrete Laplace noise of scale 1/epsilon on d = `columns` counts.

    That noise costs epsilon, relation "replace one phenotype": the numbers of cases of d columns, of which one changes by one.

    >>> flips_tail_quantile(1, "0.05", 2), flips_tail_quantile("0.2", "0.05", 3)
    (5, 31)
    """
    return _tail_quantile(_epsilon(epsilon), chance(alpha, field="alpha"), "laplace", columns)


def _total(kind: str, cells: int, q: arb) -> arb:
    if kind == "lattice":
        return sum((comb(cells - 1, k) ** 2 * q**k for k in range(cells)), arb(0)) / (1 - q) ** (cells - 1)
    return ((1 + q) / (1 - q)) ** cells


def _vectors(kind: str, cells: int, size: int) -> int:
    """N(size), the size above 0."""
    if kind == "lattice":
        return lattice_count(size, cells)
    return sum(comb(cells, j) * comb(size - 1, j - 1) * 2**j for j in range(1, cells + 1))


@lru_cache(maxsize=64)
def _tail_quantile(rate: Fraction, alpha: Fraction, kind: str, cells: int) -> int:
    with precision(_BITS):
        q, most = ball(-rate).exp(), ball(alpha)
        total = _total(kind, cells, q)
        # Where a ball cannot tell, one step more is on the safe side.
        return smallest(lambda size: bool(_beyond(kind, cells, size, q) / total <= most), 0)


def _beyond(kind: str, cells: int, size: int, q: arb) -> arb:
    """The sum of N(r) q^r over all r above `size`; N is a polynomial of degree below `cells` in r >= 1."""
    return q ** (size + 1) * series(lambda r: _vectors(kind, cells, size + r), cells - 1, q)


def series(polynomial: Callable[[int], int], degree: int, q: arb) -> arb:
    """Sum over j >= 0 of polynomial(1 + j) q^j: with the forward differences D_i at 1, sum of D_i q^i / (1 - q)^(i + 1)."""
    steps = differences([polynomial(1 + j) for j in range(degree + 1)])
    return sum((q**i / (1 - q) ** (i + 1) * step for i, step in enumerate(steps)), arb(0))


def differences(values: list[int]) -> list[int]:
    """The first of the values, of their differences, of the differences of those, and so on."""
    first = []
    while values:
        first.append(values[0])
        values = [after - before for before, after in pairwise(values)]
    return first


def _epsilon(value: Exact) -> Fraction:
    epsilon = positive(value, field="epsilon")
    if epsilon < LEAST_LATTICE_RATE:
        raise ParameterError("epsilon", "is below 1/4096", "give this table more")
    return epsilon

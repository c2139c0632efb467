"""How far a table's noise reaches: against sums over all vectors, and against the samplers."""

from fractions import Fraction
from itertools import product
from math import exp

import numpy as np
import pytest

from starling.errors import ParameterError
from starling.privacy.distributions.table_noise import (
    laplace_tail_quantile,
    lattice_count,
    lattice_tail_quantile,
    sign_counts,
)
from starling.privacy.sampling.lattice import lattice_noise
from starling.privacy.sampling.noise import discrete_laplace


@pytest.mark.parametrize("alpha", ["0.5", "0.05", "0.001"])
def test_lattice_reach_is_the_smallest(alpha: str) -> None:
    """By enumeration: vectors of four integers that sum to 0, by their positive parts."""
    q, most = exp(-3), 14
    sizes: dict[int, int] = {}
    for head in product(range(-most, most + 1), repeat=3):
        vector = (*head, -sum(head))
        size = sum(value for value in vector if value > 0)
        sizes[size] = sizes.get(size, 0) + 1
    total = sum(number * q**size for size, number in sizes.items() if size <= most)
    found = lattice_tail_quantile(3, alpha)
    beyond = [
        sum(number * q**size for size, number in sizes.items() if reach < size <= most) / total
        for reach in (found - 1, found)
    ]
    assert beyond[1] <= float(Fraction(alpha))
    assert found == 0 or beyond[0] > float(Fraction(alpha))


@pytest.mark.parametrize("alpha", ["0.5", "0.05", "0.001"])
def test_laplace_reach_is_the_smallest(alpha: str) -> None:
    q = exp(-1)
    one = np.array([(1 - q) / (1 + q) * q**size * (2 if size else 1) for size in range(400)])
    four = np.convolve(np.convolve(one, one), np.convolve(one, one))
    found = laplace_tail_quantile(2, alpha)
    assert four[found + 1 :].sum() <= float(Fraction(alpha))
    assert found == 0 or four[found:].sum() > float(Fraction(alpha))


def test_reach_of_six_cells() -> None:
    """The lattice by its shells, which test_lattice enumerates; Laplace noise by convolution."""
    q = exp(-1)
    shells = np.array([lattice_count(size, 6) * q**size for size in range(200)])
    found = lattice_tail_quantile(1, "0.05", 3)
    assert shells[found + 1 :].sum() <= 0.05 * shells.sum() < shells[found:].sum()
    one = np.array([(1 - q) / (1 + q) * q**size * (2 if size else 1) for size in range(200)])
    six = one
    for _ in range(5):
        six = np.convolve(six, one)
    found = laplace_tail_quantile(2, "0.05", 3)
    assert six[found + 1 :].sum() <= 0.05 < six[found:].sum()


@pytest.mark.statistical
@pytest.mark.parametrize("epsilon", ["1", "0.2"])
def test_noise_stays_within_its_reach_as_often_as_it_should(epsilon: str) -> None:
    """20,000 draws a distribution: the share beyond lies within 6 standard deviations of alpha or below; false alarm below 1e-8."""
    draws = 20_000
    lattice = np.maximum(lattice_noise(epsilon, draws // 4), 0).sum(axis=(1, 2))
    laplace = np.abs(discrete_laplace(2 / Fraction(epsilon), (draws, 4))).sum(axis=1)
    for sizes, reach in (
        (lattice, lattice_tail_quantile(epsilon, "0.05")),
        (laplace, laplace_tail_quantile(epsilon, "0.05")),
    ):
        beyond = float((sizes > reach).mean())
        assert 0.02 < beyond < 0.05 + 6 * (0.05 * 0.95 / sizes.size) ** 0.5


@pytest.mark.parametrize("reach", [lattice_tail_quantile, laplace_tail_quantile])
def test_bad_parameters_are_refused(reach: object) -> None:
    for epsilon, alpha in (("1/5000", "0.05"), (0, "0.05"), (1, "0"), (1, "1")):
        with pytest.raises(ParameterError):
            reach(epsilon, alpha)  # type: ignore[operator]


@pytest.mark.parametrize(("cells", "most"), [(4, 6), (6, 3)])
def test_vectors_of_one_norm_are_counted_by_their_signs(cells: int, most: int) -> None:
    """All integer vectors of sum 0 and norm up to `most`, by their numbers of positive and negative cells."""
    found: dict[tuple[int, int, int], int] = {}
    for head in product(range(-most, most + 1), repeat=cells - 1):
        vector = (*head, -sum(head))
        norm = sum(value for value in vector if value > 0)
        key = (norm, sum(value > 0 for value in vector), sum(value < 0 for value in vector))
        found[key] = found.get(key, 0) + 1
    for norm in range(1, most + 1):
        wanted = {(p, s): number for (size, p, s), number in found.items() if size == norm}
        assert {(p, s): number for p, s, number in sign_counts(norm, cells) if number} == wanted
        assert lattice_count(norm, cells) == sum(wanted.values())
    assert lattice_count(0, cells) == 1

"""Releases of a released grid: their noise is that of the release, and the same whenever it is drawn."""

from fractions import Fraction

import numpy as np
import pytest

from starling.errors import ParameterError
from starling.places.measurements import MeasuredCoefficients
from starling.places.mechanism.adaptive import Adaptive
from starling.places.mechanism.privlet import Privlet
from starling.places.mechanism.singular import of_cells
from starling.places.typical.errors import RERUNS, exact_values, reruns, seed_of, truth_of
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace
from starling.privacy.neighbours import ADD_REMOVE_POINT

CELLS = np.random.default_rng(5).poisson(3.0, (32, 32)).astype(np.int64)
EPSILON = Fraction(1)


def test_exact_values_are_those_that_the_mechanism_adds_noise_to() -> None:
    """Noise so narrow that it is 0: the mechanism's values are the exact ones."""
    tree = Adaptive((32, 32), ADD_REMOVE_POINT, Fraction(10**6)).draw(CELLS)
    assert exact_values(tree, CELLS).tolist() == tree.value.tolist()
    transform = Privlet((32, 32), ADD_REMOVE_POINT, Fraction(10**6)).draw(CELLS)
    assert exact_values(transform, CELLS).tolist() == transform.value.tolist()


def test_reruns_are_repeatable_and_differ_from_each_other() -> None:
    measured = Adaptive((32, 32), ADD_REMOVE_POINT, EPSILON).draw(CELLS)
    first, again = (list(reruns("adaptive", measured, CELLS)) for _ in range(2))
    assert len(first) == RERUNS
    assert all((one == two).all() for one, two in zip(first, again, strict=True))
    assert not (first[0] == first[1]).all()


def test_the_seed_follows_from_every_value() -> None:
    measured = of_cells((2, 2), np.array([1, 2, 3, 4]), DiscreteLaplace(EPSILON))
    other = of_cells((2, 2), np.array([1, 2, 4, 3]), DiscreteLaplace(EPSILON))
    assert seed_of(measured) == seed_of(of_cells((2, 2), np.array([1, 2, 3, 4]), DiscreteLaplace(EPSILON)))
    assert seed_of(measured) != seed_of(other)


def test_a_truth_is_whole_and_near() -> None:
    truth = truth_of(np.array([[0.0, 1.5], [-2.0, 3.0]]))
    assert truth.dtype == np.int64
    assert (truth[0, 0], truth[1, 0], truth[1, 1]) == (0, 0, 3)
    assert truth[0, 1] in (1, 2)


def test_other_noise_is_refused() -> None:
    gaussian = MeasuredCoefficients((2, 2), np.zeros((2, 2), dtype=np.int64), DiscreteGaussian(EPSILON))
    with pytest.raises(ParameterError, match="is not discrete Laplace"):
        list(reruns("privlet", gaussian, np.zeros((2, 2), dtype=np.int64)))

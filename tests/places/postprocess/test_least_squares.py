"""Least squares over a tree of boxes against a dense solver."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from starling.places.arrays import Bool, Float64
from starling.places.measurements import ROOT, MeasuredTree, Tree
from starling.places.postprocess.least_squares import LEAST_DEVIATION, least_squares, merged
from starling.privacy.distributions.accuracy import standard_deviation
from starling.privacy.distributions.discrete import DiscreteLaplace
from tests.places.postprocess.trees import measured


def leaves_below(made: MeasuredTree) -> Bool:
    """bool (nodes, leaves): whether a leaf lies in a box."""
    nodes = len(made.tree.parents)
    below = np.eye(nodes, dtype=np.bool_)
    for node in range(nodes - 1, 0, -1):
        below[made.tree.parents[node]] |= below[node]
    return below[:, made.tree.leaves]


def distance(made: MeasuredTree, counts: Float64) -> float:
    """The weighted squared distance of counts of boxes to all measurements."""
    deviations = np.array([standard_deviation(noise) for noise in made.noises])[made.noise]
    return float((((counts[made.node] - made.value) / deviations) ** 2).sum())


@given(measured(largest=10**6))
def test_nothing_lies_nearer_to_all_measurements_than_a_dense_solver_finds(made: MeasuredTree) -> None:
    design = leaves_below(made)
    deviations = np.array([standard_deviation(noise) for noise in made.noises])[made.noise]
    dense = np.linalg.lstsq(design[made.node] / deviations[:, None], made.value / deviations, rcond=None)[0]
    counts = least_squares(made)
    best = distance(made, design @ dense)
    assert distance(made, counts) == pytest.approx(best, rel=1e-6, abs=1e-4)
    assert design @ counts[made.tree.leaves] == pytest.approx(counts, rel=1e-9, abs=1e-4)


@pytest.mark.examples(20)
@given(measured(least=1, largest=10**6))
def test_where_every_leaf_is_measured_counts_are_those_of_a_dense_solver(made: MeasuredTree) -> None:
    design = leaves_below(made)
    deviations = np.array([standard_deviation(noise) for noise in made.noises])[made.noise]
    dense = np.linalg.lstsq(design[made.node] / deviations[:, None], made.value / deviations, rcond=None)[0]
    assert least_squares(made)[made.tree.leaves] == pytest.approx(dense, rel=1e-6, abs=1e-3)


@given(measured())
def test_huge_values_give_finite_counts_and_the_same_bits_again(made: MeasuredTree) -> None:
    counts = least_squares(made)
    assert np.isfinite(counts).all()
    assert counts.tobytes() == least_squares(made).tobytes()


def test_noise_that_is_almost_never_there_has_a_variance_above_0() -> None:
    tree = MeasuredTree(
        tree=Tree((1, 1), np.array([[0, 1, 0, 1]], dtype=np.int32), np.array([ROOT])),
        node=np.zeros(1, dtype=np.int64),
        value=np.array([3]),
        noise=np.zeros(1, dtype=np.int16),
        noises=(DiscreteLaplace(Fraction(1, 10_000)),),
        steered=np.zeros(1, dtype=np.bool_),
    )
    own = merged(tree)
    assert (own.value[0], own.variance[0]) == pytest.approx((3, LEAST_DEVIATION**2))

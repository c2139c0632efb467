"""Quantiles from noisy counts: the true class without noise, and intervals that hold as often as they say, summed over all noise."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace, Distribution
from starling.tables.inference.ranks import edge_margin, quantile_classes, rank_margin
from starling.tables.mechanism.aggregates import nodes, scores
from starling.tables.plan.aggregates import Tree, sensitivity

SHAPES = [Tree(5, (1,)), Tree(9, (3, 1)), Tree(10, (4, 2, 1))]
TINY, MISSING = DiscreteGaussian(Fraction(1, 400)), Fraction(1, 20)
HALF = Fraction(1, 2)


def true_class(histogram: np.ndarray, share: Fraction) -> int:
    """The first class up to which there are as many records as the share asks for."""
    upto = np.cumsum(histogram)
    return int(np.argmax(share.denominator * upto >= share.numerator * upto[-1]))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(SHAPES), st.sampled_from([HALF, Fraction(1, 4), Fraction(9, 10)]), st.data())
def test_counts_almost_without_noise_give_the_quantile(shape: Tree, share: Fraction, data: st.DataObject) -> None:
    numbers = st.lists(st.integers(0, 30), min_size=shape.classes, max_size=shape.classes)
    histogram = np.array([data.draw(numbers)])
    result = quantile_classes(nodes(histogram, shape), shape, share, TINY, MISSING)
    if histogram.sum():
        # Where the quantile lies between records of two classes, either has the best score.
        assert scores(histogram, share.numerator, share.denominator)[0, result.classes[0]] == 0
    assert result.first[0] <= true_class(histogram[0], share) <= result.last[0]


@pytest.mark.series(1)
@pytest.mark.parametrize(
    "noise", [DiscreteLaplace(Fraction(2)), DiscreteGaussian(Fraction(6))], ids=["laplace", "gaussian"]
)
@pytest.mark.parametrize("histogram", [(0, 0, 0), (4, 0, 0), (3, 3, 3), (10, 1, 9), (0, 0, 50), (0, 7, 6)])
def test_intervals_hold_as_often_as_they_say(histogram: tuple[int, ...], noise: Distribution) -> None:
    """All noise of three counts of up to 40 either way."""
    x = np.arange(-40, 41)
    power = (
        np.abs(x) / float(noise.scale) if isinstance(noise, DiscreteLaplace) else x**2 / 2 / float(noise.sigma_squared)
    )
    chance = np.exp(-power) / np.exp(-power).sum()
    drawn = np.array(list(product(x, repeat=3)))
    weight = np.array([a * b * c for a, b, c in product(chance, repeat=3)])
    shape = Tree(3, (1,))
    for share in (HALF, Fraction(1, 10)):
        result = quantile_classes(np.array(histogram) + drawn, shape, share, noise, MISSING)
        true = true_class(np.array(histogram), share)
        held = weight[(result.first <= true) & (true <= result.last)].sum()
        assert held >= 0.95
        assert ((result.first <= result.classes) & (result.classes <= result.last)).all()


def test_an_interval_is_narrow_in_a_large_group() -> None:
    shape = Tree(100, (10, 1))
    histogram = np.full((1, 100), 1000)
    result = quantile_classes(nodes(histogram, shape), shape, HALF, DiscreteGaussian(Fraction(100)), MISSING)
    assert result.classes[0] in (49, 50)
    assert result.last[0] - result.first[0] <= 2


def test_margins_grow_with_the_nodes_that_are_added() -> None:
    shape, noise = Tree(64, (8, 1)), DiscreteGaussian(Fraction(100))
    margins = {sum(shape.terms(edge)): edge_margin(shape, edge, HALF, noise, MISSING) for edge in range(1, 64)}
    ascending = [margins[terms] for terms in sorted(margins)]
    assert ascending == sorted(ascending)
    # Of eight nodes, each with half of its noise.
    assert margins[8] == pytest.approx(1.96 * 10 * 8**0.5 / 2, rel=0.02)


def test_a_selected_rank_is_seldom_further_off_than_said() -> None:
    """The law of the selection in a group of a record in each of 30 classes, at every share."""
    histogram, epsilon = np.ones((1, 30), np.int64), Fraction(1, 4)
    for share in (HALF, Fraction(3, 4), Fraction(1, 20)):
        score = scores(histogram, share.numerator, share.denominator)[0]
        weights = np.exp(float(epsilon) * score / (2 * sensitivity(share)))
        off = -score / share.denominator
        beyond = off > rank_margin(30, share, epsilon, MISSING)
        assert weights[beyond].sum() / weights.sum() <= 0.05

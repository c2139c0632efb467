"""Growing trees: what is drawn and added, how boxes close and stay open, numbers of nodes."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.places.mechanism import growing
from starling.places.mechanism.growing import GrowingTree, noisy
from starling.privacy.distributions.accuracy import standard_deviation
from starling.privacy.distributions.discrete import DiscreteLaplace, Distribution

EXACT = np.arange(12).reshape(3, 4)


def test_noise_has_the_scale_of_the_amount_and_is_added(monkeypatch: pytest.MonkeyPatch) -> None:
    query: list[tuple[Distribution, object]] = []

    def draw(noise: Distribution, size: object) -> np.ndarray:
        query.append((noise, size))
        return np.arange(6).reshape(2, 3)

    monkeypatch.setattr(growing, "draw", draw)
    assert noisy(np.full((2, 3), 10), Fraction(2, 7)).tolist() == [[10, 11, 12], [13, 14, 15]]
    assert query == [(DiscreteLaplace(Fraction(7, 2)), (2, 3))]


@pytest.mark.examples(33)
@given(st.fractions(Fraction(1), 10**9, max_denominator=1000))
def test_whole_numbers_cost_no_accuracy(scale: Fraction) -> None:
    """Discrete noise has a smaller standard deviation than Laplace's sqrt(2) b, and is within 1 % of it from b = 3 on."""
    result = standard_deviation(DiscreteLaplace(scale)) / (2**0.5 * float(scale))
    assert result <= 1 + 1e-12
    if scale >= 3:
        assert result > 0.99


def test_boxes_are_cut_or_closed_and_a_cell_stays_open() -> None:
    tree = GrowingTree(EXACT)
    assert tree.exact().tolist() == [66]
    assert tree.split(tree.every, 3, 2).tolist() == [0] * 6
    assert tree.exact().tolist() == [1, 5, 9, 13, 17, 21]
    first = np.array([True, False, True, False, False, False])
    assert tree.split(first, 2, 2).tolist() == [0, 0, 2, 2]
    assert tree.exact().tolist() == [0, 1, 4, 5]
    # Cells have one part: their nodes stay.
    assert tree.split(np.array([True, True, False, True])).tolist() == [0, 1, 3]
    tree.measure(Fraction(1000), steered=True)
    result = tree.measured()
    result.tree.check()
    assert result.tree.parents.tolist() == [-1, 0, 0, 0, 0, 0, 0, 1, 1, 3, 3]
    assert (result.node.tolist(), result.value.tolist()) == ([7, 8, 10], [0, 1, 5])


def test_measurements_keep_their_order_and_noise() -> None:
    tree = GrowingTree(EXACT)
    tree.measure(Fraction(1000), steered=True)
    tree.split(tree.every, 1, 4)
    assert tree.measure(
        Fraction(2000), np.array([False, True, False, True]), steered=np.array([True, False])
    ).tolist() == [
        15,
        21,
    ]
    assert tree.measure(Fraction(3000), np.zeros(4, dtype=np.bool_), steered=False).tolist() == []
    tree.measure(Fraction(1000), steered=False)
    result = tree.measured(np.array([5, 6]))
    assert result.node.tolist() == [0, 2, 4, 1, 2, 3, 4]
    assert result.value.tolist() == [66, 15, 21, 12, 15, 18, 21]
    assert result.noise.tolist() == [0, 1, 1, 0, 0, 0, 0]
    assert result.noises == (DiscreteLaplace(Fraction(1, 1000)), DiscreteLaplace(Fraction(1, 2000)))
    assert result.steered.tolist() == [True, True, False, False, False, False, False]
    assert result.searched.tolist() == [5, 6]

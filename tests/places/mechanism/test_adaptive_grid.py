"""The coarse grid with finer ones: their sizes by noisy counts, the exact loss over all neighbours, exact spending."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.places.mechanism import adaptive_grid
from starling.places.mechanism.adaptive_grid import AdaptiveGrid
from starling.privacy.neighbours import ADD_REMOVE_PERSON, ADD_REMOVE_POINT
from tests.places.mechanism.enumeration import amounts, check_cost, largest_loss, scripted, tiny_grids


def choices(amount: Fraction) -> Sequence[int]:
    """A number of points; counts below all, above all that give 1 or 2 or more boxes a side."""
    return (-9, 90) if amount <= Fraction(1, 50) else (-9, 3, 30, 300)


@pytest.mark.series(1)
@pytest.mark.parametrize(("shape", "points"), [((2, 2), 1), ((1, 7), 1), ((2, 2), 2)])
def test_the_exact_loss_over_all_neighbours_is_the_cost(
    shape: tuple[int, int], points: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adaptive_grid, "LEAST", 1)
    method = AdaptiveGrid(shape, ADD_REMOVE_PERSON, Fraction(1), points)
    check_cost(method, Fraction(1))
    assert largest_loss(method, tiny_grids(shape)[-1:], points, choices, monkeypatch) == 1
    if points == 1:
        # Noise for units of half as many points is found.
        assert largest_loss(method, tiny_grids(shape)[:1], 2, choices, monkeypatch) == 2


@pytest.mark.examples(6)
@settings(max_examples=30, deadline=None)
@given(
    st.tuples(st.integers(1, 40), st.integers(1, 40)),
    st.integers(0, 2**32),
    st.fractions(Fraction(1, 5), 4, max_denominator=20),
)
def test_every_path_spends_the_budget(shape: tuple[int, int], seed: int, epsilon: Fraction) -> None:
    exact = np.random.default_rng(seed).integers(0, 200, shape)
    measured = AdaptiveGrid(shape, ADD_REMOVE_PERSON, epsilon, 3).draw(exact)
    measured.tree.check()
    assert {each for row in amounts(measured) for each in row} == {epsilon / 3}


def test_boxes_are_as_many_as_fit_the_noisy_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    method = AdaptiveGrid((100, 100), ADD_REMOVE_POINT, Fraction(1))
    values = (100_000, *range(0, 25 * 20, 20), *[0] * (25 * 25 - 25))
    with scripted((0,), monkeypatch) as script:
        measured, _ = script.tree(method, np.zeros((100, 100), int), values)
    # ceil(ceil(sqrt(10,000)) / 4) = 25 boxes a side, the first of which have 0, 20, 40, ... points and .49/5 boxes for each.
    coarse = measured.tree.parents == 0
    assert coarse.sum() == 625
    children = np.bincount(measured.tree.parents[1:], minlength=len(coarse))[1:26]
    sides = np.ceil(np.sqrt(np.arange(25) * 20 * 0.098)).clip(1).astype(int)
    # A box of 4 x 4 cells has no more than 4 parts a side, and one that is not cut has no children.
    assert children.tolist() == [0 if m == 1 else min(m, 4) ** 2 for m in sides]

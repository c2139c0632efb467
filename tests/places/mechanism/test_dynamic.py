"""Growth by units that follow noisy counts: exact spending along every path, the exact loss of whole releases, the rule of the units."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.places.mechanism import dynamic
from starling.places.mechanism.dynamic import UNITS, children_units
from starling.places.mechanism.two_regimes import TwoRegimes
from starling.privacy.neighbours import ADD_REMOVE_PERSON, ADD_REMOVE_POINT
from tests.places.mechanism.enumeration import amounts, check_cost, largest_loss, releases, tiny_grids


def choices(amount: Fraction) -> Sequence[int]:
    """Numbers of points for either kind of tree; counts below all, above all but below thresholds, above thresholds."""
    return (-5, 60, 10**5) if amount == Fraction(1, 50) else (-5, 2, 70, 2000)


def few_choices(amount: Fraction) -> Sequence[int]:
    return (-5, 70) if amount != Fraction(1, 100) else (-5, 60, 10**6)


@pytest.mark.series(1)
@pytest.mark.parametrize(("shape", "points"), [((2, 2), 2), ((1, 8), 1), ((1, 11), 1), ((1, 9), 2)])
def test_the_exact_loss_over_all_neighbours_is_the_cost(
    shape: tuple[int, int], points: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    method = TwoRegimes(shape, ADD_REMOVE_PERSON, Fraction(1), points)
    check_cost(method, Fraction(1))
    assert (
        largest_loss(
            method, tiny_grids(shape)[points - 1 :][:1], points, few_choices if points > 1 else choices, monkeypatch
        )
        == 1
    )


def test_a_box_that_does_not_pay_for_itself_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    method, grid = TwoRegimes((1, 20), ADD_REMOVE_POINT, Fraction(1)), np.zeros((1, 20), dtype=np.int64)
    more = grid.copy()
    more[0, 3] = 1
    assert max(abs(loss) for loss in releases(method, grid, more, choices, monkeypatch)) == 1
    monkeypatch.setattr(dynamic, "children_units", lambda _, left, *__: left + 1)
    assert max(abs(loss) for loss in releases(method, grid, more, choices, monkeypatch)) > 1


@pytest.mark.examples(13)
@settings(max_examples=40, deadline=None)
@given(
    st.tuples(st.integers(1, 40), st.integers(1, 40)),
    st.integers(0, 2**32),
    st.fractions(Fraction(1, 5), 4, max_denominator=20),
    st.sampled_from([10, 1000, 10**6]),
)
def test_every_path_spends_the_budget(shape: tuple[int, int], seed: int, epsilon: Fraction, most: int) -> None:
    exact = np.random.default_rng(seed).pareto(0.5, shape).clip(0, most).astype(np.int64)
    measured = TwoRegimes(shape, ADD_REMOVE_PERSON, epsilon, 3).draw(exact)
    measured.tree.check()
    assert {each for row in amounts(measured) for each in row} == {epsilon / 3}
    assert set(measured.node[~measured.steered]) == set(np.flatnonzero(measured.tree.leaves))


@given(st.integers(-(10**6), 10**6), st.integers(1, UNITS), st.integers(2, 12), st.fractions(Fraction(1, 1000), 1))
def test_units_are_the_nearest_to_the_formula_within_its_bounds(
    value: int, left: int, levels: int, unit: Fraction
) -> None:
    counts = np.array([int(24 / (unit * Fraction(2 * j - 1, 2))) for j in range(1, UNITS + 1)])[::-1]
    result = int(children_units(np.array([value]), np.array([left]), levels, counts)[0])
    wanted = Fraction(24, max(value, 1)) / unit
    share = Fraction(3 * left, 10 * levels)
    exact = min(max(wanted, share), Fraction(left, 2))
    assert 1 <= result <= max(1, left // 2)
    assert abs(result - exact) <= Fraction(1, 2) or result == 1
    assert children_units(np.array([value]), np.array([left]), 1, counts).tolist() == [left]

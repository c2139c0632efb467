"""Margins first: the least budget that keeps them, certified by its dual."""

from fractions import Fraction
from itertools import pairwise

import pytest

from starling.tables.plan.residual_targets import margins_first, variance_of_margin
from starling.tables.plan.residuals import Shape, best_shares, variances
from tests.tables.dense_tables import up_to

ADULT = (10, 9, 16, 7, 15, 5, 2, 2)


def equal(shape: Shape, variance: float) -> tuple[tuple[float, ...], ...]:
    return ((variance,) * len(shape.tables),) * len(shape.regions)


def test_ninety_three_tables_cost_two_fifths_of_tables_by_themselves() -> None:
    shape = Shape(ADULT, up_to(8, 3))
    solved = margins_first(shape, equal(shape, 100.0))
    assert len(shape.tables) == 93
    by_themselves = Fraction(93, 200)
    assert solved.budget == Fraction("0.181932")
    assert solved.bound is not None
    assert solved.bound == pytest.approx(0.18177, abs=0.00001)
    assert solved.bound <= solved.budget < by_themselves / Fraction("2.5")
    assert solved.rounds <= 40


@pytest.mark.parametrize(
    "shape",
    [
        Shape((2, 6, 3), up_to(3, 2)),
        Shape((2, 6, 3), ((0, 1), (0, 1, 2)), 1, ((0, 0, 0), (0, 0, 1, 1, 2, 2))),
        Shape((4, 3), up_to(2, 2), 2, ((0, 0, 0, 1), (0, 1, 1, 2, 3))),
    ],
)
def test_every_table_keeps_its_own_margin_in_every_region_and_less_would_not_do(shape: Shape) -> None:
    largest = tuple(
        tuple(float(20 + 7 * level + 10 * len(table)) for table in shape.tables) for level in range(len(shape.regions))
    )
    solved = margins_first(shape, largest)
    pairs = [
        (each, most)
        for reached in [variances(shape, best_shares(shape, solved.weights, solved.budget))]
        for row, limit in zip(reached, largest, strict=True)
        for each, most in zip(row, limit, strict=True)
    ]
    assert all(each <= most for each, most in pairs)
    below = variances(shape, best_shares(shape, solved.weights, solved.budget * Fraction(9999, 10000)))
    assert any(
        each > most for row, limit in zip(below, largest, strict=True) for each, most in zip(row, limit, strict=True)
    )
    branches = [
        [parents.count(above) for above in range(count)]
        for parents, count in zip(shape.parents, shape.regions, strict=False)
    ]
    if all(len(set(each)) == 1 for each in branches):
        assert solved.bound is not None
        assert solved.bound <= solved.budget <= solved.bound * 1.0011
    else:
        assert solved.bound is None


def test_twice_the_margin_costs_a_quarter() -> None:
    shape = Shape((3, 4), up_to(2, 2))
    costs = [
        margins_first(shape, equal(shape, variance_of_margin(within, Fraction(1, 20), "rho"))).budget
        for within in (5, 10, 20)
    ]
    assert all(float(dear / cheap) == pytest.approx(4, rel=1e-4) for dear, cheap in pairwise(costs))
    assert variance_of_margin(1.96, Fraction(1, 20), "rho") == 1

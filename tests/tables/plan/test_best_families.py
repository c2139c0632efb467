"""Whole tables under pure epsilon: shares that add up, cover every part, and are as good as what brute force finds."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.tables.plan.best_families import divided
from starling.tables.plan.residual_targets import margins_first
from starling.tables.plan.residuals import Shape, Shares, variances
from tests.tables.dense_tables import shapes, up_to

ADULT = (9, 16, 7, 15, 6, 5, 2, 2)


def weighted(shape: Shape, weights: list[list[float]], shares: Shares) -> float:
    reached = variances(shape, shares)
    return sum(w * v for both in zip(weights, reached, strict=True) for w, v in zip(*both, strict=True))


@settings(max_examples=25)
@given(shapes(), st.integers(1, 2), st.integers(0, 2**32))
def test_shares_add_up_and_every_part_is_in_a_table_that_is_measured(whole: Shape, records: int, seed: int) -> None:
    shape = Shape(whole.sizes, whole.tables, whole.roots, whole.parents, laplace=records)
    weights = np.random.default_rng(seed).integers(1, 9, (len(shape.regions), len(shape.tables))).tolist()
    shares = divided(shape, weights, Fraction(7, 3))
    assert sum(share for level in shares for share in level) == Fraction(7, 3)
    for level in shares:
        measured = [part for part, share in zip(shape.parts, level, strict=True) if share]
        assert all(any(set(part) <= set(table) for table in measured) for part in shape.parts)
    assert np.isfinite(np.concatenate(variances(shape, shares))).all()


@pytest.mark.parametrize("tables", [up_to(2, 2), ((0,), (1,)), ((), (0,), (1,)), ((0,), (0, 1))])
def test_no_shares_of_a_grid_are_much_better(tables: tuple[tuple[int, ...], ...]) -> None:
    """Of one level, in twelfths; its variances are of noise whose steps are not seen."""
    shape, budget = Shape((2, 5), tables, laplace=1), Fraction(1, 1000)
    weights = [[1.0 + 2 * at for at in range(len(tables))]]
    grid = (each for each in product(range(13), repeat=len(shape.parts)) if sum(each) == 12)
    largest = [part for part in shape.parts if not any(set(part) < set(other) for other in shape.parts)]
    covering = (each for each in grid if all(each[shape.parts.index(part)] for part in largest))
    best = min(weighted(shape, weights, (tuple(budget * Fraction(n, 12) for n in each),)) for each in covering)
    assert weighted(shape, weights, divided(shape, weights, budget)) <= 1.01 * best


def test_adult_errs_less_than_a_quarter_of_tables_that_are_measured_and_read_one_by_one() -> None:
    tables = up_to(8, 3)
    shape = Shape(ADULT, tables, laplace=1)
    (reached,) = variances(shape, divided(shape, [[1.0] * len(tables)], Fraction(1, 100)))
    one_by_one = 2 * (len(tables) * 100) ** 2
    assert 4.4 < one_by_one / np.mean(reached) < 4.6


def test_levels_of_regions_share_as_a_grid_finds_best() -> None:
    shape = Shape((3,), ((0,),), 2, (tuple(at // 8 for at in range(16)),), laplace=1)
    weights = [[1.0], [1.0]]
    budget = Fraction(1, 100)
    found = divided(shape, weights, budget)
    grid = [
        weighted(shape, weights, ((0, budget * Fraction(n, 64)), (0, budget * Fraction(64 - n, 64))))  # type: ignore[arg-type]
        for n in range(1, 64)
    ]
    assert weighted(shape, weights, found) <= 1.02 * min(grid)


@pytest.mark.parametrize(
    "shape", [Shape((2, 6, 3), up_to(3, 2), laplace=1), Shape((4, 3), up_to(2, 2), 2, ((0, 0, 1),), 2)]
)
def test_margins_are_kept_at_a_budget_that_a_little_less_does_not(shape: Shape) -> None:
    largest = tuple(tuple(400.0 + 100 * at for at in range(len(shape.tables))) for _ in shape.regions)
    solved = margins_first(shape, largest)
    kept = [
        all(
            v <= most
            for both in zip(
                variances(shape, divided(shape, solved.weights, solved.budget * part)), largest, strict=True
            )
            for v, most in zip(*both, strict=True)
        )
        for part in (Fraction(1), Fraction(999, 1000))
    ]
    assert kept == [True, False]
    assert solved.bound is None

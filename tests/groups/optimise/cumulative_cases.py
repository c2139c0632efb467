"""Noisy cumulative counts for the tests of the optimisers on them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from starling.groups.optimise.tree import Projection
from tests.groups.optimise.random_trees import Int64, assert_conditions, parents_of_trees, random_parents, totals_of

Optimiser = Callable[..., Projection]


@dataclass(frozen=True, slots=True)
class Case:
    """One problem of the optimisers on cumulative counts; `totals` are the public totals of all regions, or None."""

    noisy: list[Int64]
    parents: list[Int64]
    total: int
    variances: list[list[float]]
    totals: list[Int64] | None


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Trees of any shape with counts of any magnitude, all negative ones among them; totals of regions public or not."""
    parents = [np.array(rows) for rows in draw(parents_of_trees())]
    sizes = draw(st.integers(1, 6))
    magnitude = draw(st.sampled_from([1, 5, 1000, 1 << 31, 1 << 60, (1 << 63) - 1]))
    low = draw(st.sampled_from([-magnitude, 0]))
    high = draw(st.sampled_from([magnitude, -1])) if low else magnitude
    numbers = np.random.default_rng(draw(st.integers(0, 2**32)))
    noisy = [numbers.integers(low, high, (count, sizes), endpoint=True) for count in (1, *map(len, parents))]
    total = draw(st.integers(0, min(magnitude, 1 << 60)))
    variances = [[float(numbers.choice([0.01, 1.0, 30.0])) for _ in range(sizes)] for _ in noisy]
    if not draw(st.booleans()):
        return Case(noisy, parents, total, variances, None)
    return (
        Case(noisy, parents, total, variances, totals_of(numbers, parents, total % 10**6))
        if total < 10**6
        else (Case(noisy, parents, total, variances, None))
    )


def assert_kept_twice(case: Case, solve: Callable[[Case], Projection]) -> Projection:
    """The conditions hold of what is found, public totals of regions too, and a second run finds the same; gives what was found."""
    result, again = solve(case), solve(case)
    assert_conditions(result.levels, case.parents, case.total)
    if case.totals is not None:
        assert [level.sum(axis=1).tolist() for level in result.levels] == [top.tolist() for top in case.totals]
    assert all(np.array_equal(one, other) for one, other in zip(result.levels, again.levels, strict=True))
    assert (result.objective, result.gap) == (again.objective, again.gap)
    return result


def small_case(numbers: np.random.Generator, levels: int) -> Case:
    """A problem small enough for an integer program: true cumulative counts with noise."""
    parents = random_parents(numbers, levels)
    sizes, total = int(numbers.integers(2, 5)), int(numbers.integers(0, 8))
    totals = totals_of(numbers, parents, total)
    counts = [np.array([numbers.multinomial(top, np.full(sizes, 1 / sizes)) for top in totals[-1]])]
    for rows in reversed(parents):
        above = np.zeros((int(rows.max()) + 1, sizes), dtype=np.int64)
        np.add.at(above, rows, counts[0])
        counts.insert(0, above)
    noisy = [np.cumsum(each, axis=1) + numbers.integers(-2, 3, each.shape) for each in counts]
    variances = [[float(numbers.choice([1.0, 2.0]))] * sizes for _ in noisy]
    return Case(noisy, parents, total, variances, totals if numbers.random() < 0.3 else None)

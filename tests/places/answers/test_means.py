"""Points, sums and means of a value: no ends but those of an enumeration, and all of them hold at their level."""

import doctest
from dataclasses import replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.places.answers import means as means_module
from starling.places.answers.means import Means, mean_ends, means_of, whole_ends
from starling.places.answers.released import ReleasedGrid
from starling.places.measurements import MeasuredTree
from starling.places.mechanism.table import mechanism_of
from starling.places.plan import Plan
from starling.places.plan.choices import Value
from starling.places.postprocess import estimate
from starling.privacy.distributions.discrete import DiscreteLaplace
from tests.places.plans import VALUED, plan

LEVEL = Fraction(9, 10)
ENDS = st.tuples(st.integers(0, 9), st.integers(0, 9)).map(sorted)


def test_examples_hold() -> None:
    assert doctest.testmod(means_module).failed == 0


@pytest.mark.slow
@pytest.mark.examples(20)
@given(above=ENDS, below=ENDS, lower=st.integers(-4, 4), width=st.integers(1, 5))
def test_ends_are_those_of_an_enumeration(above: list[int], below: list[int], lower: int, width: int) -> None:
    value = Value(lower, lower + width)
    ends = tuple(tuple(np.array([end]) for end in each) for each in (above, below))
    pairs = [(a, b) for a in range(above[0], above[1] + 1) for b in range(below[0], below[1] + 1)]
    sums = [Fraction(value.upper * a + value.lower * b, width) for a, b in pairs]
    low, high = (int(each[0]) for each in whole_ends((value.upper, value.lower), ends, width))  # type: ignore[arg-type]
    whole = [each for each in range(-999, 999) if min(sums) <= each <= max(sums)]
    if whole:
        assert (low, high) == (whole[0], whole[-1])
    means = [lower + Fraction(width * a, a + b) for a, b in pairs if a + b]
    least, most = (float(each[0]) for each in mean_ends(value, ends))  # type: ignore[arg-type]
    assert lower <= least <= most <= value.upper
    if means:
        assert all(least <= each <= most for each in means)
    if means and (0, 0) not in pairs:
        assert (least, most) == pytest.approx((float(min(means)), float(max(means))), abs=1e-12)


def test_no_product_leaves_64_bits_and_no_sum_is_beyond_them() -> None:
    ends = ((np.array([2**40]), np.array([2**62])), (np.array([0]), np.array([1])))
    low, high = whole_ends((2**30, -(2**30)), ends, 2**20)
    assert (low[0], high[0]) == (2**50 - 2**10, 2**63 - 1)


def released(chosen: Plan, counts: npt.NDArray[np.int64], wide: int = 1) -> list[ReleasedGrid]:
    """A release of both layers, whose noise is said to be so many times narrower than it is."""
    grids = []
    for measured in mechanism_of(chosen).draw(counts):
        assert isinstance(measured, MeasuredTree)
        (noise,) = measured.noises
        assert isinstance(noise, DiscreteLaplace)
        said = replace(measured, noises=(DiscreteLaplace(noise.scale / wide),))
        grids.append(ReleasedGrid(chosen.grid, estimate(chosen.method, measured).grid(), [(said, 1)]))
    return grids


def answers(chosen: Plan, grids: list[ReleasedGrid], rectangles: npt.NDArray[np.float64]) -> Means:
    assert chosen.value is not None
    return means_of(chosen.value, grids[0], grids[1], lambda grid, level: grid.count(rectangles, level=level), LEVEL)


@pytest.mark.statistical
@pytest.mark.series(1)
@pytest.mark.parametrize(("wide", "holds"), [(1, True), (5, False)])
def test_points_sum_and_mean_hold_together_at_their_level(wide: int, holds: bool) -> None:
    """Of 300 releases at least 270 are expected to hold, standard deviation at most 5.2: fewer than 240 come by chance once in 10^7.

    Noise that is five times as wide as is said holds in about half, and is rejected.
    """
    chosen = plan(VALUED)
    above = np.array([[0, 12, 3, 40], [7, 0, 0, 5]], dtype=np.int64)
    counts = np.stack([above, 5 * np.array([[0, 4, 2, 11], [3, 0, 1, 1]]) - above])
    rectangle = np.array([[1.0, 0, 4, 1]])
    points, sums = counts[:, 0, 1:].sum() / 5, (3 * counts[0] - 2 * counts[1])[0, 1:].sum() / 5
    held = 0
    for _ in range(300):
        result = answers(chosen, released(chosen, counts, wide), rectangle)
        assert result.points_lower is not None
        assert result.points_upper is not None
        assert result.sums_lower is not None
        assert result.sums_upper is not None
        assert result.means_lower is not None
        assert result.means_upper is not None
        held += bool(
            result.points_lower[0] <= points <= result.points_upper[0]
            and result.sums_lower[0] <= sums <= result.sums_upper[0]
            and result.means_lower[0] <= sums / points <= result.means_upper[0]
        )
    assert (held >= 240) == holds


@pytest.mark.slow
@pytest.mark.statistical
def test_points_and_sums_are_unbiased() -> None:
    """Means of 400 releases: each is off by less than 6 standard errors but for once in 10^8."""
    chosen = plan(VALUED)
    counts = np.arange(16).reshape(2, 2, 4)
    drawn = [answers(chosen, released(chosen, counts), np.array([[0.0, 0, 4, 2]])) for _ in range(400)]
    for values, true in (
        ([each.points[0] for each in drawn], counts.sum() / 5),
        ([each.sums[0] for each in drawn], (3 * counts[0].sum() - 2 * counts[1].sum()) / 5),
    ):
        assert abs(np.mean(values) - true) < 6 * np.std(values) / 20


def test_without_sure_intervals_numbers_stand_alone_and_a_mean_of_nothing_is_none() -> None:
    grids = [ReleasedGrid(plan().grid, cells, []) for cells in (np.eye(2, 4), 2 * np.eye(2, 4))]
    queries = [[0, 0, 1, 1], [2, 0, 4, 2], [-1, 0, 1, 1]]
    result = means_of(Value(0, 3), grids[0], grids[1], lambda grid, _: grid.count(queries), LEVEL)
    assert (result.points.tolist(), result.sums.tolist(), result.points_lower) == ([1, 0, 1], [1, 0, 1], None)
    assert result.as_json()["means"] == [1, None, 1]
    header, rows = result.grid()
    assert (header, rows[1]) == (["query", "points", "sum", "mean", ""], ("2", "0.0", "0.0", "", ""))
    assert rows[2][-1] == "reaches beyond the grid"
    assert "3 queries" in repr(result)

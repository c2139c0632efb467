"""Random trees of regions and noisy counts for the tests of the optimisers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from starling.groups.optimise.tree import Projection

Int64 = npt.NDArray[np.int64]


@st.composite
def parents_of_trees(draw: st.DrawFn, levels: int = 5, children: int = 3) -> list[list[int]]:
    """Parents of a tree of at most `levels` levels in which a region has at most `children` children, its rows in any order."""
    parents: list[list[int]] = []
    above = 1
    for _ in range(draw(st.integers(0, levels - 1))):
        counts = draw(st.lists(st.integers(1, children), min_size=above, max_size=above))
        rows = [row for row, count in enumerate(counts) for _ in range(count)]
        parents.append(draw(st.permutations(rows)))
        above = len(rows)
    return parents


def random_parents(numbers: np.random.Generator, levels: int, children: int = 3) -> list[Int64]:
    """Parents of a tree of `levels` levels in which a region has up to `children` children, its rows in random order."""
    parents: list[Int64] = []
    above = 1
    for _ in range(levels - 1):
        rows = np.repeat(np.arange(above), numbers.integers(1, children + 1, above))
        parents.append(numbers.permutation(rows))
        above = len(rows)
    return parents


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem of the optimisers on histograms."""

    noisy: list[Int64]
    parents: list[Int64]
    total: int
    weights: list[int]


def random_problem(numbers: np.random.Generator, levels: int, *, most: int = 6) -> Problem:
    """A problem small enough for any solver: true counts with noise, noise alone, or large negative noise."""
    parents = random_parents(numbers, levels)
    sizes = int(numbers.integers(1, 5))
    total = int(numbers.integers(0, most + 1))
    spread = int(numbers.integers(1, 5))
    shift = int(numbers.choice([0, 0, -8, 3]))
    regions = [1, *map(len, parents)]
    noisy = [numbers.integers(-spread, spread + 1, (count, sizes)) + shift for count in regions]
    weights = [1] * levels if numbers.random() < 0.3 else numbers.integers(1, 6, levels).tolist()
    return Problem(noisy, parents, total, weights)


def totals_of(numbers: np.random.Generator, parents: list[Int64], total: int) -> list[Int64]:
    """Random public totals of all regions, root first, that add up."""
    leaves = len(parents[-1]) if parents else 1
    below = numbers.multinomial(total, np.full(leaves, 1 / leaves))
    result = [below]
    for rows in reversed(parents):
        result.append(np.bincount(rows, weights=result[-1]).astype(np.int64))
    return result[::-1]


def assert_conditions(levels: Sequence[Int64], parents: Sequence[Int64], total: int) -> None:
    """Consistency, validity and faithfulness (Section 4 of the paper)."""
    for level, counts in enumerate(levels):
        assert counts.dtype == np.int64
        assert counts.min() >= 0
        assert sum(counts.ravel().tolist()) == total
        if level:
            added = np.zeros_like(levels[level - 1])
            np.add.at(added, np.asarray(parents[level - 1]), counts)
            assert np.array_equal(added, levels[level - 1])


def objective(levels: Sequence[Int64], noisy: Sequence[Int64], weights: Sequence[int]) -> int:
    """The sum of weight (count - noisy)^2, in Python's integers."""
    return sum(
        weight * sum((x - a) ** 2 for x, a in zip(counts.ravel().tolist(), stated.ravel().tolist(), strict=True))
        for counts, stated, weight in zip(levels, noisy, weights, strict=True)
    )


def assert_optimal(found: Projection, case: Problem) -> None:
    """The conditions hold, the optimum is certified, and the objective is the stated one."""
    assert_conditions(found.levels, case.parents, case.total)
    assert found.certified
    assert found.gap == 0
    assert found.objective == objective(found.levels, case.noisy, case.weights)


def level_by_trying(values: list[int], target: int) -> int:
    """The least j for which the sum of max(0, value + j) reaches the target."""
    level = -max(values)
    while sum(max(0, value + level) for value in values) < target:
        level += 1
    return level


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Trees of any shape with counts of any magnitude that is allowed, all negative ones among them."""
    parents = draw(parents_of_trees())
    sizes = draw(st.integers(1, 6))
    magnitude = draw(st.sampled_from([1, 5, 1000, 1 << 31, 1 << 48]))
    low = draw(st.sampled_from([-magnitude, 0]))
    high = draw(st.sampled_from([magnitude, -1])) if low else magnitude
    numbers = np.random.default_rng(draw(st.integers(0, 2**32)))
    noisy = [numbers.integers(low, high + 1, (count, sizes)) for count in (1, *map(len, parents))]
    weights = draw(st.lists(st.integers(1, 9), min_size=len(noisy), max_size=len(noisy)))
    return Problem(noisy, [np.array(rows) for rows in parents], draw(st.integers(0, magnitude)), weights)

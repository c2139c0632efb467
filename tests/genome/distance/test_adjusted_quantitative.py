"""Distances of score tests of quantitative phenotypes: those of breadth-first search over all vectors, of sensitivity 1."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from starling.genome.distance.adjusted import BITS, MOST_VARIANCE, adjusted_distance, score_threshold, whole_squares
from tests.genome.distance.test_adjusted import VALUES, Bool, Int32, Int64, residual, study

Distances = Callable[[Int64], Int64]


def all_vectors(n: int, steps: int) -> Int64:
    """Every vector of phenotypes from 0 to L, int64 ((L + 1)^n, n), in the order of an array with an axis for each person."""
    return np.indices((steps + 1,) * n).reshape(n, -1).T


def most_changed(values: Int64, n: int, steps: int) -> int:
    """The most that a value changes by between neighbours: one person's phenotype becomes any other."""
    array: Int64 = values.reshape((steps + 1,) * n)
    return max(int((array.max(axis=person) - array.min(axis=person)).max()) for person in range(n))


def searched(target: Bool, n: int, steps: int) -> Int64:
    """Fewest changes from all vectors to some, by breadth-first search: n + 1 where there are none."""
    found = np.where(target, 0, n + 1).reshape((steps + 1,) * n)
    while True:
        nearer = found
        for person in range(n):
            nearer = np.minimum(nearer, found.min(axis=person, keepdims=True) + 1)
        if np.array_equal(nearer, found):
            return found.ravel()
        found = nearer


def of_all(distances: Distances, n: int, steps: int) -> Int64:
    return np.array([distances(vector) for vector in all_vectors(n, steps)])


@pytest.mark.parametrize("p", [Fraction(3, 10), Fraction(1, 50)])
@pytest.mark.parametrize(("n", "steps", "covariates"), [(6, 3, 0), (8, 2, 1), (7, 3, 3)])
def test_no_mismatch_with_breadth_first_search(n: int, steps: int, covariates: int, p: Fraction) -> None:
    """Every vector, with covariates: gain and loss are exact, and no change moves the distance by more than 1."""
    columns = residual(*study(n, 4, covariates, seed=n))
    threshold = score_threshold(p, MOST_VARIANCE * steps**2)
    totals = all_vectors(n, steps) @ columns.T.astype(np.int64)
    found = of_all(lambda vector: adjusted_distance(columns, vector, threshold, steps), n, steps)
    significant = np.abs(totals) >= threshold
    assert np.array_equal(found <= 0, significant)
    assert steps * int(np.abs(columns).max()) < 2 * threshold
    for snp in range(len(columns)):
        yes = significant[:, snp]
        exact = np.where(yes, 1 - searched(~yes, n, steps), searched(yes, n, steps))
        assert np.array_equal(found[:, snp], exact)
        assert most_changed(found[:, snp], n, steps) <= 1


@pytest.mark.parametrize("threshold", [1, 5])
def test_low_thresholds_keep_the_sensitivity(threshold: int) -> None:
    """Where one change leads from significant one way to significant the other, D is the distance to the half space's edge."""
    n, steps = 6, 3
    columns = np.random.default_rng(threshold).integers(-9, 10, (4, n)).astype(np.int32)
    totals = all_vectors(n, steps) @ columns.T.astype(np.int64)
    found = of_all(lambda vector: adjusted_distance(columns, vector, threshold, steps), n, steps)
    for snp in range(len(columns)):
        sides = [totals[:, snp] >= threshold, totals[:, snp] <= -threshold]
        signed = [np.where(side, 1 - searched(~side, n, steps), searched(side, n, steps)) for side in sides]
        assert np.array_equal(found[:, snp], np.minimum(*signed))
        assert most_changed(found[:, snp], n, steps) == 1


def linear(columns: Int32, vector: Int64, threshold: int, steps: int) -> Int64:
    """A mistake: what is lacking in whole ranges, which no person's column scales."""
    scores = np.abs(columns.astype(np.int64) @ vector)
    distances: Int64 = (threshold - scores) // (steps * int(np.abs(columns).max()) // 2)
    return distances


def by_one_step(columns: Int32, vector: Int64, threshold: int, steps: int) -> Int64:
    """A mistake: a person's phenotype moves by one step, and not to an end."""
    x = columns.astype(np.int64)
    out = []
    for row in x:
        rises = np.sort(np.where(row > 0, row * (vector < steps), -row * (vector > 0)))[::-1]
        reached = np.flatnonzero(row @ vector + np.concatenate([[0], np.cumsum(rises)]) >= threshold)
        out.append(reached[0] if reached.size else len(vector) + 1)
    return np.array(out)


def test_two_mistakes_are_found() -> None:
    n, steps = 6, 3
    columns = residual(*study(n, 4, 0, seed=2))
    threshold = score_threshold(Fraction(3, 10), MOST_VARIANCE * steps**2)
    for wrong in (linear, by_one_step):
        found = of_all(lambda vector, wrong=wrong: wrong(columns, vector, threshold, steps), n, steps)  # type: ignore[misc]
        assert most_changed(found[:, 0], n, steps) > 1


def slow_twin(x: list[int], y: list[int], threshold: int, steps: int) -> int:
    """By sorting."""
    total = sum(each * step for each, step in zip(x, y, strict=True))
    moves = [(each * -step, each * (steps - step)) for each, step in zip(x, y, strict=True)]
    found = []
    for sign in (1, -1):
        side = sign * total
        inside, now, count = side >= threshold, side, 0
        ends = (
            [max(sign * a, sign * b) for a, b in moves] if not inside else [min(sign * a, sign * b) for a, b in moves]
        )
        for change in sorted(ends, reverse=not inside):
            if (now >= threshold) != inside:
                break
            now, count = now + change, count + 1
        found.append((1 - count if inside else count) if (now >= threshold) != inside else len(x) + 1)
    return min(found)


@given(
    people=st.lists(st.tuples(VALUES, st.integers(0, 7)), min_size=1, max_size=30),
    threshold=st.one_of(st.integers(1, 60), st.integers(1, 1 << 36)),
)
@example(people=[(1 << BITS, 0)] * 30, threshold=7 * 30 << BITS)
def test_the_slow_twin_agrees(people: list[tuple[int, int]], threshold: int) -> None:
    x, y = map(list, zip(*people, strict=True))
    found = adjusted_distance(np.array([x], dtype=np.int32), np.array(y), threshold, 7)
    assert found.tolist() == [slow_twin(x, y, threshold, 7)]


def test_ends_of_the_range_are_cases_and_controls() -> None:
    """A phenotype that is at an end has the distance of a case or a control, in whatever steps."""
    columns = residual(*study(60, 5, 2, seed=4))
    cases = np.random.default_rng(4).random(60) < 0.4
    for steps in (1, 100, 1 << 14):
        threshold = score_threshold(Fraction(1, 100), MOST_VARIANCE * steps**2)
        found = adjusted_distance(columns, cases.astype(np.int64) * steps, threshold, steps)
        # A threshold that is rounded up in other steps may be met by one change more where changes tie.
        assert np.abs(found - adjusted_distance(columns, cases, score_threshold(Fraction(1, 100)))).max() == 0


@pytest.mark.parametrize(("n", "steps"), [(4, 4), (5, 3), (6, 2), (9, 1)])
def test_whole_squares_have_sensitivity_1(n: int, steps: int) -> None:
    """Over all neighbours; squares of half the range, the mistake, have more."""
    found = of_all(lambda vector: np.array([whole_squares(vector, steps)]), n, steps)[:, 0]
    vectors = all_vectors(n, steps)
    exact = ((vectors - vectors.mean(axis=1, keepdims=True)) ** 2).sum(axis=1) / steps**2
    assert np.array_equal(found, np.floor(exact + 1e-9))
    assert most_changed(found, n, steps) == 1
    assert most_changed(np.floor(4 * exact + 1e-9).astype(np.int64), n, steps) > 1
    assert found.max() == n // 2 * (n - n // 2) // n

"""Distances of score tests with covariates: those of breadth-first search over all phenotypes, and no change moves one by more than 1."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from starling.genome.distance.adjusted import (
    BITS,
    adjusted_distance,
    score_threshold,
    table_distance,
    whole_columns,
)

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]
Distances = Callable[[Bool], Int64]


def all_phenotypes(n: int) -> Bool:
    """Every vector of phenotypes, bool (2^n, n); that of number i has the binary digits of i, the lowest first."""
    return (np.arange(1 << n)[:, np.newaxis] >> np.arange(n) & 1).astype(np.bool_)


def changed(values: Int64, n: int, person: int) -> Int64:
    """Values of all phenotypes, the first axis, when the phenotype of a person is changed."""
    found: Int64 = values[np.arange(1 << n) ^ (1 << person)]
    return found


def most_changed(values: Int64, n: int) -> int:
    """The most that any of the values changes by between neighbours: over all phenotypes and all people."""
    return max(int(np.abs(changed(values, n, person) - values).max()) for person in range(n))


def searched(target: Bool, n: int) -> Int64:
    """Fewest changes from all phenotypes to some, by breadth-first search: n + 1 where there are none."""
    found = np.where(target, 0, n + 1)
    while True:
        nearer = found
        for person in range(n):
            nearer = np.minimum(nearer, changed(found, n, person) + 1)
        if np.array_equal(nearer, found):
            return found
        found = nearer


def of_all(distances: Distances, n: int) -> Int64:
    """int64 (2^n, m)."""
    return np.array([distances(cases) for cases in all_phenotypes(n)])


def study(n: int, snps: int, covariates: int, seed: int) -> tuple[Int64, npt.NDArray[np.float64]]:
    """Copies of SNPs, and an orthonormal basis of the intercept and covariates, one of them with two values, so that changes tie."""
    numbers = np.random.default_rng(seed)
    copies = numbers.binomial(2, numbers.uniform(0.1, 0.5, (snps, 1)), (snps, n))
    columns = [np.ones(n), np.arange(n) % 2, *numbers.normal(size=(max(covariates - 1, 0), n))][: covariates + 1]
    return copies, np.linalg.qr(np.column_stack(columns))[0]


def residual(copies: Int64, basis: npt.NDArray[np.float64]) -> Int32:
    return whole_columns(copies - copies @ basis @ basis.T)


@pytest.mark.parametrize("p", [Fraction(3, 10), Fraction(1, 50)])
@pytest.mark.parametrize(("n", "snps", "covariates"), [(5, 8, 0), (8, 8, 1), (11, 6, 3), (14, 2, 4)])
def test_no_mismatch_with_breadth_first_search(n: int, snps: int, covariates: int, p: Fraction) -> None:
    """Every vector of phenotypes, with covariates: gain and loss are exact, and no change moves the distance by more than 1."""
    columns = residual(*study(n, snps, covariates, seed=n))
    threshold = score_threshold(p)
    totals = all_phenotypes(n).astype(np.int64) @ columns.T.astype(np.int64)
    found = of_all(lambda cases: adjusted_distance(columns, cases, threshold), n)
    significant = np.abs(totals) >= threshold
    assert np.array_equal(found <= 0, significant)
    assert np.abs(columns).max() < 2 * threshold
    for snp in range(snps):
        yes = significant[:, snp]
        exact = np.where(yes, 1 - searched(~yes, n), searched(yes, n))
        assert np.array_equal(found[:, snp], exact)
    assert most_changed(found, n) <= 1


@pytest.mark.parametrize("threshold", [1, 2, 7])
def test_low_thresholds_keep_the_sensitivity(threshold: int) -> None:
    """Where one change leads from significant one way to significant the other, D is the distance to the half space's edge."""
    n = 9
    columns = np.random.default_rng(threshold).integers(-9, 10, (6, n)).astype(np.int32)
    totals = all_phenotypes(n).astype(np.int64) @ columns.T.astype(np.int64)
    found = of_all(lambda cases: adjusted_distance(columns, cases, threshold), n)
    assert np.array_equal(found <= 0, np.abs(totals) >= threshold)
    for snp in range(len(columns)):
        sides = [totals[:, snp] >= threshold, totals[:, snp] <= -threshold]
        signed = [np.where(side, 1 - searched(~side, n), searched(side, n)) for side in sides]
        assert np.array_equal(found[:, snp], np.minimum(*signed))
    assert most_changed(found, n) == 1


def columns_from_controls(copies: Int64, cases: Bool) -> Int32:
    """A mistake: copies less their mean among controls, which are not the same for neighbours."""
    means = np.zeros((len(copies), 1)) if cases.all() else copies[:, ~cases].mean(axis=1, keepdims=True)
    return whole_columns(np.asarray(copies - means))


def doubles(copies: Int64, basis: npt.NDArray[np.float64], cases: Bool, threshold: float) -> Int64:
    """A mistake: the steps reckoned in doubles, where sums depend on their order."""
    residuals = copies - copies @ basis @ basis.T
    found = []
    for x in residuals / np.linalg.norm(residuals, axis=1, keepdims=True):
        total, change = float(np.sum(x[cases])), np.where(cases, -x, x)
        steps = []
        for side, moves in ((total, change), (-total, -change)):
            inward = np.cumsum(np.sort(moves[moves > 0])[::-1])
            outward = np.cumsum(np.sort(-moves[moves < 0])[::-1])
            if side >= threshold:
                steps.append(-int(np.searchsorted(outward, side - threshold, side="right")))
            else:
                first = int(np.searchsorted(inward, threshold - side))
                steps.append(first + 1 if first < len(inward) else len(cases) + 1)
        found.append(min(steps))
    return np.array(found)


def test_two_mistakes_are_found() -> None:
    """What the tests above must catch: columns that depend on phenotypes, and thresholds that are compared in doubles."""
    n = 10
    copies, _ = study(n, 8, 0, seed=3)
    threshold = score_threshold(Fraction(1, 5))
    wrong = of_all(lambda cases: adjusted_distance(columns_from_controls(copies, cases), cases, threshold), n)
    assert most_changed(wrong, n) > 1
    carriers, basis = np.array([[1, 1, 1, 0, 0, 0, 0, 0, 0, 0]]), np.full((n, 1), n**-0.5)
    x = (carriers - carriers.mean()) / np.linalg.norm(carriers - carriers.mean())
    tied = float(x[0, 0] + x[0, 1] + x[0, 2])
    wrong = of_all(lambda cases: doubles(carriers, basis, cases, tied), n)
    whole = residual(carriers, basis)
    right = of_all(lambda cases: adjusted_distance(whole, cases, int(whole[0, :3].sum())), n)
    assert most_changed(right, n) == 1
    assert most_changed(wrong, n) > 1


def slow_twin(x: list[int], cases: list[bool], threshold: int) -> int:
    """By sorting."""
    changes = sorted(-each if case else each for each, case in zip(x, cases, strict=True))
    total = sum(each for each, case in zip(x, cases, strict=True) if case)
    found = []
    for side, moves in ((total, changes), (-total, [-each for each in reversed(changes)])):
        inside, steps, now = side >= threshold, 0, side
        ordered = moves if inside else moves[::-1]
        while steps < len(x) and (now >= threshold) == inside:
            now += ordered[steps]
            steps += 1
        found.append((1 - steps if inside else steps) if (now >= threshold) != inside else len(x) + 1)
    return min(found)


VALUES = st.one_of(st.integers(-3, 3), st.integers(-(1 << BITS), 1 << BITS))


@given(
    people=st.lists(st.tuples(VALUES, st.booleans()), min_size=1, max_size=40),
    threshold=st.one_of(st.integers(1, 20), st.integers(1, 1 << 34)),
)
@example(people=[(1 << BITS, False)] * 40, threshold=39 << BITS)
@example(people=[(0, True)] * 3, threshold=1)
def test_the_slow_twin_agrees(people: list[tuple[int, bool]], threshold: int) -> None:
    x, cases = [each for each, _ in people], [case for _, case in people]
    found = adjusted_distance(np.array([x], dtype=np.int32), np.array(cases), threshold)
    assert found.tolist() == [slow_twin(x, cases, threshold)]


def test_a_larger_study_agrees_with_the_slow_twin() -> None:
    columns = residual(*study(800, 12, 5, seed=5))
    cases = np.random.default_rng(5).random(800) < 0.1
    for p in (Fraction(3, 10), Fraction(1, 10**8)):
        threshold = score_threshold(p)
        twin = [slow_twin(x, cases.tolist(), threshold) for x in columns.tolist()]
        assert adjusted_distance(columns, cases, threshold).tolist() == twin


def test_columns_are_of_norm_1_or_0() -> None:
    copies, basis = study(200, 6, 3, seed=1)
    columns = residual(copies, basis)
    columns[[2, 4]] = whole_columns(np.zeros((2, 200)))
    norms = np.linalg.norm(columns / 2**BITS, axis=1)
    assert norms.round(6).tolist() == [1, 1, 0, 1, 0, 1]
    assert np.abs(columns.astype(np.int64) @ np.rint(basis * 2**20).astype(np.int64)).max() < 2 ** (BITS + 5)
    assert (
        adjusted_distance(columns, np.zeros(200, dtype=np.bool_), score_threshold(Fraction(1, 100)))[[2, 4]].tolist()
        == [201] * 2
    )


def test_the_threshold_is_the_least_whole_number() -> None:
    """C^2 is at or above 4^BITS t v, and (C - 1)^2 is not; a rare disease, of known prevalence, asks for less."""
    half, rare = score_threshold(Fraction(1, 20)), score_threshold(Fraction(1, 20), Fraction(19, 400))
    squared = Fraction(3.841458820694126) * 4**BITS
    assert (half - 1) ** 2 < squared / 4 <= half**2
    assert (rare - 1) ** 2 < squared * Fraction(19, 400) <= rare**2


@pytest.mark.parametrize("codes", [(0, 1, 2), (1, 0)])
def test_tables_have_the_distance_of_their_people(codes: tuple[int, ...]) -> None:
    numbers = np.random.default_rng(8)
    tables = numbers.multinomial(90, numbers.dirichlet([0.6] * 2 * len(codes), 60))
    for p in (Fraction(3, 10), Fraction(1, 10**4)):
        threshold = score_threshold(p)
        found = table_distance(tables, codes, threshold)
        for table, distance in zip(tables, found, strict=True):
            copies = np.repeat([*codes, *codes], table)[np.newaxis]
            cases = np.repeat([True, False], len(codes)).repeat(table)
            columns = whole_columns(copies - copies.mean())
            assert adjusted_distance(columns, cases, threshold).tolist() == [distance]

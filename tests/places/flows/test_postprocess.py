"""Least squares of all pairs of levels: equal to dense ones, so unbiased; whatever the tree and the shares."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.places.flows.answers.deviation import Noise
from starling.places.flows.measurements import UNIT
from starling.places.flows.plan import Levels
from starling.places.flows.plan.levels import default_shares
from starling.places.flows.postprocess import estimate
from starling.privacy.budget import Cost, Epsilon, Rho
from starling.privacy.distributions.accuracy import standard_deviation

COSTS = (Epsilon(Fraction(1, 2)), Rho(Fraction(1, 2)))


@st.composite
def trees(draw: st.DrawFn) -> Levels:
    """A whole, one to three larger areas, two to five areas; levels with any shares, but some for the areas."""
    middle = draw(st.integers(1, 3))
    more = draw(st.lists(st.integers(0, middle - 1), max_size=5 - middle))
    areas = draw(st.permutations([*range(middle), *more]))
    shares = (*draw(st.lists(st.integers(0, 3), min_size=2, max_size=2)), draw(st.integers(1, 3)))
    parents = (np.zeros(middle, dtype=np.int64), np.array(areas))
    return Levels((1, middle, len(areas)), parents, tuple(Fraction(each, sum(shares)) for each in shares))


def dense(of: Levels, cost: Cost) -> tuple[np.ndarray, np.ndarray]:
    """The matrix that makes estimates of all measured numbers, and the exact variance of each of these."""
    ends = [np.equal.outer(np.arange(of.sizes[level]), of.nodes_of_areas[level]) * 1.0 for level in of.measured]
    factors = of.relative_variances(cost)
    rows, weights, variances = [], [], []
    for pair in of.pairs:
        one, other = (of.measured.index(level) for level in pair)
        block = np.kron(ends[one], ends[other])
        rows.append(block)
        weights.append(np.full(len(block), 1 / (factors[one] * factors[other])))
        variances.append(np.full(len(block), standard_deviation(of.noise(pair, cost, 2)) ** 2))
    matrix, weight = np.vstack(rows), np.concatenate(weights)
    return np.linalg.solve(matrix.T @ (weight[:, None] * matrix), matrix.T * weight), np.concatenate(variances)


@settings(max_examples=40)
@given(of=trees(), cost=st.sampled_from(COSTS), seed=st.integers(0, 99))
def test_estimates_are_dense_least_squares_and_their_deviations_exact(of: Levels, cost: Cost, seed: int) -> None:
    random = np.random.default_rng(seed)
    drawn = tuple(random.integers(-50, 50, (of.sizes[one], of.sizes[other])) for one, other in of.pairs)
    maker, variances = dense(of, cost)
    expected = (maker @ np.concatenate([each.reshape(-1) for each in drawn])).reshape(of.areas, of.areas)
    assert np.abs(estimate(of, cost, drawn) - expected).max() <= 2.0 ** -(UNIT + 1) + 1e-9
    noise, one, other = Noise(of, cost, 2), *random.normal(size=(2, of.areas, 2))
    deviation = noise.deviation(noise.end(one), noise.end(other))
    for row, column in np.ndindex(2, 2):
        coefficients = maker.T @ np.kron(one[:, row], other[:, column])
        assert deviation[row, column] == pytest.approx(np.sqrt(variances @ coefficients**2))


def test_sums_are_exact_in_any_order() -> None:
    of = Levels((1, 3), (np.zeros(3, dtype=np.int64),), default_shares(2))
    random = np.random.default_rng(1)
    drawn = tuple(random.integers(-9, 9, (of.sizes[one], of.sizes[other])) for one, other in of.pairs)
    table = estimate(of, COSTS[0], drawn).reshape(-1)
    assert {float(sum(random.permutation(table).tolist())) for _ in range(20)} == {float(table.sum())}
    assert (np.ldexp(table, UNIT) == np.floor(np.ldexp(table, UNIT))).all()

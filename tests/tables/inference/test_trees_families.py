"""Two passes over vectors are the least-squares projection."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from starling.hierarchy.trees import Estimated
from starling.tables.inference.trees import settle
from tests.tables.inference.dense import leaves_of, projection, trees


@given(trees(), st.integers(2, 4), st.integers(0, 2**32 - 1))
def test_families_are_the_dense_projection(parents: list[np.ndarray], members: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    top = int(parents[0].max()) + 1
    # Of each region, the sum of the members and then each of them.
    means, width = np.array([100.0] + [50.0] * members), (members + 1,)
    levels = [
        Estimated(random.normal(means, 20, (size, *width)), random.uniform(0.1, 30, (size, *width)))
        for size in (top, *map(len, parents))
    ]
    design, values, variances = [], [], []
    output = [np.kron(each, np.eye(members)) for each in leaves_of(parents, top)]
    for level, each in zip(levels, output, strict=True):
        sums = np.kron(np.eye(len(level.count)), np.ones((1, members))) @ each
        design += [each, sums]
        values += [level.count[:, 1:].ravel(), level.count[:, 0]]
        variances += [level.variance[:, 1:].ravel(), level.variance[:, 0]]
    x, covariance = projection(np.concatenate(design), np.concatenate(values), np.concatenate(variances))
    for level, rest, each in zip(levels, settle(levels, parents), output, strict=True):
        np.testing.assert_allclose(rest.count[:, 1:].ravel(), each @ x, rtol=1e-7, atol=1e-7)
        np.testing.assert_allclose(rest.count[:, 0], rest.count[:, 1:].sum(axis=1), rtol=1e-12, atol=1e-9)
        spread = each @ covariance @ each.T
        np.testing.assert_allclose(rest.variance[:, 1:].ravel(), np.diag(spread), rtol=1e-7)
        blocks = spread.reshape(len(level.count), members, len(level.count), members)
        np.testing.assert_allclose(rest.variance[:, 0], np.einsum("ijik->i", blocks), rtol=1e-7)
        assert (rest.variance <= level.variance * (1 + 1e-9)).all()

"""Two passes over vectors are the least-squares projection."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from starling.tables.inference.trees import Layer, settle
from tests.tables.inference.dense import leaves_of, projection, trees


@given(trees(), st.integers(2, 4), st.integers(0, 2**32 - 1))
def test_families_are_the_dense_projection(parents: list[np.ndarray], members: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    top = int(parents[0].max()) + 1
    above = [np.zeros(top, dtype=np.int64), *parents]
    layers = [
        Layer(
            random.normal(50, 20, (len(parent), members)),
            random.uniform(0.1, 30, (len(parent), members)),
            random.normal(100, 20, len(parent)),
            random.uniform(0.1, 30, len(parent)),
            parent,
        )
        for parent in above
    ]
    design, values, variances = [], [], []
    made = [np.kron(each, np.eye(members)) for each in leaves_of(parents, top)]
    for layer, each in zip(layers, made, strict=True):
        sums = np.kron(np.eye(len(layer.total)), np.ones((1, members))) @ each
        design += [each, sums]
        values += [layer.counts.ravel(), layer.total]
        variances += [layer.variances.ravel(), layer.total_variance]
    x, covariance = projection(np.concatenate(design), np.concatenate(values), np.concatenate(variances))
    for layer, found, each in zip(layers, settle(layers), made, strict=True):
        np.testing.assert_allclose(found.counts.ravel(), each @ x, rtol=1e-7, atol=1e-7)
        spread = each @ covariance @ each.T
        np.testing.assert_allclose(found.variances.ravel(), np.diag(spread), rtol=1e-7)
        blocks = spread.reshape(len(layer.total), members, len(layer.total), members)
        whole_variance = np.einsum("ijik->i", blocks)
        np.testing.assert_allclose(found.total_variance, whole_variance, rtol=1e-7)
        assert (found.variances <= layer.variances * (1 + 1e-9)).all()
        assert (found.total_variance <= layer.total_variance * (1 + 1e-9)).all()

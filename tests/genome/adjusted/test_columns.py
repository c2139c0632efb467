"""Columns with covariates taken out, beside least squares of whole columns."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.genome.adjusted import Coding, covariate_basis
from starling.genome.adjusted.columns import TILE, residual_columns, tiles
from tests.genome.residuals import CODED, as_calls, plain_residuals, whole


@pytest.mark.parametrize("coding", CODED)
@pytest.mark.parametrize("second", [False, True])
def test_residuals_are_those_of_least_squares(coding: Coding, second: bool) -> None:
    random = np.random.default_rng(4)
    carried = random.choice([-1, 0, 1, 2], size=(40, 37), p=[0.1, 0.4, 0.3, 0.2]).astype(np.int8)
    covariates = random.normal(size=(37, 3)) * [1, 1e6, 1e-6] + [0, 1e7, 5]
    columns = whole(residual_columns(as_calls(carried, second), coding, covariate_basis(covariates)))
    assert np.allclose(columns.values, plain_residuals(carried, coding, covariates), atol=1e-9)
    called = carried >= 0
    assert columns.calls.tolist() == called.sum(axis=1).tolist()
    assert np.allclose(columns.frequencies, [row[row >= 0].mean() / 2 for row in carried])
    assert np.allclose(columns.means, [np.mean([CODED[coding][each] for each in row if each >= 0]) for row in carried])


def test_what_the_basis_explains_is_zero() -> None:
    carried = np.array([[0, 1, 2, 1, 0, 0], [1] * 6, [-1] * 6, [0, 1, 0, 1, 0, 2]], dtype=np.int8)
    columns = whole(residual_columns(as_calls(carried), "additive", covariate_basis(carried[:1].T / 3.0)))
    assert not columns.values[:3].any()
    assert np.abs(columns.values[3]).max() > 0.1
    assert columns.calls.tolist() == [6, 6, 0, 6]
    assert columns.frequencies[2] == columns.means[2] == 0


@given(st.integers(0, 2**32), st.integers(3, 30), st.integers(0, 6))
def test_a_basis_is_orthonormal_and_spans_its_covariates(seed: int, people: int, number: int) -> None:
    random = np.random.default_rng(seed)
    values = random.integers(-2, 3, size=(people, number)).astype(np.float64)
    if number > 2:
        values[:, 2] = 3 * values[:, 0] - values[:, 1] + 7
    basis = covariate_basis(values)
    design = np.column_stack([np.ones(people), values])
    assert basis.shape[1] == np.linalg.matrix_rank(design)
    assert np.allclose(basis.T @ basis, np.eye(basis.shape[1]), atol=1e-12)
    assert np.allclose(basis @ (basis.T @ design), design, atol=1e-9)


def test_a_basis_takes_any_finite_number() -> None:
    values = np.array([[1e308, 1e-320, 5.0], [-1e308, 0.0, 5.0], [1e308, 0.0, 5.0], [0.0, 0.0, 5.0]])
    basis = covariate_basis(values)
    assert basis.shape[1] == 3  # the constant is the intercept
    assert np.allclose(basis.T @ basis, np.eye(3))


def test_tiles_are_bounded_and_lose_nothing() -> None:
    carried = np.arange(7 * 4).reshape(7, 4).astype(np.int8) % 3
    calls = as_calls(carried)
    parts = list(tiles(calls, TILE // 3))
    assert [len(part.snps) for part in parts] == [3, 3, 1]
    assert np.array_equal(np.concatenate([part.packed for part in parts]), calls.packed)


def test_columns_do_not_depend_on_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(6)
    calls = as_calls(random.choice([-1, 0, 1, 2], size=(11, 70)).astype(np.int8))
    basis = covariate_basis(random.normal(size=(70, 2)))
    (at_once,) = residual_columns(calls, "additive", basis)
    monkeypatch.setattr("starling.genome.adjusted.columns.TILE", 70 * 4)
    parts = list(residual_columns(calls, "additive", basis))
    assert [len(part.snps) for part in parts] == [4, 4, 3]
    for column, wanted in zip(whole(parts), at_once, strict=True):
        assert np.array_equal(column, wanted)

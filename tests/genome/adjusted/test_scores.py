"""Score tests beside the definition, one SNP at a time."""

import numpy as np
import pytest

from starling.genome.adjusted import Coding, covariate_basis, residual_columns, score_calls, score_tests
from tests.genome.residuals import CODED, as_calls, plain_residuals


@pytest.mark.parametrize("coding", CODED)
def test_scores_are_those_of_the_definition(coding: Coding) -> None:
    random = np.random.default_rng(9)
    carried = random.choice([-1, 0, 1, 2], size=(30, 41), p=[0.1, 0.4, 0.3, 0.2]).astype(np.int8)
    carried[3] = 1
    covariates = random.normal(size=(41, 2))
    response = random.choice([-0.6, 1.6], size=41)
    basis = covariate_basis(covariates)
    design = np.column_stack([np.ones(41), covariates])
    rest = response - design @ np.linalg.lstsq(design, response, rcond=None)[0]
    found = score_calls(as_calls(carried), coding, response, basis)
    for at, column in enumerate(plain_residuals(carried, coding, covariates)):
        assert found.scores[at] == pytest.approx(sum(column * rest), abs=1e-9)
        assert found.variances[at] == pytest.approx(sum(column**2 * rest**2), abs=1e-9)
        assert found.squares[at] == pytest.approx(sum(column**2), abs=1e-9)
    assert found.snps.tolist() == list(range(30))
    assert (found.scores[3], found.variances[3], found.squares[3]) == (0, 0, 0)
    columns = residual_columns(as_calls(carried), coding, basis)
    for one, other in zip(found, score_tests(columns, response, basis), strict=True):
        assert np.allclose(one, other, rtol=1e-9, atol=1e-9)

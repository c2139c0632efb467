"""Score tests beside the definition, one SNP at a time."""

import numpy as np
import pytest

from starling.genome.adjusted import Coding, ScoreTests, covariate_basis
from starling.genome.adjusted.columns import residual_columns
from starling.genome.arrays import Float64, Int8
from tests.genome.residuals import CODED, as_calls, plain_residuals, whole


def check(carried: Int8, coding: Coding, covariates: Float64, response: Float64, second: bool = False) -> None:
    design = np.column_stack([np.ones(len(response)), covariates])
    rest = response - design @ np.linalg.lstsq(design, response, rcond=None)[0]
    found = ScoreTests.of(coding, response, covariate_basis(covariates)).score(as_calls(carried, second))
    columns = plain_residuals(carried, coding, covariates)
    spread = np.sqrt(np.square(columns).sum(axis=1) * np.square(rest).sum())
    assert np.allclose(found.scores / spread, columns @ rest / spread, rtol=0, atol=1e-9)
    assert np.allclose(found.variances, columns**2 @ rest**2, rtol=1e-8)
    assert np.allclose(found.squares, (columns**2).sum(axis=1), rtol=1e-8)
    called = carried >= 0
    assert found.calls.tolist() == called.sum(axis=1).tolist()
    assert np.allclose(found.frequencies, [row[row >= 0].mean() / 2 for row in carried])
    assert np.allclose(found.means, [np.mean([CODED[coding][each] for each in row if each >= 0]) for row in carried])


@pytest.mark.parametrize("coding", CODED)
@pytest.mark.parametrize("second", [False, True])
def test_scores_are_those_of_the_definition(coding: Coding, second: bool) -> None:
    random = np.random.default_rng(9)
    rare, common = [0.1, 0.4, 0.3, 0.2], [0.0, 0.02, 0.1, 0.88]
    carried = np.concatenate([random.choice([-1, 0, 1, 2], size=(50, 641), p=p) for p in (rare, common)])
    check(carried.astype(np.int8), coding, random.normal(size=(641, 2)), random.choice([-0.6, 1.6], 641), second)


def test_a_rare_allele_keeps_its_digits() -> None:
    random = np.random.default_rng(2)
    carried = np.full((2, 20_000), 2, dtype=np.int8)
    carried[0, 77] = carried[1, 5] = carried[1, 9] = 1
    check(carried, "additive", random.normal(size=(20_000, 3)) * 1e4, random.choice([-0.6, 1.6], 20_000))


def test_what_the_basis_explains_says_nothing() -> None:
    carried = np.array([[0, 1, 2, 1, 0, 0], [1] * 6, [-1] * 6, [0, 1, 0, 1, 0, 2]], dtype=np.int8)
    basis = covariate_basis(carried[:1].T / 3.0)
    found = ScoreTests.of("additive", np.array([0.0, 1, 0, 1, 1, 1]), basis).score(as_calls(carried))
    for numbers in (found.scores, found.variances, found.squares):
        assert not numbers[:3].any()
        assert numbers[3]


def test_what_the_basis_explains_says_nothing_of_many_people_either() -> None:
    """All alike, whatever they have, and a SNP that is a covariate: not even what rounding leaves of them counts."""
    people = 200_003
    carried = np.ones((5, people), dtype=np.int8)
    carried[1:3] = 2
    carried[2, 7] = -1
    carried[3, ::2] = 2
    carried[4, 9] = 2
    basis = covariate_basis(np.column_stack((carried[3] * 1e5, np.arange(people) ** 9 * 1e-30)))
    response = (np.arange(people) % 7 - 3).astype(np.float64)
    found = ScoreTests.of("additive", response, basis).score(as_calls(carried))
    assert (found.variances > 0).tolist() == [False] * 4 + [True]
    columns = whole(residual_columns(as_calls(carried), "additive", basis))
    assert columns.values.any(axis=1).tolist() == [False] * 4 + [True]


def test_bits_do_not_depend_on_how_people_or_snps_are_split() -> None:
    random = np.random.default_rng(5)
    carried = random.choice([-1, 0, 1, 2], size=(101, 1300), p=[0.02, 0.5, 0.3, 0.18]).astype(np.int8)
    tests = ScoreTests.of("additive", random.choice([-0.6, 1.6], 1300), covariate_basis(random.normal(size=(1300, 9))))
    whole = tests.score(as_calls(carried))
    for start in range(0, 101, 7):
        part = tests.score(as_calls(carried[start : start + 7]))
        assert np.array_equal(part.scores, whole.scores[start : start + 7])
        assert np.array_equal(part.variances, whole.variances[start : start + 7])

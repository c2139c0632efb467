"""Sums of dosages beside the definition, and beside calls, which they equal bit by bit where they are whole."""

import numpy as np
import pytest

from starling.genome.adjusted import ScoreTests, covariate_basis, dosages
from starling.genome.adjusted.columns import residual_columns
from starling.genome.adjusted.dosages import residual_dosages
from starling.genome.arrays import Float64, Int8
from starling.genome.source.dosages import MOST, NO_DOSAGE, STEP, Dosages
from tests.genome.residuals import as_calls, whole

RANDOM = np.random.default_rng(4)


def as_dosages(copies: Int8) -> Dosages:
    return Dosages(np.arange(len(copies)), np.where(copies < 0, NO_DOSAGE, copies.astype(int) * STEP).astype(np.uint16))


def drawn(snps: int, people: int) -> Dosages:
    """Rare and common alleles, some of them missing, one SNP missing of everybody and one alike for all."""
    shares = RANDOM.beta(0.5, 0.5, (snps, 1))
    steps = np.rint(RANDOM.beta(0.5 + 3 * shares, 3.5 - 3 * shares, (snps, people)) * MOST)
    steps[RANDOM.random(steps.shape) < 0.05] = NO_DOSAGE
    steps[0], steps[1] = NO_DOSAGE, 9_999
    return Dosages(np.arange(snps), steps.astype(np.uint16))


def filled(some: Dosages) -> Float64:
    """The slow twin: copies of each person, a missing one by the mean."""
    copies = np.where(some.steps == NO_DOSAGE, np.nan, some.steps / STEP)
    return np.stack([np.where(np.isnan(row), np.nanmean(row) if not np.isnan(row).all() else 0, row) for row in copies])


@pytest.mark.slow
def test_scores_and_columns_are_those_of_the_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dosages, "TILE", 641 * 7)
    some, covariates, response = drawn(60, 641), RANDOM.normal(size=(641, 2)), RANDOM.choice([-0.6, 1.6], 641)
    basis = covariate_basis(covariates)
    design = np.column_stack([np.ones(641), covariates])
    rest = response - design @ np.linalg.lstsq(design, response, rcond=None)[0]
    columns = np.stack([row - design @ np.linalg.lstsq(design, row, rcond=None)[0] for row in filled(some)])
    columns[:2] = 0.0
    scores = ScoreTests.of("additive", response, basis).score(some)
    np.testing.assert_allclose(scores.scores, columns @ rest, atol=1e-9)
    np.testing.assert_allclose(scores.variances, columns**2 @ rest**2, rtol=1e-8)
    np.testing.assert_allclose(scores.squares, (columns**2).sum(axis=1), rtol=1e-8)
    np.testing.assert_allclose(residual_dosages(some, basis).values, columns, atol=1e-9)
    assert scores.calls.tolist() == (some.steps != NO_DOSAGE).sum(axis=1).tolist()
    np.testing.assert_allclose(scores.frequencies[1:], [row[row != NO_DOSAGE].mean() / MOST for row in some.steps[1:]])
    assert scores.frequencies[0] == scores.calls[0] == 0


@pytest.mark.parametrize("people", [5, 700, 20_011])
def test_whole_dosages_give_what_calls_do_bit_by_bit(people: int) -> None:
    rare, common = [0.05, 0.65, 0.25, 0.05], [0.05, 0.02, 0.13, 0.8]
    copies = np.concatenate([RANDOM.choice([-1, 0, 1, 2], (9, people), p=p) for p in (rare, common)]).astype(np.int8)
    basis, response = covariate_basis(RANDOM.normal(size=(people, 3))), RANDOM.choice([-0.6, 1.6], people)
    tests = ScoreTests.of("additive", response, basis)
    for mine, other in (
        (tests.score(as_dosages(copies)), tests.score(as_calls(copies))),
        (residual_dosages(as_dosages(copies), basis), whole(residual_columns(as_calls(copies), "additive", basis))),
    ):
        for column, wanted in zip(mine, other, strict=True):
            np.testing.assert_array_equal(column, wanted)


def test_sums_are_exact() -> None:
    """Against whole numbers of any length: no order of people changes a bit."""
    people = 3_000
    coded = dosages.coded_dosages(drawn(6, people))
    basis = covariate_basis(RANDOM.normal(size=(people, 3)))
    tests = ScoreTests.of("additive", RANDOM.normal(size=people), basis)
    sums, weights, squares = dosages.dosage_sums(coded, tests.weights), tests.weights.values, tests.weights.squares
    exactly = [[int(number * 2.0**80) for number in column] for column in weights[:people].T]
    for snp in (1, 3):
        called = ~coded.missing[snp]
        assert called.all() == (snp == 1)
        for at, column in enumerate(exactly):
            power = 2 if at == squares else 1
            steps = [int(step) ** power for step in coded.steps[snp]]
            exact = sum(s * w for s, w in zip(steps, column, strict=True)) / 2**80 / STEP**power
            missing = float(coded.means[snp]) ** power * float(weights[:people, at][~called].sum())
            assert sums[snp, at] == exact + missing

"""Statements of error of each query hold for what the mechanisms draw."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from starling.genome.inference.answers import SelectionError, correlation, p_value, selection_error
from starling.genome.mechanism.noisy_tables import SnpCorrMechanism, SnpPvalMechanism
from starling.genome.plan import LocBlock, LocSig, NumSig, SnpCorr, SnpPval
from starling.genome.statistics.association import allele_tables, log10_p_values, r_squared
from tests.genome.mechanism.distributions import TinyStudy, tiny_plan

DRAWS = 300
"""At alpha 0.2 a share below 0.7 has a chance under 1e-4; intervals for four times the epsilon cover far less."""


def a_study(model: Any) -> TinyStudy:
    random = np.random.default_rng(8)
    cases = np.arange(400) < 200
    first = random.random(400) < np.where(cases, 0.6, 0.35)
    second = first ^ (random.random(400) < 0.2)
    return TinyStudy((np.stack([first, second], axis=1) * 2).astype(np.int8), cases, model)


@pytest.mark.series(3)
@pytest.mark.statistical
@pytest.mark.parametrize("noise", ["lattice", "laplace"])
@pytest.mark.parametrize("model", ["dominant", "recessive", "genotypic", "allelic"])
def test_intervals_of_p_values_hold_the_exact_one(model: Any, noise: Any) -> None:
    plan, study = tiny_plan(400, 2, model), a_study(model)
    query = SnpPval("rs0", "g", Fraction(1, 2), noise)
    mechanism, table = SnpPvalMechanism(plan, query), study.tables()[:1]
    truth = float(log10_p_values(allele_tables(table) if model == "allelic" else table, "g")[0])
    found = [p_value(plan, query, mechanism.draw(study), Fraction(1, 5)) for _ in range(DRAWS)]
    assert np.mean([one.low - 1e-9 <= truth <= one.high + 1e-9 for one in found]) > 0.7
    assert all(one.low - 1e-9 <= one.high for one in found)


@pytest.mark.statistical
@pytest.mark.parametrize("noise", ["lattice", "laplace"])
def test_intervals_of_correlations_hold_the_exact_one(noise: Any) -> None:
    plan, study = tiny_plan(400, 2), a_study("dominant")
    query = SnpCorr("rs0", "rs1", "r2", Fraction(1, 2), noise)
    truth = float(r_squared(study.pair_tables(np.array([[0, 1]])))[0])
    mechanism = SnpCorrMechanism(plan, query)
    found = [correlation(plan, query, mechanism.draw(study), Fraction(1, 5)) for _ in range(DRAWS)]
    assert np.mean([one.low <= truth <= one.high for one in found]) > 0.7


def test_candidates_of_a_selection_are_public() -> None:
    plan = tiny_plan(100, 20)
    one = Fraction(1)
    assert selection_error(plan, NumSig("g", 2, one)) == SelectionError(6, one)
    assert selection_error(plan, LocSig("g", 3, one)) == SelectionError(20, one, 3)
    # 5 * 16 blocks hold SNP 4, and there may be none.
    assert selection_error(plan, LocBlock("r2", Fraction(1, 5), ("rs4",), one)) == SelectionError(81, one)

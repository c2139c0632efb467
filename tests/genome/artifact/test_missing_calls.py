"""Columns of who lacks a call stand in the table of SNPs where the plan counts them apart, and hold what was told."""

from dataclasses import replace
from fractions import Fraction

import pytest

from starling.genome.artifact.missing_calls import COLUMNS, COUNTS, RANGES, missing_columns, ranges_of
from starling.genome.artifact.tables import filled, schemas
from starling.genome.measurements import Cells
from starling.genome.plan import SnpPval
from starling.genome.postprocess.estimates import estimate
from starling.genome.postprocess.p_values import PValue
from tests.genome.mechanism.distributions import tiny_plan

QUESTION = SnpPval("rs1", "g", Fraction(2))
PLAN = replace(tiny_plan(60, 9), missing="cell")


@pytest.mark.slow
def test_they_are_filled_with_the_answer() -> None:
    told = estimate(PLAN, QUESTION, Cells((18, 8, 4, 12, 18, 0)))
    (row,) = filled(PLAN, QUESTION, told)["snps"].to_pylist()
    assert (*COUNTS, *RANGES) == tuple(COLUMNS)
    assert [row[name] for name in COUNTS] == [4, 0]
    assert isinstance(told.answer, PValue)
    missing = told.answer.missing
    assert missing is not None
    assert [row["P_MISS"], row["P_MISS_LOW"], row["F_MISS_U_HIGH"]] == [missing.p, missing.low, missing.controls.high]
    assert set(row) == set(schemas(PLAN, QUESTION)["snps"].names)


def test_they_are_in_no_other_table() -> None:
    plan = replace(PLAN, missing=None)
    assert ranges_of(plan) == ()
    told = estimate(plan, QUESTION, Cells((20, 10, 12, 18)))
    assert isinstance(told.answer, PValue)
    assert missing_columns([told.answer]) == {}
    assert not {*COLUMNS} & {*schemas(plan, QUESTION)["snps"].names}

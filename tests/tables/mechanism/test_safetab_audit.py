"""SafeTab from end to end under the falsifier: what it releases of a toy world refutes no cost that it claims, and refutes less."""

from fractions import Fraction

import numpy as np
import pytest

from starling.audit.falsifier import falsify
from starling.privacy.budget import Cost, Epsilon, Measure, Rho
from starling.tables.measurements import Int64
from starling.tables.mechanism import SafeTab
from starling.tables.plan import GeographyLevel
from tests.tables.small import level_of, small_geography, small_plan, written

BUDGET = Fraction(2)
"""Of the county level, in which one person is in at most two groups."""


def county_outputs(measure: Measure, thresholds: tuple[int, int, int], persons: int, counties: int) -> Int64:
    """What is released of each of many counties that hold the same: each county is one independent run of the mechanism.

    A county has two groups of `persons` persons of one sex and age. Each noisy value that a person moves (two a group) is
    clipped to a few values around the exact one, which is post-processing: shape (counties, 4).
    """
    plan = small_plan(measure, budget=BUDGET, thresholds=thresholds, geographies=(GeographyLevel.COUNTY,))
    geography = small_geography(plan, counties)
    level = level_of(SafeTab(plan, geography).draw(written(plan, geography, persons)), 0)
    first = level.values[level.offsets()[:-1]]
    return np.clip(np.column_stack((level.stage1, first)), 3, 9).reshape(counties, -1)


@pytest.mark.statistical
@pytest.mark.parametrize("thresholds", [(50, 60, 70), (1, 60, 70), (5, 7, 9)], ids=["totals", "cells", "adaptive"])
@pytest.mark.parametrize(
    ("measure", "claim", "forgotten"),
    [("epsilon", Epsilon(BUDGET), Epsilon(BUDGET / 2)), ("rho", Rho(BUDGET), Rho(BUDGET / 2))],
)
def test_no_draw_refutes_the_cost_and_a_forgotten_degree_is_refuted(
    measure: Measure, claim: Cost, forgotten: Cost, thresholds: tuple[int, int, int]
) -> None:
    """False alarm at most 1e-6 each (asked for: 1e-3). That the half is refuted shows that the audit sees both groups."""
    finding = falsify(
        lambda draws: county_outputs(measure, thresholds, 5, draws),
        lambda draws: county_outputs(measure, thresholds, 6, draws),
        100_000,
        goal=measure,
    )
    assert not finding.refutes(claim)
    assert finding.refutes(forgotten)

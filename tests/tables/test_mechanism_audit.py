"""SafeTab from end to end under the falsifier: what it releases of a toy world refutes no cost that it claims, and refutes less."""

import numpy as np
import pytest

from starling.audit.falsifier import falsify
from starling.audit.tables_mechanisms import BUDGET, Thresholds, released
from starling.privacy.budget import Cost, Epsilon, Measure, Rho
from starling.privacy.sampling.entropy import system


@pytest.mark.series(1)
@pytest.mark.statistical
@pytest.mark.parametrize("thresholds", [(50, 60, 70), (1, 60, 70), (5, 7, 9)], ids=["totals", "cells", "adaptive"])
@pytest.mark.parametrize(
    ("measure", "claim", "forgotten"),
    [("epsilon", Epsilon(BUDGET), Epsilon(BUDGET / 2)), ("rho", Rho(BUDGET), Rho(BUDGET / 2))],
)
def test_no_draw_refutes_the_cost_and_a_forgotten_degree_is_refuted(
    measure: Measure, claim: Cost, forgotten: Cost, thresholds: Thresholds
) -> None:
    """False alarm at most 1e-6 each (asked for: 1e-3). That the half is refuted shows that the audit sees both groups."""
    draws = released(measure, thresholds)
    finding = falsify(
        lambda number: draws(np.array([5]), number, system()),
        lambda number: draws(np.array([6]), number, system()),
        100_000,
        goal=measure,
    )
    assert not finding.refutes(claim)
    assert finding.refutes(forgotten)

"""The pairs are neighbours, the claims are what plans declare, and what spends more is refuted."""

import numpy as np
import pytest

from starling.audit.case import Case
from starling.audit.falsifier import falsify
from starling.audit.groups_mechanisms import BANDS, DECLARED, LEVELS, MUTANTS, states_plan
from starling.groups.plan import METHODS, SplitBudget
from starling.privacy.budget import Epsilon


@pytest.mark.parametrize("case", DECLARED, ids=lambda case: f"{case.name}, {case.goal}")
def test_one_group_grows_by_no_more_than_a_member_brings(case: Case) -> None:
    change = np.array(case.right) - np.array(case.left)
    assert change.sum() == 0
    assert change @ np.arange(len(change)) == (2 if "two units" in case.name else 1)
    assert np.abs(change).sum() == 2


@pytest.mark.parametrize("budget", [None, BANDS])
def test_the_claim_is_the_guarantee_without_the_nation(budget: SplitBudget | None) -> None:
    plan = states_plan(1, "c_joint", "epsilon", budget=budget)
    assert plan.cost.amount * LEVELS / (LEVELS + 1) == DECLARED[0].claim.amount
    assert all(sum(amounts[1:]) == DECLARED[0].claim.amount for amounts in plan.budget.amounts)


def test_every_kind_of_measurement_is_audited() -> None:
    kinds = {(method.startswith("c_"), measure) for method in METHODS for measure in ("epsilon", "rho")}
    assert {(case.name.startswith("cumulative"), case.goal) for case in DECLARED} >= kinds


@pytest.mark.statistical
def test_the_claim_stands_and_half_of_it_does_not() -> None:
    """False alarm at most 1e-6; that half is refuted shows that the audit sees what a member changes."""
    case = next(case for case in DECLARED if case.name == "cumulative groups")
    finding = falsify(*case.samplers(), case.draws, goal=case.goal)
    assert not finding.refutes(case.claim)
    assert finding.refutes(Epsilon(case.claim.amount / 2))


@pytest.mark.statistical
@pytest.mark.parametrize("case", MUTANTS, ids=lambda case: case.name)
def test_a_plan_that_spends_more_is_refuted(case: Case) -> None:
    """Missed with a chance below 1e-7: bounds of twice the draws lie seven deviations above the claim."""
    assert falsify(*case.samplers(), 2 * case.draws, goal=case.goal).refutes(case.claim)

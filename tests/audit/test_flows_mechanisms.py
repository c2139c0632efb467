"""Flows stand under the falsifier at what they declare, and a pair of levels that gets too much is refuted."""

import numpy as np
import pytest

from starling.audit.case import Case
from starling.audit.falsifier import falsify
from starling.audit.flows_mechanisms import DECLARED, MUTANTS
from starling.privacy.budget import Epsilon


@pytest.mark.parametrize("case", [*DECLARED, *MUTANTS], ids=lambda case: case.name)
def test_one_unit_adds_its_trips_to_a_pair_of_areas(case: Case) -> None:
    change = np.array(case.right) - np.array(case.left)
    assert np.count_nonzero(change) == 1
    assert change.sum() == (2 if "two trips" in case.name else 1)


@pytest.mark.slow
@pytest.mark.statistical
def test_the_claims_stand_a_tenth_of_them_does_not_and_the_mutant_falls() -> None:
    """False alarm at most 1e-6 each; that a tenth is refuted shows that the audit sees what a trip changes."""
    for case in DECLARED:
        finding = falsify(*case.samplers(), case.draws, goal=case.goal)
        assert not finding.refutes(case.claim)
        assert finding.refutes(Epsilon(case.claim.amount / 10))
    (mutant,) = MUTANTS
    assert falsify(*mutant.samplers(), mutant.draws, goal=mutant.goal).refutes(mutant.claim)

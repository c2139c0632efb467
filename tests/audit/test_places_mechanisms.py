"""The pairs are neighbours, the claims are what methods declare, and what spends more is refuted."""

import numpy as np
import pytest

from starling.audit.case import Case
from starling.audit.falsifier import falsify
from starling.audit.places_mechanisms import DECLARED, FEW, MUTANTS, MUTANTS_EPSILON, coded, where_points_lie
from starling.places.mechanism.uniform_grid import LOAD, side
from starling.privacy.budget import Epsilon
from starling.privacy.sampling.entropy import system


@pytest.mark.parametrize("case", [*DECLARED, *MUTANTS], ids=lambda case: case.name)
def test_one_unit_adds_its_points_to_a_cell(case: Case) -> None:
    change = np.array(case.right) - np.array(case.left)
    assert np.count_nonzero(change) == 1
    assert change.sum() == (2 if "two points" in case.name + case.flaw else 1)


def test_every_method_that_grows_is_audited() -> None:
    names = [case.name.removesuffix(", two points a person") for case in DECLARED]
    assert names == [
        "adaptive, for all sizes",
        "adaptive, for streets",
        "adaptive before 0.3, by depth",
        "adaptive before 0.3, by counts",
        "htf",
        "privtree",
        "dawa",
    ]


@pytest.mark.parametrize("case", DECLARED, ids=lambda case: case.name)
def test_a_release_tells_of_its_path_in_numbers_of_one_length(case: Case) -> None:
    rows = case.mechanism(np.array(case.right), 20, system())
    assert rows.shape == (20, 13)
    assert (rows[:, 0] >= 1).all()
    assert set(np.unique(rows[:, 1:])) <= {-1, 0, 1}
    # Something is measured of the first cell in every release, and of a search in some.
    assert (rows[:, 1:7] >= 0).any(axis=1).all()
    assert (rows[:, 7:] >= 0).any() == (case.name == "htf")


def test_a_code_is_of_the_boxes_that_hold_the_first_cell() -> None:
    code = coded(where_points_lie(np.array([[10**6, 0], [0, 10**6]])))
    assert code == [1, 1, *[-1] * 11]
    assert coded(where_points_lie(np.zeros((2, 2), dtype=np.int64)))[0] == 4


def test_one_point_more_gives_the_coarse_grid_another_shape() -> None:
    assert [side(number * MUTANTS_EPSILON / LOAD) for number in (FEW, FEW + 1)] == [1, 2]


@pytest.mark.slow
@pytest.mark.statistical
def test_the_claim_stands_and_a_quarter_of_it_does_not() -> None:
    """False alarm at most 1e-6; that a quarter is refuted, which lies six deviations of the bound below it, shows that the audit
    sees what a point changes."""
    case = next(case for case in DECLARED if "for all sizes" in case.name)
    finding = falsify(*case.samplers(), case.draws, goal=case.goal)
    assert not finding.refutes(case.claim)
    assert finding.refutes(Epsilon(case.claim.amount / 4))


@pytest.mark.series(1)
@pytest.mark.statistical
@pytest.mark.parametrize("case", MUTANTS, ids=lambda case: case.name)
def test_a_method_that_costs_more_is_refuted(case: Case) -> None:
    """Missed with a chance below 1e-3: twice the draws that are caught nine times of ten."""
    assert falsify(*case.samplers(), 2 * case.draws, goal=case.goal).refutes(case.claim)

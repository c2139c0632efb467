"""The chain's sensitivity is found by enumeration, its fit is the optimum, and the falsifier rejects what is rejected."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.optimize import isotonic_regression

from starling.audit.case import Case
from starling.audit.falsifier import falsify
from starling.audit.groups_cases import CHAIN, LEAVES, MECHANISMS, MUTANTS, Order, chain, chain_fit
from starling.privacy.budget import Epsilon


@pytest.mark.parametrize(("major", "sensitivity"), [("size", 3), ("region", 1)])
def test_the_sensitivity_over_three_leaves_by_enumeration(major: Order, sensitivity: int) -> None:
    """All worlds of up to two groups of each size 0 to 2 in each of three leaves, and all of their neighbours."""
    most = 0
    for counts in product(range(2), repeat=9):
        cells = np.array(counts).reshape(3, 3)
        for leaf, size in zip(*np.nonzero(cells[:, :-1]), strict=True):
            moved = cells.copy()
            moved[leaf, size] -= 1
            moved[leaf, size + 1] += 1
            most = max(most, int(np.abs(chain(cells, major) - chain(moved, major)).sum()))
    assert most == sensitivity


def test_the_fit_is_the_weighted_isotonic_optimum() -> None:
    """A root, two regions of which one has one leaf, four leaves: the last entry of a size has weight 3, the first one 2."""
    rng = np.random.default_rng(1)
    ends = (np.array([3]), np.array([0, 3]), np.arange(4))
    noisy = [rng.integers(-3, 12, (5, 3 * len(last))) for last in ends]
    fitted = chain_fit(noisy, ends, 8)
    assert fitted.shape == (5, 4, 3)
    assert (fitted >= 0).all()
    assert (fitted.sum(axis=(1, 2)) == 8).all()
    for draw in range(5):
        values, weights = np.zeros((3, 4)), np.zeros((3, 4))
        for level, last in zip(noisy, ends, strict=True):
            values[:, last] += level[draw].reshape(3, -1)
            weights[:, last] += 1
        nearest = isotonic_regression((values / weights).ravel(), weights=weights.ravel()).x
        nearest = np.rint(np.clip(nearest, 0, 8))
        nearest[-1] = 8
        assert chain(fitted[draw], "size").tolist() == nearest.tolist()


def test_neighbours_differ_by_one_group_that_grew() -> None:
    left, right = (np.array(values).reshape(LEAVES, -1) for values in (CHAIN.left, CHAIN.right))
    assert (right - left)[0].tolist() == [-1, 1, 0]
    assert not (right - left)[1:].any()


@pytest.mark.statistical
@pytest.mark.parametrize("case", MUTANTS, ids=lambda case: case.name)
def test_a_mutant_is_rejected(case: Case) -> None:
    """Missed with a chance below 1e-3: twice the draws that are caught nine times of ten."""
    assert falsify(*case.samplers(), 2 * case.draws, goal=case.goal).refutes(case.claim)


@pytest.mark.statistical
@pytest.mark.parametrize("case", MECHANISMS, ids=lambda case: case.name)
def test_the_same_chain_by_region_stands(case: Case) -> None:
    """False alarm at most 1e-6; that half of the claim does not stand shows that the audit sees what a member changes."""
    seen = replace(case, draws=20_000)
    finding = falsify(*seen.samplers(), seen.draws, goal=seen.goal)
    assert not finding.refutes(seen.claim)
    assert finding.refutes(Epsilon(seen.claim.amount / 2))

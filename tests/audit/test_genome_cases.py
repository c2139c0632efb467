"""Every broken genome mechanism is rejected, every one that keeps its promise is not, and the stated truths are true."""

from fractions import Fraction

import numpy as np
import pytest

from starling.audit import exact, genome_cases
from starling.audit.case import Case
from starling.audit.genome_cases import MECHANISMS, MUTANTS
from starling.genome.distance.rules import D_PRIME, R_SQUARED, Kernel, Rule, decide, of_test
from starling.genome.distance.search import settled
from starling.genome.statistics.association import chi_squared_statistic
from starling.privacy.distributions.discrete import DiscreteLaplace
from tests.audit.verdicts import is_kept, is_rejected
from tests.genome.small_tables import all_tables, most_changed, searched

PHENOTYPES = "loc_sig, columns from controls"
"""Of people, not of tables."""
BY_NAME = {case.name: case for case in MUTANTS + MECHANISMS}
SCORES = {
    "loc_sig, greedy distance": genome_cases.greedy,
    "loc_sig, Wald distance": genome_cases.wald,
    "loc_sig without the skip": genome_cases.without_skip,
    "loc_sig by alleles, counted as patients": genome_cases.significance,
    PHENOTYPES: genome_cases.centred_on_controls,
    "loc_sig": genome_cases.significance,
    "loc_sig by alleles": genome_cases.alleles,
    "median": genome_cases.halved,
    "median by the difference of both sides": genome_cases.apart,
}


@pytest.mark.series(3)
@pytest.mark.parametrize("case", MUTANTS, ids=lambda case: case.name)
@pytest.mark.statistical
def test_attack_a18_a_broken_promise_is_rejected(case: Case) -> None:
    """Power above 0.77 each, with 95 % confidence: rejected in all of twelve audits (bench/genome_audit.py)."""
    is_rejected(case)


@pytest.mark.parametrize("case", MECHANISMS, ids=lambda case: case.name)
@pytest.mark.statistical
def test_a_kept_promise_is_not_rejected(case: Case) -> None:
    """A false alarm has a probability of at most 1e-6 each."""
    is_kept(case)


@pytest.mark.series(2)
@pytest.mark.parametrize("name", SCORES)
def test_stated_truths_of_scores(name: str) -> None:
    """By the distribution of the exponential mechanism, computed."""
    case = BY_NAME[name]
    distributions = [
        exact.exponential_distribution(
            SCORES[name](
                np.array(tables).reshape(-1, 7 if name == PHENOTYPES else 1 if name.startswith("median") else 4)
            ).tolist(),
            Fraction(1),
        )
        for tables in (case.left, case.right)
    ]
    assert exact.epsilon(*distributions).high == pytest.approx(case.truth, abs=1e-3)


@pytest.mark.parametrize(
    ("name", "sensitivity"),
    [("chi-squared, restricted sensitivity", Fraction(80, 22)), ("chi-squared, sensitivity n", Fraction(20))],
)
def test_stated_truths_of_noisy_statistics(name: str, sensitivity: Fraction) -> None:
    case = BY_NAME[name]
    values = chi_squared_statistic(np.array([case.left, case.right])) * genome_cases.STEPS
    scale = DiscreteLaplace(sensitivity * genome_cases.STEPS + 1).scale
    assert abs(values[0] - values[1]) / float(scale) == pytest.approx(case.truth, abs=1e-3)


@pytest.mark.parametrize("case", MUTANTS + MECHANISMS, ids=lambda case: case.name)
def test_the_pairs_are_neighbours(case: Case) -> None:
    """One patient replaced: one unit moves in every table, two of alleles; and his status is the same at every SNP."""
    if case.name == PHENOTYPES:
        assert np.flatnonzero(np.array(case.left) != np.array(case.right)).tolist() == [7]
        return
    if case.name.startswith(("variance", "median", "response")):
        assert np.count_nonzero(np.array(case.left) != np.array(case.right)) == 1
        return
    columns = 3 if len(case.left) == 6 else 2
    moved = (np.array(case.right) - np.array(case.left)).reshape(-1, 2, columns)
    assert (moved.sum(axis=(1, 2)) == 0).all()
    assert np.maximum(moved, 0).sum(axis=(1, 2)).max() == (
        2 if "by alleles" in case.name or "alleles counted" in case.name else 1
    )
    status = moved.sum(axis=2)
    assert (status == status[0]).all()


def rule_of(kind: int, threshold: Fraction) -> Rule:
    """One that the package refuses to make."""
    kernel = Kernel(
        kind, float(threshold), 0, 0, threshold.numerator, threshold.denominator, np.zeros(1, dtype=np.int64)
    )
    return Rule(kernel, threshold)


@pytest.mark.series(2)
@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("chi2, p 0.9", of_test("chi2", Fraction(9, 10), 12)),
        ("G, p 0.9", of_test("g", Fraction(9, 10), 12)),
        ("Fisher, p 0.9", of_test("fisher", Fraction(9, 10), 12)),
        ("r^2, 1/240", rule_of(R_SQUARED, Fraction(1, 240))),
        ("D', 1/5", rule_of(D_PRIME, Fraction(1, 5))),
    ],
)
def test_thresholds_that_are_refused_cost_exactness_not_privacy(name: str, rule: Rule) -> None:
    """The distance is not always that to an insignificant table any more, and has sensitivity 1 all the same."""
    tables = all_tables(12)
    found = settled(rule, tables)
    nearest = searched(12, [decide(rule, a, b, c, d) != 0 for a, b, c, d in tables.tolist()])
    assert most_changed(found, 12) == 1
    assert (found <= 0).tolist() == (nearest <= 0).tolist()
    assert (found == nearest).all() == (name == "Fisher, p 0.9")


def test_fresh_randomness_is_what_an_audit_draws_from() -> None:
    left, _ = BY_NAME["loc_sig"].samplers()
    assert (left(60) != left(60)).any()

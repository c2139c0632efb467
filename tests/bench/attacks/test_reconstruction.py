"""Subtraction reads every record off exact tables, and no more than the bound off a release."""

from fractions import Fraction

import numpy as np
import pytest

from bench.attacks.reconstruction import CANDIDATES, Outcome, _geography, _likeliest, _people, _plan, attack
from starling.audit.falsifier import lower_bound
from starling.privacy.accounting.detection import detection_bound
from starling.privacy.budget import Epsilon, Measure, Rho
from starling.privacy.distributions.discrete import Distribution
from starling.privacy.sampling.noise import draw
from starling.tables.measurements import Int64
from starling.tables.mechanism import SafeTab

BUDGETS: tuple[tuple[Measure, str], ...] = (
    ("rho", "0.01"),
    ("rho", "0.5"),
    ("rho", "3"),
    ("epsilon", "0.1"),
    ("epsilon", "2"),
)


@pytest.mark.statistical
@pytest.mark.parametrize(("measure", "budget"), BUDGETS)
def test_attack_a24_reconstruction_works_on_exact_tables_and_stays_below_the_bound_on_a_release(
    measure: Measure, budget: str
) -> None:
    """A false alarm: an attacker at the bound itself is taken for better once in 10^6, and this one is well below it."""
    found = attack(measure, budget, towns=2000)
    assert found.exact == found.towns
    assert lower_bound(found.record, found.towns, 1e-6) <= found.record_bound
    assert lower_bound(found.group, found.towns, 1e-6) <= found.group_bound


@pytest.mark.statistical
def test_with_hardly_any_noise_the_attack_succeeds() -> None:
    """So that what fails above is not the attacker: at rho 100 a noise of 0.07 persons hides nobody."""
    found = attack("rho", "100", towns=200)
    assert (found.group, found.record) == (200, 200)


@pytest.mark.statistical
def test_more_budget_tells_more() -> None:
    """Each of the shares differs from the next by more than ten standard errors."""
    shares = [attack("epsilon", budget, towns=3000).record / 3000 for budget in ("0.1", "5", "10", "20")]
    assert shares == sorted(shares)
    assert shares[0] < 0.04
    assert shares[3] > 0.9


@pytest.mark.statistical
def test_a_mechanism_that_forgets_its_noise_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mutant: no noise in the second stage. The attack is then right far beyond the bound that the plan states."""
    silent = iter(range(10**6))

    def second_is_silent(law: Distribution, count: int) -> Int64:
        # Each piece draws for stage 1, then for stage 2; there are no total-only groups.
        return np.zeros(count, dtype=np.int64) if next(silent) % 2 == 1 else draw(law, count)

    monkeypatch.setattr("starling.tables.mechanism.draw", second_is_silent)
    found = attack("rho", "0.1", towns=500)
    assert lower_bound(found.record, found.towns, 1e-6) > found.record_bound


def test_the_bound_is_that_of_one_record_out_of_k() -> None:
    outcome = Outcome(Rho(Fraction("0.5")), 10, 10, 5, 1)
    assert outcome.record_bound == detection_bound(outcome.cost, 1 / CANDIDATES)
    assert Outcome(Epsilon(Fraction("0.1")), 10, 10, 5, 1).group_bound == pytest.approx(
        min(np.exp(0.1) / 2, 1 - np.exp(-0.1) / 2)
    )


def test_the_bound_holds_for_the_mean_over_records() -> None:
    """At most `detection_bound` of the mean: it is concave, as the argument says of each of its parts."""
    shares = np.linspace(1e-6, 1 - 1e-6, 2001)
    for cost in (Rho(Fraction("0.01")), Rho(Fraction("0.7")), Epsilon(Fraction("0.3")), Epsilon(Fraction("3"))):
        values = np.array([detection_bound(cost, float(share)) for share in shares])
        assert (np.diff(values, 2) <= 1e-9).all()


def test_without_noise_the_likeliest_record_is_the_true_one() -> None:
    plan = _plan("rho", Rho(Fraction("1")).amount)
    counts, secret = _people(50, 400, 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("starling.tables.mechanism.draw", lambda _, count: np.zeros(count, dtype=np.int64))
        county, place = (measured for _, measured in SafeTab(plan, _geography(50)).draw(counts))
    fine = (county.branch == 3) & (place.branch == 3)
    both = fine.reshape(50, 2).all(axis=1)
    np.testing.assert_array_equal(_likeliest(plan, county, place)[both], secret[both])
    assert both.sum() > 25

"""The largest budgets at (epsilon, delta): they keep it by the accountant, and a little more does not."""

from collections.abc import Callable
from fractions import Fraction

import pytest

from starling.errors import ParameterError
from starling.privacy.accounting.conversion import approximate, epsilon_at_delta
from starling.privacy.accounting.largest_budget import CLOSE, _gaussian_rho, largest_factor
from starling.privacy.guarantee import Guarantee, measurement, sequential
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from tests.privacy.safetab import GAUSSIAN, GEOMETRIC, gaussian_of, laplace_of, level, safetab

DELTA = "1e-10"


def counts(factor: Fraction) -> Guarantee:
    one = measurement("a count", ADD_REMOVE_PERSON, gaussian_of(factor / 100))
    return sequential("counts", (one, measurement("another", ADD_REMOVE_PERSON, gaussian_of(factor / 30)), one))


def overlapping(factor: Fraction) -> Guarantee:
    return level("a level", factor / 10, gaussian_of, 2)


def geometric(factor: Fraction) -> Guarantee:
    return safetab([str(Fraction(budget) * factor) for budget in GEOMETRIC], laplace_of)


def gaussian(factor: Fraction) -> Guarantee:
    return safetab([str(Fraction(budget) * factor) for budget in GAUSSIAN], gaussian_of)


@pytest.mark.parametrize(
    ("guarantee_at", "epsilon"),
    [
        (counts, "1"),
        (geometric, "14.17"),
        (geometric, "1"),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in ((counts, "0.05"), (counts, "20"), (overlapping, "2"))
        ),
    ],
)
def test_the_budgets_keep_what_is_stated_and_a_little_more_does_not(
    guarantee_at: Callable[[Fraction], Guarantee], epsilon: str
) -> None:
    factor = largest_factor(guarantee_at, epsilon, DELTA)
    kept, beyond = (approximate(guarantee_at(factor * times), DELTA).epsilon for times in (1, 1 + 3 * CLOSE))
    assert Fraction(epsilon) * (1 - 20 * CLOSE) < kept <= Fraction(epsilon) < beyond


def test_the_best_order_allows_less() -> None:
    """Of the variance of a plan that states its epsilon by it, the loss distribution saves some 8 %."""
    factor = largest_factor(counts, epsilon_at_delta(counts(Fraction(1)), DELTA, method="renyi"), DELTA)
    assert 0.08 < 1 - 1 / factor < 0.09


@pytest.mark.slow
def test_safetab_production_at_its_epsilon() -> None:
    """Budgets times 1.0753 at (12.177, 1e-10): 7 % less variance."""
    factor = largest_factor(gaussian, "12.177", DELTA)
    assert f"{float(factor):.4f}" == "1.0753"


def test_the_guess_is_the_profile_of_the_gaussian() -> None:
    """At an epsilon of 0, delta is the total variation distance 2 Phi(m/2) - 1; and a wider epsilon allows more."""
    assert _gaussian_rho(Fraction(1, 10**12), Fraction("0.3829249225480262")) == pytest.approx(0.5, rel=1e-6)
    assert _gaussian_rho(Fraction(1), Fraction(1, 10**10)) < _gaussian_rho(Fraction(2), Fraction(1, 10**10))


@pytest.mark.parametrize(("epsilon", "delta"), [("0", DELTA), ("-1", DELTA), ("1", "0"), ("1", "1"), (1.0, DELTA)])
def test_what_is_no_epsilon_or_delta_is_refused(epsilon: object, delta: object) -> None:
    with pytest.raises(ParameterError):
        largest_factor(counts, epsilon, delta)  # type: ignore[arg-type]

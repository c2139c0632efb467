"""Lists at an epsilon and a delta: what each round may cost, and that the epsilon is kept there."""

from fractions import Fraction

import pytest

from starling.errors import ParameterError
from starling.genome.plan import LocSig
from starling.genome.plan.long_lists import at_delta
from starling.privacy.accounting.conversion import approximate
from starling.privacy.accounting.zcdp import zcdp_cost

DELTA = "1e-6"


@pytest.mark.parametrize(("k", "low", "high"), [(100, "0.0839", "0.0841"), (10, "0.265", "0.266"), (2, "1", "1")])
def test_what_each_snp_may_cost_at_epsilon_2(k: int, low: str, high: str) -> None:
    """0.02 and 0.2 by pure DP; 0.042 and 0.2 by the losses of pure DP at that delta, and by permute-and-flip."""
    priced = at_delta(LocSig("g", k, Fraction(2)), DELTA)
    assert Fraction(low) <= priced.event.epsilon <= Fraction(high)
    assert approximate(priced.guarantee, DELTA).epsilon <= 2
    assert zcdp_cost(priced.guarantee).amount == k * priced.event.epsilon**2 / 8


def test_a_paid_number_of_cases_keeps_its_part() -> None:
    priced = at_delta(LocSig("score", 100, Fraction(2), prevalence_epsilon=Fraction(1, 10)), DELTA)
    assert priced.prevalence_epsilon is not None
    assert priced.prevalence_epsilon * 20 == priced.epsilon > 6
    assert approximate(priced.guarantee, DELTA).epsilon <= 2


@pytest.mark.parametrize("delta", ["0", "1", "-1e-6", "x"])
def test_what_is_no_chance_is_refused(delta: str) -> None:
    with pytest.raises(ParameterError, match="delta"):
        at_delta(LocSig("g", 100, Fraction(2)), delta)

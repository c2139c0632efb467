"""The laws of a group spend its share: all of it once, or in two stages."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace
from starling.privacy.events import noise_event
from starling.tables.plan.variants import noise_of_stages

shares = st.fractions(Fraction(1, 10**6), 10, max_denominator=10**6)


@pytest.mark.examples(30)
@given(shares, st.fractions(Fraction(1, 100), Fraction(99, 100), max_denominator=100))
def test_both_stages_spend_the_share_and_a_bare_total_all_of_it(share: Fraction, gamma: Fraction) -> None:
    for measure, kind in (("epsilon", DiscreteLaplace), ("rho", DiscreteGaussian)):
        stage_noise = noise_of_stages(measure, share, gamma)
        costs = [
            noise_event(distribution).cost
            for distribution in (stage_noise.total_only, stage_noise.stage1, stage_noise.stage2)
        ]
        assert {cost.measure for cost in costs} == {measure}
        assert [cost.amount for cost in costs] == [share, gamma * share, (1 - gamma) * share]
        assert isinstance(stage_noise.stage2, kind)

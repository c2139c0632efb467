"""What all mechanisms have in common."""

from fractions import Fraction

import pytest

from starling.errors import ParameterError
from starling.genome.mechanism.explore import ExploreMechanism
from starling.genome.mechanism.selections import NumSigMechanism
from starling.genome.plan import Explore, NumSig
from tests.genome.mechanism.distributions import FIFTH, HUGE, tiny_plan


def test_a_question_that_the_plan_has_not_makes_no_mechanism() -> None:
    plan = tiny_plan(300, 9, p=Fraction(1, 1000))
    with pytest.raises(ParameterError, match="k is not"):
        NumSigMechanism(plan, NumSig("g", 10, HUGE))
    with pytest.raises(ParameterError, match="most"):
        ExploreMechanism(plan, Explore("g", "r2", FIFTH, HUGE, most=0))
    with pytest.raises(ParameterError, match="epsilon"):
        ExploreMechanism(plan, Explore("g", "r2", FIFTH, Fraction(1, 1000)))
    with pytest.raises(ParameterError, match="delta_c"):
        ExploreMechanism(plan, Explore("g", "r2", Fraction(1, 1000), HUGE))

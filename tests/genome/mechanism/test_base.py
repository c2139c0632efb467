"""A question makes its mechanism, with the question's guarantee, or is refused."""

from fractions import Fraction
from typing import Any

import pytest

from starling.errors import ParameterError
from starling.genome.mechanism.base import BaseMechanism
from starling.genome.plan import NumSig, Plan
from tests.genome.mechanism.distributions import HUGE


def test_a_question_is_checked_when_it_is_asked(plan: Plan) -> None:
    made: BaseMechanism[Any] = BaseMechanism(plan, NumSig("g", 9, Fraction(1, 3)))
    assert made.guarantee == NumSig("g", 9, Fraction(1, 3)).guarantee
    with pytest.raises(ParameterError, match="k is not"):
        BaseMechanism(plan, NumSig("g", 10, HUGE))

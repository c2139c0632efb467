"""Rounds cost the same whatever their number, which is at least 1 and at most what there is."""

from fractions import Fraction

import pytest

from starling.genome.plan.rounds import followed, in_rounds
from starling.privacy.budget import Epsilon
from starling.privacy.events import ExponentialMechanism
from starling.privacy.neighbours import REPLACE_PHENOTYPE
from tests.genome.plan.test_model import plan_with


@pytest.mark.parametrize("most", [1, 2, 7])
def test_every_number_of_rounds_costs_the_same(most: int) -> None:
    rounds = in_rounds("all", "one", REPLACE_PHENOTYPE, most, lambda k: ExponentialMechanism(Fraction(3, k)))
    assert rounds.cost == Epsilon(Fraction(3))
    assert [part.cost for part in rounds.parts] == [Epsilon(Fraction(3))] * most


def test_no_more_are_followed_up_than_there_are() -> None:
    plan = plan_with()
    assert [followed(plan, None, 4, high) for high in (0, 1, 4, 100)] == [1, 1, 4, 4]
    assert followed(plan, ("2",), 4, 100) == 2

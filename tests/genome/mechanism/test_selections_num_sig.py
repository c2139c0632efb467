"""The number of significant SNPs as a range."""

from starling.genome.measurements import Number
from starling.genome.mechanism.selections import NumSigMechanism
from starling.genome.plan import NumSig, Plan
from starling.genome.plan.distances import signed_distances
from tests.genome.mechanism.distributions import HUGE, TinyStudy


def test_with_a_huge_epsilon_the_range_is_the_true_one(study: TinyStudy, plan: Plan) -> None:
    distances = signed_distances(plan, study.tables(), "g")
    assert (distances <= 0).tolist() == [True] * 4 + [False] * 5
    assert NumSigMechanism(plan, NumSig("g", 9, HUGE)).draw(study) == Number(4, 4)
    assert NumSigMechanism(plan, NumSig("g", 0, HUGE, "exponential")).draw(study) == Number(4, 7)
    assert NumSigMechanism(plan, NumSig("g", 1, HUGE)).draw(study) == Number(4, 7)

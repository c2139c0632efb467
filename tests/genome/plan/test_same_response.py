"""A kept response is refused for plans of other people, phenotypes or intervals, as far as plans say it."""

from dataclasses import replace
from typing import Any

import pytest

from starling import genome
from starling.errors import ParameterError
from starling.genome.asking import QuestionPlan
from starling.genome.plan import Plan
from starling.genome.plan.same_response import differences

FIRST = genome.plan([("rs1", "1", 1000, "A", "C")], people=9, unit="phenotype", between=("15", "45"))


@pytest.mark.parametrize(
    ("plan", "values", "problem"),
    [
        (FIRST, 5, None),
        (replace(FIRST, title="another"), 5, None),
        (FIRST, 3, "was drawn of 5 intervals of the phenotype, and 3 are asked for"),
        (replace(FIRST, people=8), 5, "is of other people, or of these in another order"),
        (replace(FIRST, phenotype="weight"), 5, "is of the phenotype None, and the plan names 'weight'"),
        (
            replace(FIRST, steps=50),
            3,
            'was drawn where the plan says {"between": ["15", "45"], "steps": 100} of a case',
        ),
    ],
)
def test_what_plans_say_of_a_response_is_the_same(plan: Plan, values: int, problem: str | None) -> None:
    found = differences((FIRST, (5, None)), (plan, (values, None)))
    assert [each.field for each in found] == ["response"] * (problem is not None)
    if problem is not None:
        assert found[0].problem.startswith(problem)
        assert found[0].fix.endswith(", or leave it out: a new response is drawn and charged")


def test_a_question_is_compared_with_the_one_that_paid() -> None:
    scan: dict[str, Any] = {"kind": "scan", "epsilon": "2", "intervals": 5}
    plan = QuestionPlan(FIRST)
    plan.check_further(scan | {"response": 7}, plan, scan)
    with pytest.raises(ParameterError, match="name 5 intervals"):
        plan.check_further(scan | {"response": 7, "intervals": 2}, plan, scan)
    paid = scan | {"median_epsilon": "1/2"}
    plan.check_further(paid | {"response": 7}, plan, paid)
    for then, now, problem in ((paid, scan, "1/2, and none"), (scan, paid, "none, and 1/2")):
        with pytest.raises(ParameterError, match=f"was drawn at median_epsilon {problem} is asked for"):
            plan.check_further(now | {"response": 7}, plan, then)

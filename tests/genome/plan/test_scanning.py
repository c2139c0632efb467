"""The question `scan`: whose plans have it, what it costs, and its JSON."""

from fractions import Fraction
from typing import Any

import pytest

from starling.errors import ParameterError
from starling.genome.asking import QuestionPlan
from starling.genome.plan import Scan
from starling.genome.plan.exploring import code_of
from starling.privacy.budget import Epsilon
from tests.genome.plan.test_model import plan_with
from tests.genome.plan.test_model_phenotypes import PHENOTYPES


def test_a_scan_costs_its_epsilon_whatever_the_number_of_snps() -> None:
    assert Scan(Fraction(2)).guarantee.cost == Epsilon(Fraction(2))
    assert Scan(Fraction(1, 2)).as_json() == {"ask": "scan", "epsilon": "1/2"}
    assert code_of(Scan(Fraction(1, 2)), "r1") == "study.scan(epsilon='1/2', request_id='r1')"


def test_it_is_asked_by_json_and_previewed() -> None:
    asking = QuestionPlan(PHENOTYPES)
    assert asking.ask({"kind": "scan", "epsilon": "2"}).guarantee.cost == Epsilon(Fraction(2))
    assert "Share of the sample that the coins leave" in str(asking.preview({"kind": "scan", "epsilon": "2"}))


@pytest.mark.parametrize(("epsilon", "problem"), [(0, "not above 0"), ("1/2000", "below 1/1024"), (0.5, "is a float")])
def test_a_cost_that_is_none_is_refused(epsilon: Any, problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        Scan(epsilon).check(PHENOTYPES)


def test_plans_of_persons_have_none() -> None:
    assert "scan" not in str(plan_with())
    for plan, there in ((plan_with(), False), (PHENOTYPES, True)):
        kinds: Any = QuestionPlan(plan).schema["oneOf"]
        assert ("scan" in [each["title"] for each in kinds]) is there
    with pytest.raises(ParameterError, match="protects phenotypes alone"):
        Scan(Fraction(1)).check(plan_with())

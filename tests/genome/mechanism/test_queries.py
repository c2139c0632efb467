"""Each query has one mechanism; `test_questions.py` has the table of them."""

import pytest

from starling.genome import mechanism
from starling.genome.mechanism.queries import query_mechanism
from starling.genome.plan import Plan
from tests.genome.mechanism.test_questions import ASKED


@pytest.mark.parametrize("name", [name for name in ASKED if name != "explore"])
def test_each_query_has_its_mechanism(plan: Plan, name: str) -> None:
    made = query_mechanism(plan, ASKED[name])
    assert type(made) is getattr(mechanism, f"{type(ASKED[name]).__name__}Mechanism")
    assert made.guarantee == ASKED[name].guarantee

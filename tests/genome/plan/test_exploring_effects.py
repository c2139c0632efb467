"""What an exploration of effects is made of, and that its parts never cost more than the whole, which is charged."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from starling.audit.genome_mechanisms import small_plan
from starling.errors import ParameterError
from starling.genome.plan import Explore, ExploreEffects
from starling.privacy.budget import Epsilon
from starling.privacy.events import DiscreteLaplaceNoise
from starling.privacy.least import LEAST_LATTICE_RATE
from starling.privacy.neighbours import REPLACE_PHENOTYPE
from tests.genome.plan.test_exploring import leaves

ONE, TENTH = Fraction(1), Fraction(1, 10)
PLAN = small_plan(10, 5, "additive")
SNPS = PLAN.snps.ids
QUERY = ExploreEffects("score", ONE)
PAID = replace(QUERY, prevalence_epsilon=TENTH)


@pytest.mark.parametrize("query", [QUERY, PAID, replace(PAID, selection="exponential")])
@pytest.mark.parametrize("k", range(1, 6))
def test_the_events_stated_for_k_are_those_of_the_questions_asked(query: ExploreEffects, k: int) -> None:
    query.check(PLAN)
    parts = (query.number(PLAN), query.locations(k), query.effects(SNPS[:k]))
    for part in parts:
        part.check(PLAN)
    assert sum(part.epsilon for part in parts) == query.epsilon
    guarantee = query.guaranteed(REPLACE_PHENOTYPE)
    assert (guarantee.cost, guarantee.relation) == (Epsilon(ONE), REPLACE_PHENOTYPE)
    *paid, number, places, effects = guarantee.parts
    assert [each.event for each in paid] == ([] if query is QUERY else [DiscreteLaplaceNoise(1 / TENTH, ONE)])
    assert (number.event, effects.event) == (parts[0].event, parts[2].event)
    assert number.cost == places.cost == effects.cost == Epsilon(query.third)
    assert len(places.parts) == query.most
    assert leaves(places.parts[k - 1]) == {parts[1].event: k}


def test_the_cost_is_of_phenotypes_and_worked_out_once() -> None:
    assert QUERY.guarantee.relation == REPLACE_PHENOTYPE
    assert QUERY.guarantee is QUERY.guarantee
    assert QUERY.as_json() == {
        "ask": "explore_effects",
        "test": "score",
        "epsilon": "1",
        "regions": None,
        "most": 10,
        "selection": "permute-and-flip",
    }
    assert PAID.as_json()["prevalence_epsilon"] == "1/10"


def test_k_is_clamped() -> None:
    assert [QUERY.clamped(PLAN, high) for high in (0, 1, 3, 100)] == [1, 1, 3, 5]
    assert replace(QUERY, most=2).clamped(PLAN, 100) == 2


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"test": "g"}, "test"),
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": 3 * LEAST_LATTICE_RATE - Fraction(1, 10**9)}, "epsilon"),
        ({"regions": ("3",)}, "regions"),
        ({"most": 0}, "most"),
        ({"most": 1001}, "most"),
        ({"selection": "best"}, "selection"),
        ({"prevalence_epsilon": ONE}, "prevalence_epsilon"),
        ({"prevalence_epsilon": ONE - Fraction(1, 10**6)}, "epsilon"),
    ],
)
def test_what_could_not_be_asked_is_refused_at_the_start(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(ParameterError, match=field):
        replace(QUERY, **changes).check(PLAN)
    replace(QUERY, epsilon=3 * LEAST_LATTICE_RATE).check(PLAN)


def test_persons_and_phenotypes_have_an_exploration_each() -> None:
    with pytest.raises(ParameterError, match="protects phenotypes alone"):
        QUERY.check(small_plan(10, 5))
    with pytest.raises(ParameterError, match=r"explore, which has no proof.*or explore-effects"):
        Explore("score", "r2", Fraction(1, 5), ONE).check(PLAN)

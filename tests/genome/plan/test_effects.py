"""The question `snp_effects`: what it costs, what is refused, and its JSON."""

from fractions import Fraction

import pytest

from starling.audit.genome_mechanisms import small_plan
from starling.errors import ParameterError
from starling.genome.plan import ExploreEffects, SnpEffects, effects
from starling.genome.plan.effects import SCALE
from starling.privacy.budget import Epsilon
from starling.privacy.neighbours import REPLACE_PHENOTYPE

ONE = Fraction(1)
PLAN = small_plan(10, 3, "additive")
SNPS = ("snp0", "snp2")


def test_it_costs_its_epsilon_for_all_snps_and_the_number_of_cases_together() -> None:
    for question in (SnpEffects(SNPS, ONE), SnpEffects(SNPS, ONE, ONE / 5)):
        question.check(PLAN)
        assert question.guarantee.cost == Epsilon(ONE)
        assert question.guarantee.relation == REPLACE_PHENOTYPE
    assert SnpEffects(SNPS, ONE, ONE / 5).event.scale == SCALE / (ONE * 4 / 5)
    assert SnpEffects(SNPS, ONE, chosen=True).as_json()["chosen"] is True
    assert SnpEffects(SNPS, ONE).as_json() == {"ask": "snp_effects", "snps": [*SNPS], "epsilon": "1"}


@pytest.mark.parametrize(
    ("question", "field"),
    [
        (SnpEffects((), ONE), "snps"),
        (SnpEffects((SNPS[0], SNPS[0]), ONE), "snps"),
        (SnpEffects(("nobody",), ONE), "snps"),
        (SnpEffects(SNPS, Fraction(1, 5000)), "epsilon"),
        (SnpEffects(SNPS, ONE, ONE), "prevalence_epsilon"),
        (SnpEffects(SNPS, ONE, ONE - Fraction(1, 10**6)), "epsilon"),
    ],
)
def test_what_cannot_be_asked_is_refused(question: SnpEffects, field: str) -> None:
    with pytest.raises(ParameterError, match=field):
        question.check(PLAN)


def test_more_than_memory_holds_is_refused_by_public_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(effects, "MOST_JOINT", 19)
    with pytest.raises(ParameterError, match="snps ask for 2 SNPs of 10 people at once; take at most 1"):
        SnpEffects(SNPS, ONE).check(PLAN)
    with pytest.raises(ParameterError, match="most ask for"):
        ExploreEffects("score", ONE, most=2).check(PLAN)
    SnpEffects(SNPS[:1], ONE).check(PLAN)
    ExploreEffects("score", ONE, most=1).check(PLAN)


def test_plans_of_persons_have_it_not() -> None:
    with pytest.raises(ParameterError, match="protects phenotypes alone"):
        SnpEffects(SNPS, ONE).check(small_plan(10, 3))

"""Each question has one mechanism, which keeps plan and question."""

from fractions import Fraction
from typing import Any

import pytest

from starling.errors import ParameterError
from starling.genome.mechanism.explore import mechanism_of
from starling.genome.plan import (
    Explore,
    ExploreEffects,
    LocBlock,
    LocSig,
    NumSig,
    Plan,
    Scan,
    SnpCorr,
    SnpEffects,
    SnpPval,
)
from starling.genome.plan.choices import ONLY_OF_PHENOTYPES, QUESTIONS
from tests.genome.plan.test_model_phenotypes import PHENOTYPES

ONE, FIFTH = Fraction(1), Fraction(1, 5)
ASKED: dict[str, Any] = {
    "num_sig": NumSig("g", 2, ONE),
    "loc_sig": LocSig("g", 2, ONE),
    "loc_block": LocBlock("r2", FIFTH, ("rs1",), ONE),
    "snp_pval": SnpPval("rs1", "g", ONE),
    "snp_corr": SnpCorr("rs1", "rs2", "r2", ONE),
    "explore": Explore("g", "r2", FIFTH, ONE),
    "scan": Scan(ONE),
    "snp_effects": SnpEffects(("rs1",), ONE),
    "explore_effects": ExploreEffects("score", ONE),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_each_question_has_its_mechanism(plan: Plan, name: str) -> None:
    question = ASKED[name]
    assert question.kind == name
    made = mechanism_of(PHENOTYPES if name in ONLY_OF_PHENOTYPES else plan, question)
    assert type(made).__name__ == f"{type(question).__name__}Mechanism"
    assert made.guarantee == question.guarantee


def test_a_question_that_the_plan_has_not_is_refused(plan: Plan) -> None:
    with pytest.raises(ParameterError, match="is not in the SNP list"):
        mechanism_of(plan, SnpPval("rs99", "g", ONE))

"""Questions as JSON are those that the methods ask, and the plan that is kept for a server is the plan."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from starling.errors import ParameterError
from starling.genome.asking import Asks, QuestionPlan, read_asked
from starling.genome.plan import (
    Explore,
    ExploreEffects,
    LocBlock,
    LocSig,
    NumSig,
    Plan,
    Question,
    SnpCorr,
    SnpEffects,
    SnpPval,
)
from starling.release.codec import encode
from tests.genome.mechanism.distributions import tiny_plan
from tests.genome.worlds import a_world


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> QuestionPlan:
    return QuestionPlan(a_world(tmp_path_factory.mktemp("world")).plan)


ONE = Fraction(1)
FIFTH = Fraction(1, 5)


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ({"kind": "num_sig"}, NumSig("g", 1, ONE)),
        ({"kind": "loc_sig", "k": 2, "excluding": [["rs1", "rs2"]]}, LocSig("g", 2, ONE, None, (("rs1", "rs2"),))),
        ({"kind": "loc_block", "snps": ["rs2"]}, LocBlock("r2", FIFTH, ("rs2",), ONE)),
        (
            {"kind": "loc_block", "snps": ["rs2"], "correlation": "dprime"},
            LocBlock("dprime", Fraction(4, 5), ("rs2",), ONE),
        ),
        ({"kind": "snp_pval", "snp": "rs2", "noise": "laplace"}, SnpPval("rs2", "g", ONE, "laplace")),
        ({"kind": "snp_corr", "first": "rs1", "second": "rs2"}, SnpCorr("rs1", "rs2", "r2", ONE)),
        ({"kind": "explore", "most": 2}, Explore("g", "r2", FIFTH, ONE, most=2)),
    ],
)
def test_a_question_as_json_is_what_the_method_asks(
    asked: QuestionPlan, said: dict[str, Any], question: Question
) -> None:
    assert asked.ask({**said, "epsilon": "1"}).question == question
    assert asked.ask(encode(Question, question)).question == question
    assert asked.preview({**said, "epsilon": "1"}).sections()


@pytest.mark.parametrize(
    "said",
    [
        {"kind": "num_sig", "k": 99},
        {"kind": "snp_pval", "snp": "rs99"},
        {"kind": "loc_block", "snps": ["rs2"], "correlation": []},
    ],
)
def test_what_the_plan_has_not_is_refused(asked: QuestionPlan, said: dict[str, Any]) -> None:
    for ask in (asked.ask, asked.preview):
        with pytest.raises(ParameterError):
            ask({**said, "epsilon": "1"})


def test_the_plan_is_kept_as_it_is(asked: QuestionPlan, tmp_path: Path) -> None:
    asked.write(tmp_path)
    again = read_asked(tmp_path)
    assert isinstance(again.plan, Plan)
    assert (again.digest, again.title, again.relation) == (asked.digest, asked.title, asked.relation)
    assert (
        again.ask({"kind": "num_sig", "epsilon": "1"}).request == asked.ask({"kind": "num_sig", "epsilon": "1"}).request
    )


def test_an_exploration_of_effects_is_asked_by_json_and_by_method_alike() -> None:
    plan = tiny_plan(60, 9, "additive", "score")

    class Repeating(Asks[Question]):
        def __init__(self) -> None:
            self.plan = plan

        def ask(self, question: Question, *, request_id: str | None = None) -> Question:
            assert request_id is None
            return question

    question = ExploreEffects("score", ONE, most=2, prevalence_epsilon=FIFTH)
    said: dict[str, Any] = {"kind": "explore_effects", "most": 2, "prevalence_epsilon": "0.2"}
    assert Repeating().explore_effects(epsilon="1", most=2, prevalence_epsilon="0.2") == question
    asked = QuestionPlan(plan)
    assert asked.ask({**said, "epsilon": "1"}).question == question == asked.ask(encode(Question, question)).question
    assert asked.preview({**said, "epsilon": "1"}).sections()
    assert asked.work(said, preview=True).steps > asked.work({**said, "epsilon": "1"}, preview=False).steps


@pytest.mark.parametrize("stated", [{}, {"chosen": False}, {"chosen": True}])
def test_effects_are_asked_of_chosen_snps_or_of_others(stated: dict[str, bool]) -> None:
    plan = tiny_plan(60, 9, "additive", "score")
    asked = QuestionPlan(plan).ask({"kind": "snp_effects", "snps": ["rs1"], "epsilon": "1", **stated}).question
    assert asked == SnpEffects(("rs1",), ONE, chosen=stated.get("chosen", False))

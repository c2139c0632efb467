"""The same question to the same study is the same text, whatever it is titled, and no other is."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from starling.genome.plan import NumSig, Region
from starling.genome.publication import request_body
from tests.genome.mechanism.distributions import tiny_plan
from tests.genome.worlds import QUESTIONS

PLAN = tiny_plan(60, 9)


def test_every_public_choice_but_the_title_is_in_the_digest() -> None:
    digest = PLAN.digest
    assert replace(PLAN, title="Other").digest == digest
    others = [
        replace(PLAN, people=61),
        replace(PLAN, snps=replace(PLAN.snps, carried=("C", *("A",) * 8), other=("A", *("C",) * 8))),
        replace(PLAN, snps=replace(PLAN.snps, positions=PLAN.snps.positions + 1), regions=PLAN.regions),
        replace(PLAN, model="recessive"),
        replace(PLAN, tests=("g", "chi2")),
        replace(PLAN, alpha=Fraction(1, 7)),
        replace(PLAN, regions=(Region("all", "1", 1, 9),)),
        replace(PLAN, case="1"),
        replace(PLAN, phenotype="T2D"),
    ]
    assert len({digest, *(each.digest for each in others)}) == len(others) + 1


def test_the_question_stands_as_it_is() -> None:
    said = json.loads(request_body(PLAN, NumSig("g", 2, Fraction(1, 3))))
    assert said["question"] == {
        "ask": "num_sig",
        "epsilon": "1/3",
        "k": 2,
        "selection": "permute-and-flip",
        "test": "g",
    }
    assert (said["release"], said["version"]) == ("genome", 1)


@pytest.mark.parametrize("name", QUESTIONS)
def test_any_other_question_is_another_text(name: str) -> None:
    question = QUESTIONS[name]
    bodies = {request_body(PLAN, each) for each in QUESTIONS.values()}
    assert len(bodies) == len(QUESTIONS)
    assert request_body(PLAN, replace(question, epsilon=question.epsilon * 2)) not in bodies

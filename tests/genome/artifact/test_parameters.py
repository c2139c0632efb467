"""What a release says of itself follows from plan and question."""

from dataclasses import replace
from fractions import Fraction
from typing import get_args

import pytest

from starling.genome.artifact.files import ANSWERS
from starling.genome.artifact.parameters import mechanisms, particulars, product, title
from starling.genome.plan import Question, Scan
from starling.genome.plan.choices import QUESTIONS as KINDS
from starling.release.codec import name_of
from tests.genome.mechanism.distributions import tiny_plan
from tests.genome.plan.test_model_phenotypes import PHENOTYPES
from tests.genome.worlds import QUESTIONS

PLAN = tiny_plan(60, 9)


@pytest.mark.parametrize("name", QUESTIONS)
def test_each_part_of_the_guarantee_has_its_mechanism(name: str) -> None:
    guarantee = QUESTIONS[name].guarantee
    assert len(mechanisms(PLAN, QUESTIONS[name])) == len(guarantee.parts or (guarantee,))
    said = particulars(PLAN, QUESTIONS[name])
    assert said.mechanism["name"] == name
    assert said.bounds["people"] == 60
    assert said.invariants == ()
    assert title(PLAN, QUESTIONS[name]) == f"Tiny: {KINDS[name][0]}"
    assert "60 people and 9 SNPs" in product(PLAN, QUESTIONS[name]).description


def test_every_kind_has_its_words_and_choices_are_told() -> None:
    assert KINDS.keys() == ANSWERS.keys() == {name_of(each) for each in get_args(Question)}
    for name, change, words in (
        ("num_sig", {"selection": "exponential"}, "exponential selection"),
        ("num_sig", {}, "permute-and-flip selection"),
        ("explore", {"selection": "exponential"}, "exponential selection"),
        ("snp_pval", {"noise": "laplace"}, "discrete Laplace"),
        ("snp_corr", {}, "lattice noise"),
        ("explore", {"noise": "laplace"}, "discrete Laplace"),
    ):
        assert words in " ".join(mechanisms(PLAN, replace(QUESTIONS[name], **change)))


def test_a_scan_of_a_quantitative_phenotype_tells_its_intervals_and_no_odds_ratio() -> None:
    of_trait = replace(PHENOTYPES, between=(Fraction(0), Fraction(1)))
    for question in (Scan(Fraction(1)), Scan(Fraction(4), intervals=5)):
        (words,) = mechanisms(of_trait, question)
        assert f"which of {question.values} intervals" in words
        assert "odds" not in words
        said = product(of_trait, question)
        assert "quantitative phenotype" in said.description
        assert "case" not in said.description + said.domain
    median, _ = mechanisms(of_trait, Scan(Fraction(4), intervals=5, median_epsilon=Fraction(1)))
    assert median.startswith("median: exponential mechanism over the steps")
    (words,) = mechanisms(PHENOTYPES, Scan(Fraction(1)))
    assert "odds ratios" in words
    assert "interval" not in words

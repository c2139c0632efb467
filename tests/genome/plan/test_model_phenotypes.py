"""Plans that protect one person's phenotype alone: what they may state, whom they protect, and what is refused with the reason."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from starling.errors import ParameterError, PlanError, PolicyRefused
from starling.genome.artifact.files import read_plan, write_plan
from starling.genome.plan import Explore, LocBlock, NumSig, Plan, SnpCorr, SnpPval
from starling.genome.plan.choices import UNPROTECTED
from starling.genome.plan.queries import Query
from starling.ledger.rules import Population, check_unit
from starling.privacy.neighbours import REPLACE_PERSON, REPLACE_PHENOTYPE
from tests.genome.plan.test_model import plan_with

VALUES: dict[str, Any] = {
    "title": "x",
    "privacy": {"unit": "phenotype", "neighbours": "replace-one"},
    "study": {"people": 100},
    "snps": Plan.snp_list([("rs1", "1", 10, "A", "C"), ("rs2", "1", 20, "A", "C")]),
    "analysis": {"model": "additive", "tests": ["score"], "covariates": ["age", "sex"], "components": 2},
}
PHENOTYPES = Plan.of(VALUES)


def test_a_plan_protects_a_phenotype_and_says_what_it_does_not() -> None:
    assert PHENOTYPES.relation == REPLACE_PHENOTYPE
    assert str(REPLACE_PHENOTYPE) == "replace one person's phenotype"
    text = str(PHENOTYPES)
    assert f"one person's phenotype (replace one person's phenotype; n is public). {UNPROTECTED}" in text
    assert "age, sex, 2 principal components" in text
    stated = PHENOTYPES.as_json()
    assert (stated["unit"], stated["covariates"], stated["components"]) == ("phenotype", ["age", "sex"], 2)


def test_it_is_saved_and_read_as_it_is(tmp_path: Path) -> None:
    PHENOTYPES.save(tmp_path / "plan.toml")
    write_plan(tmp_path, PHENOTYPES)
    for again in (Plan.load(tmp_path / "plan.toml"), read_plan(tmp_path)):
        assert (again.digest, again.covariates, again.components) == (PHENOTYPES.digest, ("age", "sex"), 2)
    digests = {replace(PHENOTYPES, covariates=()).digest, replace(PHENOTYPES, components=0).digest}
    assert len(digests | {PHENOTYPES.digest}) == 3


def test_plans_of_persons_are_as_they_were() -> None:
    plan = plan_with()
    assert plan.digest == "f92bc3ad1e67ee18f71bb2ecdf221b7dbd0c3dd8733abef13b0f487d240bc9ad"
    assert not {"unit", "covariates", "components"} & (plan.as_json().keys() | plan.values()["analysis"].keys())


@pytest.mark.parametrize(
    ("part", "changes", "problem"),
    [
        ("privacy", {"unit": "trait"}, "privacy.unit is not person or phenotype"),
        ("privacy", {"unit": "person"}, "analysis.model is additive, which plans with unit = 'person' have not"),
        ("privacy", {"unit": "person"}, "analysis.covariates have no proof where all of a person is protected"),
        ("privacy", {"unit": "person"}, "analysis.components have no proof where all of a person is protected"),
        ("analysis", {"model": "allelic"}, "model is allelic, which .* 'phenotype' have not; write one of additive, "),
        ("analysis", {"tests": ["g"]}, "tests hold one that the additive model has not; write some of score"),
        (
            "analysis",
            {"model": "dominant", "tests": ["fisher"]},
            "tests hold one that plans with unit = 'phenotype' have not; write some of score",
        ),
        ("analysis", {"covariates": ["age", "age"]}, "covariates have a column twice"),
        ("analysis", {"covariates": ["age at birth"]}, "covariates hold one that is no name of a column"),
        ("analysis", {"components": 51}, "components is not an integer from 0 to 50"),
        ("analysis", {"genotypes": "doses"}, "genotypes is not calls or dosages"),
        (
            "analysis",
            {"genotypes": "dosages", "model": "dominant"},
            "genotypes are dosages, which are no numbers of pe",
        ),
        ("analysis", {"x-model": 3}, "x-model is not an integer from 1 to 2"),
        ("analysis", {"x-model": 1, "model": "dominant"}, "x-model is not 2, or 1 in the additive model of phenotypes"),
        ("study", {"people": 6}, "analysis adjusts for as much as there are people"),
    ],
)
def test_what_does_not_fit_the_unit_is_refused(part: str, changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(PlanError, match=problem):
        Plan.of({**VALUES, part: {**VALUES[part], **changes}})


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"unit": "trait"}, "unit is not person or phenotype"),
        ({"components": -1}, "components are not 0 to 50"),
        ({"genotypes": "doses"}, "analysis.genotypes are not calls or dosages"),
        (
            {"genotypes": "dosages", "model": "recessive"},
            "analysis.genotypes are dosages, which are no numbers of people",
        ),
        ({"x_model": 0}, "analysis.x-model is not 2, or 1 in the additive model of phenotypes"),
        ({"components": 1.0}, "components is a float"),
        ({"unit": "person", "model": "dominant", "tests": ("g",)}, "covariates have no proof"),
    ],
)
def test_so_does_the_class(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(PlanError, match=problem):
        replace(PHENOTYPES, **changes)


ONE = Fraction(1)
UNPROVED: list[Query | Explore] = [
    LocBlock("r2", Fraction(1, 5), ("rs1",), ONE),
    SnpPval("rs1", "score", ONE),
    SnpCorr("rs1", "rs2", "r2", ONE),
    Explore("score", "r2", Fraction(1, 5), ONE),
]


@pytest.mark.parametrize("question", UNPROVED, ids=lambda question: question.kind)
def test_questions_without_a_proof_are_refused(question: Query | Explore) -> None:
    with pytest.raises(ParameterError, match=r"has no proof where phenotypes alone are protected; ask .* or"):
        question.check(PHENOTYPES)


def test_phenotypes_and_persons_are_never_of_one_population() -> None:
    for mine, other in ((REPLACE_PERSON, REPLACE_PHENOTYPE), (REPLACE_PHENOTYPE, REPLACE_PERSON)):
        check_unit(Population("people", "epsilon", mine), mine)
        with pytest.raises(PolicyRefused, match=f"of protection is the {other.unit}, of this population it is the"):
            check_unit(Population("people", "epsilon", mine), other)
    question = NumSig("score", 1, ONE)
    assert question.guarantee.relation == REPLACE_PERSON
    assert question.guaranteed(REPLACE_PHENOTYPE).relation == REPLACE_PHENOTYPE

"""What a plan may say of missing calls, which questions it then has, and the reason where one is refused."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from starling.errors import ParameterError, PlanError
from starling.genome import plan as planned
from starling.genome.artifact.files import read_plan, write_plan
from starling.genome.asking import QuestionPlan
from starling.genome.plan import Explore, LocBlock, LocSig, NumSig, Plan, Scan, SnpCorr, SnpEffects, SnpPval
from starling.genome.plan.missing import kinds_of, missing_call, needs_sites
from starling.privacy.events import DiscreteLaplaceNoise, LatticeNoise
from starling.privacy.neighbours import REPLACE_PERSON, REPLACE_PHENOTYPE
from tests.genome.plan.test_model import plan_with
from tests.genome.plan.test_model_phenotypes import PHENOTYPES
from tests.genome.worlds import a_trait_plan

ONE = Fraction(1)
ROWS = [("rs1", "1", 10, "A", "C"), ("rs2", "1", 20, "A", "C")]
PERSONS = plan_with(missing="cell")
CASES = plan_with(missing="cell", unit="phenotype", tests=("score",))


def test_it_is_saved_and_read_as_it_is(tmp_path: Path) -> None:
    for at, plan in enumerate((PERSONS, CASES)):
        folder = tmp_path / str(at)
        folder.mkdir()
        plan.save(folder / "plan.toml")
        write_plan(folder, plan)
        assert 'missing = "cell"' in (folder / "plan.toml").read_text()
        for again in (Plan.load(folder / "plan.toml"), read_plan(folder)):
            assert (again.digest, again.missing) == (plan.digest, "cell")
        assert plan.as_json()["missing"] == "cell"
        assert "missing calls  in a cell of their own" in str(plan)
        without = replace(plan, missing=None)
        assert without.digest != plan.digest
        assert "missing" not in {*without.as_json(), *without.values()["analysis"]}
    assert planned(ROWS, 100, missing="cell").missing == "cell"


@pytest.mark.parametrize(
    ("plan", "changes", "problem"),
    [
        (PERSONS, {"missing": "mean"}, r'analysis\.missing is not cell; write missing = "cell"'),
        (PERSONS, {"model": "genotypic"}, r"analysis\.missing is cell, which the genotypic model has not"),
        (CASES, {"model": "additive"}, r"analysis\.missing is cell, which the additive model has not"),
        (CASES, {"covariates": ("age",)}, r"analysis\.missing is cell beside covariates or components"),
        (CASES, {"components": 2}, r"analysis\.missing is cell beside covariates or components"),
        (CASES, {"between": (Fraction(0), Fraction(9))}, "a quantitative phenotype has no cases to count"),
    ],
)
def test_what_it_does_not_go_with_is_refused(plan: Plan, changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(PlanError, match=problem):
        replace(plan, **changes)


def test_a_plan_has_the_questions_that_count_missing_calls_so() -> None:
    assert kinds_of(PERSONS) == ("num_sig", "loc_sig", "snp_pval")
    assert kinds_of(CASES) == ("num_sig", "loc_sig", "snp_pval", "scan", "snp_effects", "explore_effects")
    assert "snp_pval" not in kinds_of(PHENOTYPES)
    for plan in (PERSONS, CASES, PHENOTYPES):
        schema: Any = QuestionPlan(plan).schema
        assert tuple(each["title"] for each in schema["oneOf"]) == kinds_of(plan)
    for question in (NumSig("g", 1, ONE), LocSig("g", 1, ONE)):
        question.check(PERSONS)
    fifth = Fraction(1, 5)
    for other in (
        LocBlock("r2", fifth, ("rs1",), ONE),
        SnpCorr("rs1", "rs2", "r2", ONE),
        Explore("g", "r2", fifth, ONE),
    ):
        with pytest.raises(
            ParameterError, match=r"apart, .*; ask num-sig or loc-sig or snp-pval, or take a plan without"
        ):
            other.check(PERSONS)
    with pytest.raises(ParameterError, match="is snp-corr, which does not count missing calls apart"):
        QuestionPlan(PERSONS).ask({"kind": "snp_corr", "first": "rs1", "second": "rs2", "epsilon": "1"})
    with pytest.raises(ParameterError, match="is scan, which shows exact genotypes"):
        Scan(ONE).check(PERSONS)
    SnpEffects(("rs1",), ONE).check(CASES)


def test_noise_is_on_all_six_counts_or_on_three_of_cases() -> None:
    question = SnpPval("rs1", "score", Fraction(1, 2))
    question.check(CASES)
    assert question.guaranteed(REPLACE_PHENOTYPE).event == DiscreteLaplaceNoise(Fraction(2), ONE)
    assert question.guaranteed(REPLACE_PERSON).event == LatticeNoise(Fraction(1, 2))
    with pytest.raises(ParameterError, match="noise is laplace, which is for plans that protect all of a person"):
        replace(question, noise="laplace").check(CASES)
    SnpPval("rs1", "g", ONE, "laplace").check(PERSONS)
    with pytest.raises(ParameterError, match="which has no proof where phenotypes alone are protected"):
        question.check(PHENOTYPES)


def test_it_is_said_where_they_have_a_cell_and_where_the_mean() -> None:
    """And which plans need genotypes that state their SNPs: those of persons that count who lacks a call."""
    cell = "in a cell of its own"
    assert {missing_call(PERSONS, kind) for kind in kinds_of(PERSONS)} == {cell}
    words = {kind: missing_call(CASES, kind) for kind in kinds_of(CASES)}
    assert words == {kind: cell if kind == "snp_pval" else "the mean of the SNP" for kind in words}
    assert "by snp-pval; a scan takes the mean" in str(CASES)
    plans = (PERSONS, a_trait_plan(), replace(PERSONS, missing=None), CASES, PHENOTYPES)
    assert [needs_sites(plan) for plan in plans] == [True, True, False, False, False]

"""Slopes where whole persons are protected, from files to a release: least squares, its words, what is refused, and what is asked."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import starling
from starling import genome
from starling.errors import ParameterError, PlanError, StarlingError
from starling.genome.asking import QuestionPlan
from starling.genome.inference.answer_validation import answer_problem
from starling.genome.measurements import NoisyMoments
from starling.genome.plan import LocSig, NumSig, Scan, SnpEffects
from starling.genome.plan.choices import QUESTIONS, UNPROTECTED, WHOLE_PERSON
from starling.genome.plan.missing import kinds_of
from starling.ledger.opening import create_ledger
from starling.privacy.neighbours import REPLACE_PERSON, REPLACE_PHENOTYPE
from starling.release.payment import PaymentOptions
from tests.genome.worlds import PEOPLE, a_study, a_trait_plan, write_traits

STUDY = a_study()
SNPS = (STUDY.ids[2], STUDY.ids[0])
SURE, ONE = Fraction(10**9), Fraction(1)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Genotypes and a trait of all but two."""
    folder = tmp_path_factory.mktemp("moments")
    write_traits(folder)
    return folder


def test_slopes_are_least_squares_of_who_has_all(study: Path) -> None:
    release = a_trait_plan().release(
        study / "study", SnpEffects(SNPS, SURE), study / "sure", phenotype=study / "trait.txt"
    )
    release.verify()
    assert not starling.verify(study / "sure").findings
    words = [line.split()[2] for line in (study / "trait.txt").read_text().splitlines()[1:]]
    known = np.array([word not in ("NA", "-9") for word in words])
    y = np.clip([float(word) for word, there in zip(words, known, strict=True) if there], 10, 50)
    frame = release.to_pandas("effects")
    for at, name in enumerate(SNPS):
        x = STUDY.copies[STUDY.ids.index(name)][known].astype(float)
        assert frame.SLOPE[at] == pytest.approx(np.polyfit(x, y, 1)[0], abs=1e-4)
        assert frame.A1_FREQ[at] == pytest.approx(x.mean() / 2, abs=1e-4)
        assert frame.OBS_CT[at] == PEOPLE - 2


def test_what_is_said_is_of_whole_persons(study: Path) -> None:
    release = a_trait_plan().release(
        study / "study", SnpEffects(SNPS, ONE), study / "one", phenotype=study / "trait.txt"
    )
    assert isinstance(release.drawn, NoisyMoments)
    report = " ".join((study / "one" / "report.html").read_text().split())
    for text in (str(release), report):
        assert text.index("Each person is protected whole") < text.index(SNPS[0] + ": the phenotype grows")
        assert UNPROTECTED not in text
    assert "moments of SNPs and the phenotype" in report
    assert "a missing one left out" in report
    privacy = (study / "one" / "privacy.json").read_text()
    assert "L1 sensitivity of all sums together for one person who is replaced" in privacy
    assert "left out of that SNP" in privacy
    glm, about = release.export(study / "one.glm", "plink-glm")
    rows = [line.split("\t") for line in glm.read_text().splitlines()]
    frame = release.to_pandas("effects").sort_values("BP")
    assert [row[2] for row in rows[1:]] == list(frame.SNP)
    assert [float(row[rows[0].index("BETA")]) for row in rows[1:]] == pytest.approx(frame.SLOPE, rel=1e-5)
    assert [int(row[rows[0].index("OBS_CT")]) for row in rows[1:]] == list(frame.OBS_CT)
    assert about.read_text().startswith(WHOLE_PERSON)
    assert UNPROTECTED not in about.read_text()
    assert "beta" in release.export(study / "one.tsv", "gwas-ssf")[0].read_text().split("\n")[0]
    for drawn in (
        NoisyMoments((1,), (1, 2), (1, 2), (1, 2), (1, 2, 3)),
        NoisyMoments((1 << 62, 1), (1, 2), (1, 2), (1, 2), (1, 2, 3)),
    ):
        assert answer_problem(release.plan, release.question, drawn)


def test_persons_pay_and_who_protects_phenotypes_does_not(study: Path, tmp_path: Path) -> None:
    ledger = create_ledger(f"sqlite:///{tmp_path / 'ledger.sqlite'}")
    for name, relation in (("people", REPLACE_PERSON), ("traits", REPLACE_PHENOTYPE)):
        ledger.custody.add_population(name, "epsilon", relation, 5)
        ledger.custody.add_dataset(f"study-of-{name}", name, {})
        ledger.custody.grant(name, "ann", 5)
    files: dict[str, Any] = {"phenotype": study / "trait.txt"}
    pays = [PaymentOptions(ledger, f"study-of-{name}", "ann", unvalidated=True) for name in ("people", "traits")]
    asked = (a_trait_plan(), SnpEffects(SNPS, ONE), study / "study")
    answered: Any = genome.release(*asked, tmp_path / "out", payment=pays[0], **files)
    assert answered.as_json()["answer"]["effects"][0].keys() >= {"slope", "frequency", "people"}
    assert ledger.reading.account("people").caps[0].spent == 10**9
    with pytest.raises(StarlingError, match="phenotype"):
        genome.release(*asked, tmp_path / "no", payment=pays[1], **files)


def test_no_other_question_and_no_other_model_is_asked() -> None:
    plan = a_trait_plan()
    assert (plan.model, plan.tests, kinds_of(plan)) == ("additive", ("score",), ("snp_effects",))
    for question in (NumSig("score", 1, ONE), LocSig("score", 1, ONE), Scan(ONE)):
        with pytest.raises(
            ParameterError, match="has no proof where all of a person is protected and the phenotype is"
        ):
            question.check(plan)
    with pytest.raises(ParameterError, match="has a range of phenotypes"):
        SnpEffects(SNPS, ONE, ONE / 2).check(plan)
    for choices, problem in (
        ({"model": "dominant", "tests": ("score",)}, "which plans with unit = 'person' and between have not"),
        ({"genotypes": "dosages"}, "analysis.genotypes are dosages"),
        ({"x_model": 1}, "analysis.x-model is not 2"),
        ({"covariates": ("age",)}, "have no proof where all of a person is protected"),
    ):
        with pytest.raises(PlanError, match=problem):
            a_trait_plan(**choices)


def test_it_is_the_one_question_at_a_server_and_in_a_plan() -> None:
    plan = a_trait_plan()
    schema: Any = QuestionPlan(plan).schema
    assert [each["title"] for each in schema["oneOf"]] == ["snp_effects"]
    assert "prevalence_epsilon" not in schema["oneOf"][0]["properties"]
    asked = QuestionPlan(plan).ask({"kind": "snp_effects", "snps": list(SNPS), "epsilon": "1"})
    assert asked.question == SnpEffects(SNPS, ONE)
    assert "snp-effects" in str(plan)
    assert not any(kind.replace("_", "-") in str(plan) for kind in QUESTIONS if kind != "snp_effects")

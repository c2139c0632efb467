"""What records say never makes a question fail, and the same study is answered alike from every kind of file."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import starling
from starling.genome.publish import release
from starling.release.payment import PaymentOptions
from tests.genome.studies import MISSING, Study, plan_of, write_bed, write_phenotypes, write_vcf
from tests.genome.worlds import HUGE, PEOPLE, QUESTIONS, a_study


def spoilt(value: int, word: str) -> Study:
    """The study with one call and one phenotype for everybody."""
    study = a_study()
    return replace(study, copies=np.full_like(study.copies, value), phenotypes=(word,) * PEOPLE)


SPOILT = {
    "no call and no phenotype is known": (MISSING, "-9"),
    "everybody carries and is a case": (2, "2"),
    "nobody carries and is a case": (0, "1"),
}


@pytest.mark.series(1)
@pytest.mark.parametrize("spoil", SPOILT)
@pytest.mark.parametrize("model", ["dominant", "genotypic"])
def test_a_study_that_says_nothing_is_answered_like_any_other(tmp_path: Path, model: str, spoil: str) -> None:
    study = spoilt(*SPOILT[spoil])
    plan, prefix = plan_of(study, tmp_path, model), write_bed(study, tmp_path / "study")
    for name, question in QUESTIONS.items():
        answered = release(plan, question, prefix, tmp_path / name, payment=PaymentOptions(unvalidated=True))
        starling.verify(answered.folder).refuse()


@pytest.mark.series(1)
@pytest.mark.parametrize("name", ["loc_block", "snp_pval", "snp_corr"])
def test_a_vcf_with_phenotypes_is_answered_as_the_bed_is(tmp_path: Path, name: str) -> None:
    study = a_study()
    question: Any = replace(QUESTIONS[name], epsilon=HUGE)
    plan = plan_of(study, tmp_path)
    bed = release(
        plan, question, write_bed(study, tmp_path / "study"), tmp_path / "bed", payment=PaymentOptions(unvalidated=True)
    )
    vcf, phenotypes = write_vcf(study, tmp_path / "study.vcf.gz"), write_phenotypes(study, tmp_path / "cases.txt")
    other = release(
        plan, question, vcf, tmp_path / "vcf", phenotype=phenotypes, payment=PaymentOptions(unvalidated=True)
    )
    assert other.answer == bed.answer
    assert f"phenotype='{phenotypes}'" in other.code

"""Missingness that differs between cases and controls is named, and none where it does not."""

from pathlib import Path

import numpy as np
import pytest

from starling.genome.source import open_genotypes, validate
from starling.genome.source.calls import MISSING
from starling.genome.source.validation import different
from tests.genome.plink import plink
from tests.genome.studies import Study, a_study, plan_of, write_bed


def study_with(missing_cases: float, people: int = 400) -> Study:
    study = a_study(snps=20, people=people, missing=0.02)
    random = np.random.default_rng(3)
    study.copies[4, : people // 2][random.random(people // 2) < missing_cases] = MISSING
    words = ["2"] * (people // 2) + ["1"] * (people - people // 2)
    return Study(study.copies, study.alleles, tuple(words), study.places)


def test_a_snp_that_lacks_calls_of_cases_alone_is_named(tmp_path: Path) -> None:
    study = study_with(0.3)
    plan = plan_of(study, tmp_path)
    result = validate(plan, open_genotypes(write_bed(study, tmp_path / "x"), plan)).value
    assert result.problems.total == 0
    assert result.notes.by_field["missing calls"] == 1
    note = next(str(one) for one in result.notes.listed if one.field.startswith("missing calls"))
    assert note.startswith("x.bed: missing calls of rs5 are ")
    assert "of 200 cases" in note


def test_no_snp_is_named_where_calls_are_missing_alike(tmp_path: Path) -> None:
    """By Bonferroni's correction at most one study in twenty has a false alarm; the seed is fixed."""
    study = study_with(0)
    plan = plan_of(study, tmp_path)
    result = validate(plan, open_genotypes(write_bed(study, tmp_path / "x"), plan)).value
    assert "missing calls" not in result.notes.by_field


@pytest.mark.statistical
def test_false_alarms_and_power() -> None:
    """2,000 studies of 50 SNPs: alarms in at most 5 % of them plus 5 deviations, .05 + 5 * .0049, and 30 % against 2 % is always named."""
    random = np.random.default_rng(7)
    alarms = 0
    for _ in range(2000):
        missing_cases, controls = random.binomial(500, 0.03, (2, 50))
        alarms += len(different(missing_cases, missing_cases + controls, 500, 1000)[0]) > 0
        missing_cases[3] = random.binomial(500, 0.3)
        assert different(missing_cases, missing_cases + controls, 500, 1000)[0][0] == 3
    assert alarms / 2000 < 0.075


def test_p_values_are_near_those_of_plink(tmp_path: Path) -> None:
    """PLINK adds up all tables that are less likely; ours is twice the smaller tail: within a factor of 2."""
    study = study_with(0.12)
    plink("plink1.9", "--bfile", write_bed(study, tmp_path / "x"), "--test-missing", "--out", tmp_path / "x")
    lines = [line.split() for line in (tmp_path / "x.missing").read_text().splitlines()]
    theirs = float(next(line for line in lines if line[1] == "rs5")[4])
    missing = (study.copies == MISSING).sum(axis=1)
    missing_cases = (study.copies[:, :200] == MISSING).sum(axis=1)
    which, ours = different(missing_cases, missing, 200, 400)
    assert which[0] == 4
    assert theirs / 2 <= 10 ** ours[0] <= 2 * theirs

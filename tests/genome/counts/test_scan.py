"""Scores of every SNP from files, in the order of the list, against sums over people."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from starling.genome.counts.scan import read_scores
from starling.genome.counts.study import count_study
from starling.genome.plan import Plan
from starling.genome.source import open_genotypes
from starling.privacy.trust import inspect
from tests.genome.plan.test_model_phenotypes import VALUES
from tests.genome.studies import MISSING, a_study, vcf_text, write_bed, write_phenotypes


def test_scores_are_those_of_the_copies_with_missing_ones_as_the_mean(tmp_path: Path) -> None:
    study = a_study(people=40)
    # The file has the SNPs in another order than the list.
    write_bed(study, tmp_path / "study", order=[6, 5, 4, 3, 2, 1, 0])
    rows = zip(study.ids, study.places, study.alleles, strict=True)
    listed = Plan.snp_list([(name, *place, *alleles) for name, place, alleles in rows])
    plan = replace(Plan.of({**VALUES, "study": {"people": 40}, "snps": listed}), covariates=(), components=0)
    response = np.random.default_rng(1).random(40) < 0.5
    scores = read_scores(plan, open_genotypes(tmp_path / "study", plan), response)
    rest = response - response.mean()
    assert scores.adjusted == 0
    for row, copies in enumerate(study.copies):
        there = copies != MISSING
        column = np.where(there, copies, copies[there].mean()) - copies[there].mean()
        wanted = column @ rest, column**2 @ rest**2, column @ column, there.sum(), copies[there].mean() / 2
        told = [float(part[row]) for part in scores[1:]]
        np.testing.assert_allclose(told, wanted, rtol=1e-9, atol=1e-9)


def test_whole_dosages_of_a_vcf_give_what_the_calls_of_a_bed_do(tmp_path: Path) -> None:
    """Scores and distances, with components, bit by bit."""
    study = a_study(snps=30, people=120)
    rows = zip(study.ids, study.places, study.alleles, strict=True)
    listed = Plan.snp_list([(name, *place, *alleles) for name, place, alleles in rows])
    calls = replace(Plan.of({**VALUES, "study": {"people": 120}, "snps": listed}), covariates=())
    dosages = replace(calls, genotypes="dosages")
    text = vcf_text(study)
    for call, dosage in (("0|0", "0"), ("0/1", "1.0"), ("1/1", "2e0"), ("./.", ".")):
        text = text.replace(f"\t{call}", f"\t{dosage}")
    (tmp_path / "x.vcf").write_text(text.replace("\tGT\t", "\tDS\t"))
    write_phenotypes(study, tmp_path / "x.txt", "#IID T2D\n", "")
    response = np.random.default_rng(1).random(120) < 0.5
    of_calls = open_genotypes(write_bed(study, tmp_path / "x"), calls)
    of_dosages = open_genotypes(tmp_path / "x.vcf", dosages, tmp_path / "x.txt")
    for mine, other in zip(
        read_scores(dosages, of_dosages, response), read_scores(calls, of_calls, response), strict=True
    ):
        np.testing.assert_array_equal(mine, other)
    distances = [
        inspect(count_study(plan, genotypes)).value.score_distances(np.array([7, 2, 29]), 1 << 24).tolist()
        for plan, genotypes in ((calls, of_calls), (dosages, of_dosages))
    ]
    assert distances[0] == distances[1]

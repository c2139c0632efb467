"""Scores of every SNP from files, in the order of the list, against sums over people."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from starling.genome.counts.scan import read_scores
from starling.genome.plan import Plan
from starling.genome.source import open_genotypes
from tests.genome.plan.test_model_phenotypes import VALUES
from tests.genome.studies import MISSING, a_study, write_bed


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

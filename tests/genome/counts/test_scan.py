"""Scores of every SNP from files, in the order of the list, against sums over people."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from starling.genome.adjusted.pruning import Pruning
from starling.genome.counts.basis import study_basis
from starling.genome.counts.phenotypes import read_distances
from starling.genome.counts.scan import read_scores
from starling.genome.counts.study import count_study
from starling.genome.distance.adjusted import adjusted_distance, whole_columns
from starling.genome.plan import Plan
from starling.genome.source import open_genotypes
from starling.privacy.trust import inspect
from tests.genome.plan.test_model_phenotypes import VALUES
from tests.genome.studies import MISSING, Study, a_study, plan_of, vcf_text, write_bed, write_phenotypes


def test_scores_are_those_of_the_copies_with_missing_ones_as_the_mean(tmp_path: Path) -> None:
    study = a_study(people=40)
    # The file has the SNPs in another order than the list.
    write_bed(study, tmp_path / "study", order=[6, 5, 4, 3, 2, 1, 0])
    rows = zip(study.ids, study.places, study.alleles, strict=True)
    listed = Plan.snp_list([(name, *place, *alleles) for name, place, alleles in rows])
    plan = replace(Plan.of({**VALUES, "study": {"people": 40}, "snps": listed}), covariates=(), components=0)
    response = (np.random.default_rng(1).random(40) < 0.5).astype(np.float64)
    scores = read_scores(plan, open_genotypes(tmp_path / "study", plan), response)
    rest = response - response.mean()
    assert scores.adjusted == 0
    for row, copies in enumerate(study.copies):
        there = copies != MISSING
        column = np.where(there, copies, copies[there].mean()) - copies[there].mean()
        wanted = column @ rest, column**2 @ rest**2, column @ column, there.sum(), copies[there].mean() / 2
        told = [float(part[row]) for part in scores[1:]]
        np.testing.assert_allclose(told, wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.slow
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
    response = (np.random.default_rng(1).random(120) < 0.5).astype(np.float64)
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


def test_scores_do_not_depend_on_how_many_processors_share_the_snps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With components: bit by bit, in chunks of 30, 10 and of one SNP."""
    study = a_study(snps=30, people=120)
    rows = zip(study.ids, study.places, study.alleles, strict=True)
    listed = Plan.snp_list([(name, *place, *alleles) for name, place, alleles in rows])
    plan = replace(Plan.of({**VALUES, "study": {"people": 120}, "snps": listed}), covariates=())
    genotypes = open_genotypes(write_bed(study, tmp_path / "x"), plan)
    response = (np.random.default_rng(1).random(120) < 0.5).astype(np.float64)
    found = []
    for processors in (1, 3, 40):
        monkeypatch.setattr("starling.genome.source.bed.processors", lambda number=processors: number)
        found.append(b"".join(np.asarray(part).tobytes() for part in read_scores(plan, genotypes, response)))
    assert len(set(found)) == 1


def test_a_chromosome_is_left_out_of_its_own_components(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores and distances of each chromosome are those of a plan whose components come from a list of the others alone."""
    # Pruning compares neighbours across the ends of chromosomes, which other lists have others of.
    monkeypatch.setattr(Pruning, "take", lambda _, seen: np.ones(len(seen.usual), dtype=np.bool_))
    random = np.random.default_rng(5)
    people, snps = 160, 90
    second = random.random(people) < 0.4
    frequency = random.uniform(0.2, 0.5, (snps, 1))
    shifted = np.clip(frequency + random.normal(0, 0.4, (snps, 1)), 0.05, 0.95)
    copies = random.binomial(2, np.where(second, shifted, frequency)).astype(np.int8)
    places = tuple((str(1 + row // 30), 1_000_000 * (row % 30 + 1)) for row in range(snps))
    made = Study(copies, (("A", "C"),) * snps, tuple(random.choice(["1", "2"], people).tolist()), places)
    plan = replace(plan_of(made, tmp_path, "additive", "score"), components=1, chromosome_out=True)
    opened = open_genotypes(write_bed(made, tmp_path / "x"), plan)
    response = (random.random(people) < 0.5).astype(np.float64)
    scores, distances = read_scores(plan, opened, response), read_distances(plan, opened, None, 1 << 28)
    for row in (0, 30, 60):
        own = slice(row, row + 30)
        others = np.delete(np.arange(snps), own)
        rows = [(f"rs{at + 1}", *places[at], "A", "C") for at in others.tolist()]
        part = replace(plan, snps=Plan.snp_list(rows), regions=(), chromosome_out=False)
        basis = study_basis(part, open_genotypes(tmp_path / "x", part))
        columns = copies[own] - copies[own] @ basis @ basis.T
        rest = response - basis @ (basis.T @ response)
        np.testing.assert_allclose(scores.scores[own], columns @ rest, atol=1e-3)
        np.testing.assert_allclose(scores.variances[own], columns**2 @ rest**2, rtol=1e-3)
        expected = adjusted_distance(whole_columns(columns), np.array(made.phenotypes) == "2", 1 << 28)
        assert np.abs(distances[own] - expected).max() <= 1
    assert scores.adjusted == 1
    whole = read_scores(replace(plan, chromosome_out=False), opened, response)
    assert np.abs(whole.scores - scores.scores).max() > 0.1
    picked = np.array([70, 3, 65])
    assert read_distances(plan, opened, picked, 1 << 28).tolist() == distances[picked].tolist()

"""Distances of score tests from files: those of columns that are made one by one."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from starling.genome.counts.study import count_study
from starling.genome.distance.adjusted import adjusted_distance, score_threshold, whole_columns
from starling.genome.source import open_genotypes
from starling.privacy.trust import inspect
from tests.genome.studies import MISSING, Study, a_study, plan_of, write_bed


@pytest.mark.parametrize("model", ["additive", "dominant", "recessive"])
def test_files_have_the_distances_of_their_people(tmp_path: Path, model: Any) -> None:
    """A missing call is the mean of its SNP; the carried allele is either one; SNPs may be picked."""
    made = a_study(snps=8, people=90)
    carriers = "".join(f"rs{row + 1} {made.alleles[row][row == 1]}\n" for row in range(8))
    plan = plan_of(made, tmp_path, model, "score", carriers=carriers)
    exact = inspect(count_study(plan, open_genotypes(write_bed(made, tmp_path / "x"), plan))).value
    cases = np.array([word == "2" for word in made.phenotypes])
    threshold = score_threshold(plan.p_threshold)
    expected = []
    for copies in made.carried([row == 1 for row in range(8)]):
        coded = {"additive": copies, "dominant": copies >= 1, "recessive": copies == 2}[model].astype(float)
        called = copies != MISSING
        coded[~called] = coded[called].mean()
        expected.append(adjusted_distance(whole_columns((coded - coded.mean())[np.newaxis]), cases, threshold)[0])
    assert exact.score_distances(None, threshold).tolist() == expected
    assert exact.score_distances(np.array([6, 1, 3]), threshold).tolist() == [expected[at] for at in (6, 1, 3)]


def test_structure_makes_false_hits_and_components_take_them_away(tmp_path: Path) -> None:
    """Two populations that differ in frequencies and in prevalence, and one causal SNP: two deviations of population, one of a copy."""
    random = np.random.default_rng(7)
    people, snps, causal = 800, 300, 5
    second = random.random(people) < 0.4
    frequency = random.uniform(0.1, 0.5, (snps, 1))
    shifted = np.clip(frequency + random.normal(0, 0.1, (snps, 1)), 0.03, 0.8)
    copies = random.binomial(2, np.where(second, shifted, frequency)).astype(np.int8)
    liability = 1.3 * copies[causal] + 2.0 * second
    cases = random.random(people) < 1 / (1 + np.exp(np.median(liability) - liability))
    places = tuple((str(1 + row * 22 // snps), 100_000 * (row + 1)) for row in range(snps))
    made = Study(copies, (("A", "C"),) * snps, tuple("2" if case else "1" for case in cases), places)
    plan = plan_of(made, tmp_path, "additive", "score")
    genotypes = open_genotypes(write_bed(made, tmp_path / "x"), plan)
    threshold = score_threshold(plan.p_threshold)

    def significant(components: int) -> list[int]:
        adjusted = replace(plan, components=components)
        exact = inspect(count_study(adjusted, genotypes)).value
        return np.flatnonzero(exact.score_distances(None, threshold) <= 0).tolist()

    assert len(significant(0)) > 15
    assert significant(1) == [causal]

"""Distances of score tests from files: those of columns that are made one by one."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from starling.genome.counts.study import count_study
from starling.genome.distance.adjusted import MOST_VARIANCE, adjusted_distance, score_threshold, whole_columns
from starling.genome.mechanism.selections import NumSigMechanism
from starling.genome.plan import NumSig
from starling.genome.source import open_genotypes
from starling.privacy.trust import inspect
from tests.genome.residuals import plain_residuals
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


@pytest.mark.parametrize("steps", [4, 1000])
def test_quantitative_phenotypes_have_the_distances_of_their_steps(tmp_path: Path, steps: int) -> None:
    """The rule, from files: to the nearest step between the ends, the middle where there is no number; covariates are taken out."""
    made = a_study(snps=6, people=80, missing=0)
    random = np.random.default_rng(3)
    values, age = random.normal(25, 6, 80), random.normal(size=80)
    words = [f"{value:.2f}" for value in values]
    words[3], words[50] = "NA", "-9"
    made = replace(made, phenotypes=tuple(words))
    plan = replace(plan_of(made, tmp_path, "additive", "score"), between=(Fraction(15), Fraction(35)), steps=steps)
    plan = replace(plan, covariates=("age",))
    covariates = tmp_path / "covariates.txt"
    covariates.write_text("#IID age\n" + "".join(f"p{row} {value:.4f}\n" for row, value in enumerate(age)))
    genotypes = open_genotypes(write_bed(made, tmp_path / "x"), plan, covariates=covariates)
    exact = inspect(count_study(plan, genotypes)).value
    levels = np.round((np.clip([float(f"{value:.2f}") for value in values], 15, 35) - 15) / 20 * steps).astype(np.int64)
    levels[[3, 50]] = steps // 2
    assert genotypes.people.levels(80).tolist() == levels.tolist()
    residuals = plain_residuals(made.copies, "additive", np.round(age, 4)[:, np.newaxis])
    threshold = score_threshold(plan.p_threshold, MOST_VARIANCE * steps**2)
    expected = adjusted_distance(whole_columns(residuals), levels, threshold, steps).tolist()
    assert exact.score_distances(None, threshold).tolist() == expected
    drawn = NumSigMechanism(plan, NumSig("score", 6, Fraction(10**6))).draw(exact)
    assert drawn.low == sum(distance <= 0 for distance in expected)

"""Distances of score tests from files: those of columns that are made one by one."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from starling.genome.counts.study import count_study
from starling.genome.distance.adjusted import adjusted_distance, score_threshold, whole_columns
from starling.genome.source import open_genotypes
from starling.privacy.trust import inspect
from tests.genome.studies import MISSING, a_study, plan_of, write_bed


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

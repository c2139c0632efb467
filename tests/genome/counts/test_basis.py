"""The basis of score tests: intercept and covariates, orthonormal, whatever the phenotypes are."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from starling.genome.counts.basis import study_basis
from starling.genome.plan import Plan
from starling.genome.source import open_genotypes
from tests.genome.plan.test_model_phenotypes import VALUES
from tests.genome.studies import a_study, write_bed


def test_a_basis_spans_intercept_and_covariates(tmp_path: Path) -> None:
    study = a_study(people=8)
    rows = zip(study.ids, study.places, study.alleles, strict=True)
    listed = Plan.snp_list([(name, *place, *alleles) for name, place, alleles in rows])
    plan = replace(Plan.of({**VALUES, "study": {"people": 8}, "snps": listed}), components=0)
    file = tmp_path / "covariates.txt"
    file.write_text("IID age sex\n" + "".join(f"p{row - 1} {row * row} {row % 2}\n" for row in range(1, 9)))
    wanted = np.array([[1, row * row, row % 2] for row in range(1, 9)], dtype=np.float64)
    write_bed(replace(study, phenotypes=tuple(reversed(study.phenotypes))), tmp_path / "other")
    write_bed(study, tmp_path / "study")
    opened = open_genotypes(tmp_path / "study", plan, None, file)
    basis = study_basis(plan, opened)
    np.testing.assert_array_equal(basis, study_basis(plan, open_genotypes(tmp_path / "other", plan, None, file)))
    np.testing.assert_allclose(basis.T @ basis, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(basis @ (basis.T @ wanted), wanted, atol=1e-9)
    by_sex, sexes = study_basis(replace(plan, covariates=("sex",)), opened), wanted[:, [0, 2]]
    np.testing.assert_allclose(by_sex @ (by_sex.T @ sexes), sexes, atol=1e-9)
    assert study_basis(replace(plan, covariates=()), opened).shape == (8, 1)


def test_components_are_those_of_the_plans_snps(tmp_path: Path) -> None:
    """Of two populations: the first tells them apart."""
    people, snps = 60, 80
    random = np.random.default_rng(8)
    other = np.arange(people) % 3 == 0
    shares = np.where(other, random.uniform(0.1, 0.9, (snps, 1)), random.uniform(0.1, 0.9, (snps, 1)))
    study = replace(a_study(snps, people), copies=random.binomial(2, shares).astype(np.int8))
    rows = zip(study.ids, study.places, study.alleles, strict=True)
    listed = Plan.snp_list([(name, *place, *alleles) for name, place, alleles in rows])
    plan = Plan.of({**VALUES, "study": {"people": people}, "snps": listed})
    write_bed(study, tmp_path / "study")
    opened = open_genotypes(tmp_path / "study", replace(plan, covariates=()))
    basis = study_basis(replace(plan, covariates=(), components=2), opened)
    assert basis.shape == (people, 3)
    assert abs(np.corrcoef(basis[:, 1], other)[0, 1]) > 0.9
    assert study_basis(replace(plan, covariates=(), components=0), opened).shape == (people, 1)

"""Missing calls are counted apart alike from every format, for cases and for controls, and by neighbours as the proofs say."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from starling.errors import SourceError
from starling.genome.counts.phenotypes import read_joint_scores
from starling.genome.counts.study import count_study
from starling.genome.plan import Plan
from starling.genome.plan.effects import SCALE
from starling.genome.source import open_genotypes
from starling.privacy.trust import inspect
from tests.genome.plink import plink
from tests.genome.studies import MISSING, Study, a_study, plan_of, vcf_text, write_bed, write_phenotypes, write_vcf
from tests.genome.variant_files import write_bcf

Int64 = npt.NDArray[np.int64]
FLIPS = [row % 2 == 0 for row in range(20)]


def planned(study: Study, folder: Path, model: str, test: str = "g") -> Plan:
    carriers = "".join(f"rs{row + 1} {study.alleles[row][flip]}\n" for row, flip in enumerate(FLIPS))
    return replace(plan_of(study, folder, model, test, carriers), missing="cell")


def slowly(study: Study, model: str) -> Int64:
    cases = np.array([word == "2" for word in study.phenotypes])
    copies = study.carried(FLIPS)
    lacks, has = copies == MISSING, copies >= (2 if model == "recessive" else 1)
    columns = (has & ~lacks, ~has & ~lacks, lacks)
    return np.stack([(column & who).sum(axis=1) for who in (cases, ~cases) for column in columns], axis=1)


def tables(plan: Plan, path: Path, phenotypes: Path | None = None) -> Int64:
    return inspect(count_study(plan, open_genotypes(path, plan, phenotypes))).value.tables()


@pytest.mark.parametrize("model", ["dominant", "recessive"])
def test_every_format_gives_the_counts_of_the_people(tmp_path: Path, model: str) -> None:
    study = a_study(snps=20, people=133)
    plan, expected = planned(study, tmp_path, model), slowly(study, model)
    assert expected[:, [2, 5]].min() > 0
    phenotypes = write_phenotypes(study, tmp_path / "p.txt")
    order = np.random.default_rng(3).permutation(20).tolist()
    bed, paths = write_bed(study, tmp_path / "x", order), [write_vcf(study, tmp_path / "x.vcf")]
    paths += [write_vcf(study, tmp_path / "x.vcf.gz"), write_bcf(write_vcf(study, tmp_path / "y.vcf"))]
    of_phenotypes = planned(study, tmp_path, model, "score")
    for path in paths:
        assert np.array_equal(tables(of_phenotypes, path, phenotypes), expected)
        with pytest.raises(SourceError, match="may leave out a SNP that nobody carries, and the plan counts who lacks"):
            open_genotypes(path, plan, phenotypes)
    assert np.array_equal(tables(plan, bed), expected)
    some = np.array([11, 2, 17])
    counted = inspect(count_study(plan, open_genotypes(bed, plan))).value.tables(some)
    assert np.array_equal(counted, expected[some])


def carried_alone(study: Study, path: Path) -> Path:
    """A VCF with the records alone of SNPs that somebody carries, as callers of variants write it."""
    records = vcf_text(study).splitlines(keepends=True)
    carried = np.asarray((study.carried() > 0).any(axis=1))
    rows = [line for line in records if not line.startswith("#")]
    head = "".join(line for line in records if line.startswith("#"))
    path.write_text(head + "".join(row for row, some in zip(rows, carried, strict=True) if some))
    return path


def test_a_snp_without_a_record_changes_the_calls_of_the_replaced_person_alone(tmp_path: Path) -> None:
    """Where a missing call is no copy. It is no call of anybody where genotypes are public, and calls are counted apart."""
    study = a_study(snps=20, people=30)
    copies = study.copies.copy()
    copies[3] = np.where(copies[3] == MISSING, MISSING, 0)
    words = list(study.phenotypes)
    copies[3, 4], words[4] = MISSING, "2"
    before = Study(copies, study.alleles, tuple(words), study.places)
    moved = copies.copy()
    moved[3, 4] = 1
    after = Study(moved, study.alleles, tuple(words), study.places)
    phenotypes = write_phenotypes(before, tmp_path / "p.txt")
    files = [carried_alone(each, tmp_path / f"{at}.vcf") for at, each in enumerate((before, after))]
    lengths = [len(path.read_text().splitlines()) for path in files]
    assert lengths[0] + 1 == lengths[1]
    plan = plan_of(study, tmp_path)
    change = tables(plan, files[1], phenotypes) - tables(plan, files[0], phenotypes)
    assert np.flatnonzero(change.any(axis=1)).tolist() == [3]
    assert np.abs(change).sum() == 2
    apart = replace(plan_of(study, tmp_path, test="score"), missing="cell")
    cases = words.count("2")
    assert tables(apart, files[0], phenotypes)[3].tolist() == [0, 0, cases, 0, 0, 30 - cases]
    assert tables(apart, files[1], phenotypes)[3].tolist()[2] < cases


def test_a_pgen_gives_them_too(tmp_path: Path) -> None:
    study = a_study(snps=20, people=133)
    plan = planned(study, tmp_path, "dominant")
    plink("plink2", "--bfile", write_bed(study, tmp_path / "b"), "--make-pgen", "--out", tmp_path / "x")
    assert np.array_equal(tables(plan, tmp_path / "x.pgen"), slowly(study, "dominant"))


@pytest.mark.parametrize("unit", ["person", "phenotype"])
def test_neighbours_differ_as_the_proofs_say(tmp_path: Path, unit: str) -> None:
    """A replaced person moves one unit between two cells; a replaced phenotype moves it within its column."""
    study, random = a_study(snps=20, people=30), np.random.default_rng(4)
    plan = planned(study, tmp_path, "dominant", "g" if unit == "person" else "score")
    before = tables(plan, write_bed(study, tmp_path / "x"))
    for trial in range(8):
        copies, words, person = study.copies.copy(), list(study.phenotypes), int(random.integers(30))
        words[person] = ["2", "1", "-9"][int(random.integers(3))]
        if unit == "person":
            copies[:, person] = random.integers(-1, 3, 20)
        other = Study(copies, study.alleles, tuple(words), study.places)
        moved = tables(plan, write_bed(other, tmp_path / f"y{trial}")) - before
        assert not moved.sum(axis=1).any()
        assert np.abs(moved).sum(axis=1).max() <= 2
        if unit == "phenotype":
            assert not (moved[:, :3] + moved[:, 3:]).any()
            assert np.abs(moved[:, :3]).sum(axis=1).max() <= 1


def test_scores_of_phenotypes_leave_who_lacks_a_call_out_already(tmp_path: Path) -> None:
    """Whatever the phenotypes of those are, no score changes: so the other questions are as the plan says."""
    study = a_study(snps=20, people=133)
    plan = planned(study, tmp_path, "dominant", "score")
    lacks = study.copies[3] == MISSING
    words = ["1" if lack else word for word, lack in zip(study.phenotypes, lacks, strict=True)]
    other = Study(
        study.copies,
        study.alleles,
        tuple("2" if lack else word for word, lack in zip(words, lacks, strict=True)),
        study.places,
    )
    found = [
        read_joint_scores(plan, open_genotypes(write_bed(each, tmp_path / name), plan), np.array([3]), SCALE)[0]
        for name, each in (("x", Study(study.copies, study.alleles, tuple(words), study.places)), ("y", other))
    ]
    assert lacks.sum() > 5
    assert np.abs(found[0] - found[1]).max() <= lacks.sum()  # The last digit of whole numbers of 2^30 steps.

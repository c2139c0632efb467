"""People whose X is of the other sex than the file states are named, as PLINK names them, and nobody else."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from starling.genome.plan import Plan
from starling.genome.plan.choices import Build
from starling.genome.plan.snps import snps_of
from starling.genome.source import open_genotypes, validate
from starling.genome.source.calls import MISSING
from starling.genome.source.sexes import XCalls, sex_linked
from tests.genome.plan.test_model import plan_with
from tests.genome.plink import plink
from tests.genome.studies import Study, plan_of, write_bed

PEOPLE, SNPS = 60, 300
SWAPPED = (3, 40)


def on_x(chromosome: str = "X") -> Study:
    """The first half are men by their X, but for SWAPPED; the file states the halves."""
    random = np.random.default_rng(8)
    frequencies = random.uniform(0.2, 0.5, (SNPS, 1))
    first, second = random.binomial(1, frequencies, (2, SNPS, PEOPLE))
    is_man = np.arange(PEOPLE) < PEOPLE // 2
    is_man[list(SWAPPED)] ^= True
    copies = (first + np.where(is_man, first, second)).astype(np.int8)
    copies[random.random(copies.shape) < 0.02] = MISSING
    places = tuple((chromosome, 3_000_000 + 1000 * row) for row in range(SNPS))
    return Study(copies, (("A", "C"),) * SNPS, ("1", "2") * (PEOPLE // 2), places)


def written(study: Study, folder: Path) -> Path:
    prefix = write_bed(study, folder / "x")
    people = "".join(
        f"f p{row} 0 0 {1 if row < PEOPLE // 2 else 2} {word}\n" for row, word in enumerate(study.phenotypes)
    )
    prefix.with_suffix(".fam").write_text(people)
    return prefix


def notes_of(study: Study, folder: Path) -> dict[str, int]:
    plan = plan_of(study, folder)
    found = validate(plan, open_genotypes(written(study, folder), plan)).value.notes
    said = [str(each) for each in found.listed if each.field.startswith("sex of")]
    for row, text in zip(SWAPPED, said, strict=False):
        stated, seen = ("man", "woman") if row < PEOPLE // 2 else ("woman", "man")
        assert text.startswith(f"x.fam: sex of f p{row} is stated as a {stated}'s, and X is a {seen}'s; look at")
    return {field: number for field, number in found.by_field.items() if field == "sex"}


def test_those_who_were_swapped_are_named(tmp_path: Path) -> None:
    assert notes_of(on_x(), tmp_path) == {"sex": 2}


@pytest.mark.parametrize("chromosome", ["2", "XY"])
def test_other_chromosomes_tell_of_no_sex(chromosome: str, tmp_path: Path) -> None:
    assert notes_of(on_x(chromosome), tmp_path) == {}


def test_plink_names_the_same_people(tmp_path: Path) -> None:
    plink("plink1.9", "--bfile", written(on_x(), tmp_path), "--check-sex", "--out", tmp_path / "theirs")
    lines = [line.split() for line in (tmp_path / "theirs.sexcheck").read_text().splitlines()[1:]]
    assert [line[1] for line in lines if line[4] == "PROBLEM" and line[3] != "0"] == [f"p{row}" for row in SWAPPED]


@pytest.mark.parametrize(
    ("build", "expected"),
    [("GRCh37", [1, 2, 3]), ("GRCh38", [2, 3, 4]), (None, [2])],
)
def test_the_ends_of_x_are_as_other_chromosomes(build: Build | None, expected: list[int]) -> None:
    positions = (2_000_000, 2_700_000, 3_000_000, 154_000_000, 155_000_000)
    snps = snps_of([(f"rs{at}", "X", at, "A", "C") for at in positions])
    plan: Plan = replace(plan_with(snps=snps), build=build)
    assert sex_linked(plan).tolist() == expected


def test_too_few_calls_tell_nothing() -> None:
    calls = XCalls(2)
    calls.add(np.array([[2, 1]] * 20, dtype=np.int8))
    assert np.isnan(calls.inbreeding()).all()

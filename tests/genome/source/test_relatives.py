"""Kinship as KING estimates it: equal to plink2's, and duplicates and children stand out."""

from pathlib import Path

import numpy as np
import pytest

from starling.genome.source.relatives import (
    DUPLICATE,
    FIRST_DEGREE,
    LEAST_SNPS,
    MOST_CALLS,
    MOST_SNPS,
    duplicates,
    kin,
    not_looked_for,
    span,
    spread,
)
from tests.genome.plink import plink
from tests.genome.studies import Copies, Study, write_bed


def family(snps: int = 1500, people: int = 40) -> Copies:
    """Strangers, but the second is the first again with some calls lost, and the fourth is a child of the third and a stranger."""
    random = np.random.default_rng(1)
    frequencies = random.uniform(0.1, 0.5, snps)
    alleles = random.random((snps, people, 2)) < frequencies[:, np.newaxis, np.newaxis]
    alleles[:, 3, 0] = np.where(random.random(snps) < 0.5, alleles[:, 2, 0], alleles[:, 2, 1])
    copies: Copies = alleles.sum(axis=2).astype(np.int8)
    copies[:, 1] = copies[:, 0]
    copies[random.random(copies.shape) < 0.05] = -1
    return copies


def test_who_is_kin() -> None:
    pairs = kin(family())
    assert [(pair.first, pair.second) for pair in pairs] == [(0, 1), (2, 3)]
    assert pairs[0].kinship > DUPLICATE
    assert FIRST_DEGREE < pairs[1].kinship < DUPLICATE


def test_estimates_are_those_of_plink2(tmp_path: Path) -> None:
    copies = family()
    places = tuple(("1", 1000 * (row + 1)) for row in range(len(copies)))
    study = Study(copies, (("A", "C"),) * len(copies), ("1",) * copies.shape[1], places)
    plink(
        "plink2",
        "--bfile",
        write_bed(study, tmp_path / "x"),
        "--make-king-table",
        "--king-table-filter",
        str(FIRST_DEGREE),
        "--out",
        tmp_path / "k",
    )
    lines = [line.split() for line in (tmp_path / "k.kin0").read_text().splitlines()]
    header, rows = lines[0], lines[1:]
    theirs = {frozenset((row[1], row[3])): float(row[header.index("KINSHIP")]) for row in rows}
    ours = {frozenset((f"p{pair.first}", f"p{pair.second}")): pair.kinship for pair in kin(copies)}
    assert ours.keys() == theirs.keys()
    assert all(abs(ours[pair] - theirs[pair]) < 1e-5 for pair in ours)


def test_people_without_calls_are_nobodys_kin() -> None:
    copies = family()
    copies[:, 5:8] = -1
    copies[:, 9] = 0
    assert len(kin(copies)) == 2


def test_snps_are_spread_over_the_list() -> None:
    assert len(spread(LEAST_SNPS - 1, 9)) == 0
    assert spread(LEAST_SNPS, 9).tolist() == list(range(LEAST_SNPS))
    many = spread(1_000_000, 9)
    assert (len(many), many[0], many[-1]) == (MOST_SNPS, 0, 999_999)


def test_the_span_is_summed_over_chromosomes() -> None:
    assert span([np.array([5, 7, 105]), np.array([10]), np.array([1, 11])]) == 110


@pytest.mark.series(1)
@pytest.mark.parametrize("wrong", [0, 0.005, 0.02])
def test_who_is_there_twice_is_found_among_any_number(wrong: float) -> None:
    """40 pairs of one person among strangers, with calls that are wrong or missing; not a parent and a child, and no strangers."""
    random = np.random.default_rng(2)
    people, snps = 12_000, 600
    frequencies = random.uniform(0.05, 0.5, snps)
    alleles = random.random((snps, people, 2)) < frequencies[:, np.newaxis, np.newaxis]
    alleles[:, 101, 0] = np.where(random.random(snps) < 0.5, alleles[:, 100, 0], alleles[:, 100, 1])
    copies: Copies = alleles.sum(axis=2).astype(np.int8)
    pairs = [(50 * row, 11_999 - 7 * row) for row in range(40)]
    for first, second in pairs:
        copies[:, second] = copies[:, first]
    spoiled = random.random(copies.shape) < wrong
    copies[spoiled] = random.integers(-1, 3, int(spoiled.sum()))
    assert [(pair.first, pair.second) for pair in duplicates(copies)] == pairs


def test_estimates_of_pairs_are_those_of_all_pairs() -> None:
    assert duplicates(family()) == [pytest.approx(pair) for pair in kin(family(), DUPLICATE)]


def test_snps_that_do_not_vary_tell_nothing() -> None:
    assert duplicates(np.zeros((600, 300), dtype=np.int8)) == []
    assert duplicates(np.full((600, 300), -1, dtype=np.int8)) == []


def test_of_more_people_fewer_snps_are_kept() -> None:
    for people in (10, 10**5, 10**6, 10**7):
        assert len(spread(10**6, people)) * people <= max(MOST_CALLS, 128 * people)


def test_who_was_not_looked_for_is_stated() -> None:
    assert "nobody was compared" in not_looked_for(499, 10, 10**9)
    assert "kin were not looked for among more than 10,000 people" in not_looked_for(500, 10_001, 10**9)
    assert "kin were not looked for on less than" in not_looked_for(500, 10_000, 10**6)
    assert not_looked_for(500, 10_000, 10**8) == ""

"""Kinship as KING estimates it: equal to plink2's, and duplicates and children stand out."""

from pathlib import Path

import numpy as np

from starling.genome.source.relatives import DUPLICATE, FIRST_DEGREE, LEAST_SNPS, MOST_SNPS, kin, span, spread
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
    assert len(spread(LEAST_SNPS - 1)) == 0
    assert spread(LEAST_SNPS).tolist() == list(range(LEAST_SNPS))
    many = spread(1_000_000)
    assert (len(many), many[0], many[-1]) == (MOST_SNPS, 0, 999_999)


def test_the_span_is_summed_over_chromosomes() -> None:
    assert span([np.array([5, 7, 105]), np.array([10]), np.array([1, 11])]) == 110

"""Sums of copies and of a phenotype are those of a plain reading of the files."""

from pathlib import Path

import numpy as np

from starling.genome.counts.moments import read_moments
from starling.genome.plan import Plan
from starling.genome.plan.moments import HALF
from starling.genome.source import open_genotypes
from tests.genome.studies import a_study, write_bed

PEOPLE, SNPS = 90, 7


def test_sums_are_those_of_a_plain_reading(tmp_path: Path) -> None:
    """With missing calls, a phenotype that is no number, one that is -9, one beyond an end, and alleles that are carried the other way."""
    study = a_study(snps=SNPS, people=PEOPLE, seed=3, missing=0.1)
    prefix = write_bed(study, tmp_path / "study")
    values = np.random.default_rng(1).normal(30, 9, PEOPLE).round(1)
    words = [str(value) for value in values]
    words[3], words[8], words[20], words[21] = "NA", "-9", "1e9", "-40"
    ids = [line.split()[:2] for line in Path(f"{prefix}.fam").read_text().splitlines()]
    rows = "".join(f"{' '.join(each)} {word}\n" for each, word in zip(ids, words, strict=True))
    (tmp_path / "trait.txt").write_text(f"FID IID trait\n{rows}")
    flipped = {2, 5}
    listed = [
        (name, *place, *(alleles[::-1] if at in flipped else alleles))
        for at, (name, place, alleles) in enumerate(zip(study.ids, study.places, study.alleles, strict=True))
    ]
    plan = Plan.of(
        {
            "title": "Trait",
            "privacy": {"unit": "person", "neighbours": "replace-one"},
            "study": {"people": PEOPLE, "between": ["15", "45"], "steps": 300},
            "snps": Plan.snp_list(listed),
            "analysis": {"model": "additive", "tests": ["score"]},
        }
    )
    indices = np.array([5, 0, 2, 6])
    of_snps, of_all = read_moments(plan, open_genotypes(prefix, plan, tmp_path / "trait.txt"), indices)

    known = np.array([word not in ("NA", "-9") for word in words])
    clipped = np.clip([float(word) if ok else 30 for word, ok in zip(words, known, strict=True)], 15, 45)
    t = np.rint((np.rint((clipped - 15) * 10) / 300 - 0.5) * 2 * HALF).astype(int)
    for row, at in zip(of_snps, indices, strict=True):
        copies = study.copies[list(study.ids).index(plan.snps.ids[at])].astype(int)
        copies = np.where((copies >= 0) & (at in flipped), 2 - copies, copies)
        there = known & (copies >= 0)
        u = copies[there] - 1
        assert row.tolist() == [u @ t[there], u.sum(), u @ u, PEOPLE - there.sum()]
    assert of_all.tolist() == [t[known].sum(), t[known] @ t[known], 2]

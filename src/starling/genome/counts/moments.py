"""The sums of copies and of a quantitative phenotype over people that plan/moments.py names."""

import numpy as np

from starling.genome.arrays import Flags, Int8, Int64
from starling.genome.plan import Plan
from starling.genome.plan.moments import centred
from starling.genome.source import Calls, Genotypes, read
from starling.genome.source.calls import MISSING, copies


def read_moments(plan: Plan, genotypes: Genotypes, indices: Int64) -> tuple[Int64, Int64]:
    """Of the SNPs at `indices`, in this order and all different, int64 (k, 4), and of the phenotype, int64 (3,), before weights.

    Raises SourceError when a file is no longer what was checked; never because of what a call or a line says.
    """
    people = genotypes.people
    known = people.known(plan.people)
    phenotypes = centred(people.levels(plan.people), plan.largest)
    row_of = plan.snps.rows_of(indices)
    out = np.zeros((len(indices), 4), dtype=np.int64)

    def work(calls: Calls) -> list[tuple[int, Int64]]:
        # One SNP at a time, so that memory holds the calls of one.
        return [
            (int(row_of[snp]), snp_moments(_carried(calls, at, plan.people), phenotypes, known))
            for at, snp in enumerate(calls.snps)
        ]

    for rows in read(genotypes, plan, work, indices):
        for row, sums in rows:
            out[row] = sums
    return out, trait_moments(phenotypes, known)


def snp_moments(carried: Int8, phenotypes: Int64, known: Flags) -> Int64:
    """Of one SNP, int64 (4,), from copies of the carried allele or MISSING, t, and who has the phenotype, each of shape (n,).

    >>> snp_moments(np.array([2, 0, MISSING, 2], np.int8), np.array([5, 7, 1, 1]), np.array([True, True, True, False])).tolist()
    [-2, 0, 2, 2]
    """
    counted = known & (carried != MISSING)
    u = np.where(counted, carried.astype(np.int64) - 1, 0)
    return np.array([u @ phenotypes, u.sum(), u @ u, len(u) - counted.sum()], dtype=np.int64)


def trait_moments(phenotypes: Int64, known: Flags) -> Int64:
    """Of the phenotype, int64 (3,)."""
    t = phenotypes[known]
    return np.array([t.sum(), t @ t, len(phenotypes) - len(t)], dtype=np.int64)


def _carried(calls: Calls, at: int, people: int) -> Int8:
    """Copies of the carried allele of the SNP in that row."""
    first = copies(calls.packed[at : at + 1], people)[0]
    return np.where(first == MISSING, MISSING, 2 - first).astype(np.int8) if calls.second[at] else first

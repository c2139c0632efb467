"""Signed distances of score tests with covariates, of a study whose phenotypes are protected and whose genotypes are not."""

from collections.abc import Iterable
from functools import partial
from typing import cast

import numpy as np

from starling.genome.adjusted import Coding, Columns, dosage_tiles, residual_columns, residual_dosages, tiles
from starling.genome.arrays import Flags, Float64, Int64
from starling.genome.counts.basis import study_bases
from starling.genome.counts.men import Men
from starling.genome.distance.adjusted import adjusted_distance, whole_columns
from starling.genome.distance.joint_scores import JointScores, joint_columns
from starling.genome.plan import Plan
from starling.genome.source import Calls, Dosages, Genotypes, read, read_dosages


def read_distances(plan: Plan, genotypes: Genotypes, indices: Int64 | None, threshold: int) -> Int64:
    """Of every SNP, or of those at `indices`, in this order and all different: int64 (m,).

    Args:
        plan: Of a study whose unit is the phenotype; its model says what copies count as, its study what phenotypes do.
        genotypes: Checked, but unread.
        indices: Positions in the plan's SNP list.
        threshold: C of distance/adjusted.py.

    Raises:
        SourceError: when a file is no longer what was checked; never because of what a call or a line says.
    """
    row_of = np.arange(len(plan.snps), dtype=np.int64)
    if indices is not None:
        row_of[indices] = np.arange(len(indices), dtype=np.int64)
    phenotypes, coding = genotypes.people.levels(plan.people), cast(Coding, plan.model)
    out = np.empty(len(plan.snps) if indices is None else len(indices), dtype=np.int64)

    men = Men.of(plan, genotypes)

    def work(basis: Float64, calls: Calls) -> tuple[Int64, Int64]:
        return row_of[calls.snps], chunk_distances(men.calls(calls), coding, basis, phenotypes, threshold, plan.largest)

    def work_of_dosages(basis: Float64, dosages: Dosages) -> tuple[Int64, Int64]:
        columns = (residual_dosages(tile, basis).values for tile in dosage_tiles(men.dosages(dosages)))
        return row_of[dosages.snps], column_distances(columns, phenotypes, threshold, plan.largest)

    for some, basis in study_bases(plan, genotypes, indices):
        if plan.genotypes == "dosages":
            parts = read_dosages(genotypes, plan, partial(work_of_dosages, basis), some)
        else:
            parts = read(genotypes, plan, partial(work, basis), some)
        for rows, distances in parts:
            out[rows] = distances
    return out


def read_joint_scores(plan: Plan, genotypes: Genotypes, indices: Int64, scale: int) -> JointScores:
    """The scores of the SNPs at `indices`, of L1 sensitivity `scale`; arguments and errors are those of `read_distances`."""
    row_of = np.arange(len(plan.snps), dtype=np.int64)
    row_of[indices] = np.arange(len(indices), dtype=np.int64)
    columns, coding, men = np.empty((len(indices), plan.people)), cast(Coding, plan.model), Men.of(plan, genotypes)
    numbers, frequencies = np.zeros(len(indices), dtype=np.int64), np.zeros(len(indices))

    def keep(part: Columns, of: Calls | Dosages) -> None:
        rows = row_of[part.snps]
        columns[rows], numbers[rows], frequencies[rows] = part.values, part.calls, men.frequencies(part, of)

    def work(basis: Float64, calls: Calls) -> None:
        counted = men.calls(calls)
        for tile, part in zip(tiles(counted, len(basis)), residual_columns(counted, coding, basis), strict=True):
            keep(part, tile)

    def work_of_dosages(basis: Float64, dosages: Dosages) -> None:
        for tile in dosage_tiles(men.dosages(dosages)):
            keep(residual_dosages(tile, basis), tile)

    for some, basis in study_bases(plan, genotypes, indices):
        if plan.genotypes == "dosages":
            parts = read_dosages(genotypes, plan, partial(work_of_dosages, basis), some)
        else:
            parts = read(genotypes, plan, partial(work, basis), some)
        for _ in parts:
            pass
    joint = joint_columns(columns, scale, plan.largest)
    scores = joint.values @ genotypes.people.levels(plan.people).astype(np.int64)
    return JointScores(scores, joint.largest, joint.squares, numbers, frequencies)


def chunk_distances(
    calls: Calls, coding: Coding, basis: Float64, phenotypes: Int64 | Flags, threshold: int, steps: int = 1
) -> Int64:
    """Of the SNPs of a chunk, int64 (c,)."""
    columns = (tile.values for tile in residual_columns(calls, coding, basis))
    return column_distances(columns, phenotypes, threshold, steps)


def column_distances(columns: Iterable[Float64], phenotypes: Int64 | Flags, threshold: int, steps: int = 1) -> Int64:
    """Of the SNPs of tiles of columns with the basis projected out, float64 (., n): int64 (c,)."""
    return np.concatenate(
        [adjusted_distance(whole_columns(values), phenotypes, threshold, steps) for values in columns]
    )

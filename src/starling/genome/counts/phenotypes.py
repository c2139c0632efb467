"""Signed distances of score tests with covariates, of a study whose phenotypes are protected and whose genotypes are not."""

from functools import partial
from typing import cast

import numpy as np

from starling.genome.adjusted import Coding, residual_tiles
from starling.genome.arrays import Float64, Int64
from starling.genome.counts.basis import study_bases
from starling.genome.counts.men import Men
from starling.genome.distance.adjusted import adjusted_distance, whole_columns
from starling.genome.distance.joint_scores import JointScores, joint_columns
from starling.genome.plan import Plan
from starling.genome.source import Calls, Dosages, Genotypes, read_counted


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
    row_of, men = plan.snps.rows_of(indices), Men.of(plan, genotypes)
    phenotypes, coding = genotypes.people.levels(plan.people), cast(Coding, plan.model)
    out = np.empty(len(plan.snps) if indices is None else len(indices), dtype=np.int64)

    def work(basis: Float64, part: Calls | Dosages) -> tuple[Int64, Int64]:
        columns = (whole_columns(tile.values) for _, tile in residual_tiles(men.counted(part), coding, basis))
        distances = [adjusted_distance(each, phenotypes, threshold, plan.largest) for each in columns]
        return row_of[part.snps], np.concatenate(distances)

    for some, basis in study_bases(plan, genotypes, indices):
        for rows, distances in read_counted(genotypes, plan, partial(work, basis), some):
            out[rows] = distances
    return out


def read_joint_scores(plan: Plan, genotypes: Genotypes, indices: Int64, scale: int) -> JointScores:
    """The scores of the SNPs at `indices`, of L1 sensitivity `scale`; arguments and errors are those of `read_distances`."""
    row_of = plan.snps.rows_of(indices)
    columns, coding, men = np.empty((len(indices), plan.people)), cast(Coding, plan.model), Men.of(plan, genotypes)
    numbers, frequencies = np.zeros(len(indices), dtype=np.int64), np.zeros(len(indices))

    def work(basis: Float64, part: Calls | Dosages) -> None:
        for tile, rest in residual_tiles(men.counted(part), coding, basis):
            rows = row_of[rest.snps]
            columns[rows], numbers[rows], frequencies[rows] = rest.values, rest.calls, men.frequencies(rest, tile)

    for some, basis in study_bases(plan, genotypes, indices):
        for _ in read_counted(genotypes, plan, partial(work, basis), some):
            pass
    joint = joint_columns(columns, scale, plan.largest)
    scores = joint.values @ genotypes.people.levels(plan.people).astype(np.int64)
    return JointScores(scores, joint.largest, joint.squares, numbers, frequencies)

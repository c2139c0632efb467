"""The consistent histograms nearest to noisy ones in real numbers: Newton's method on the dual. Rounded they are the paper's H^r.

For given active leaves, those above 0, the optimum is a closed form, worked out up the tree and down again; its prices say which leaves
are active then. What is left at a price is convex in it, so that the method comes from one side and ends after finitely many passes.
In floating point it may cycle where a leaf is exactly 0, which changes nothing: it is stopped after so many passes.
"""

from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.groups.optimise import water_kernels
from starling.groups.optimise.certificate import certify
from starling.groups.optimise.problem import Problem
from starling.groups.optimise.tree import Int64, Projection, Tree
from starling.groups.optimise.water import bound, largest_and_sums
from starling.groups.optimise.water_kernels import Cells, Families
from starling.privacy.compiled import compiled

Float64: TypeAlias = npt.NDArray[np.float64]

PASSES: Final = 30
"""The most passes over the leaves."""


def relaxed_optimum(
    tree: Tree, families: Families, leaves: Cells, noisy: Int64, total: int, weights: Sequence[int]
) -> tuple[Float64, Float64, Cells]:
    """The optimum in real numbers, of a tree of at least two levels and a total above 0: the leaves, (leaves, sizes), grouped by their
    parents, and int64 (regions above the leaves, sizes).

    Returns:
        float64 (regions above the leaves, sizes): their values; float64 (parents of leaves, sizes): the levels, where each leaf is
        max(0, noisy + level of its parent); of the same shape, the largest noisy count among the leaves of each, in their type.
    """
    first = int(tree.starts[-3])
    shape = (len(noisy) - first, leaves.shape[1])
    parent = tree.parent[: len(noisy)]
    doubled = 2.0 * np.repeat(weights[:-1], np.array(tree.regions[:-1]))
    leaf_twice, most = 2.0 * weights[-1], bound(leaves)
    largest, sums = largest_and_sums(leaves, families)
    counts = np.repeat(np.diff(families.offsets)[:, None], shape[1], axis=1)
    everyone = counts.copy(), sums.copy()
    shares, values, slopes = (np.empty(noisy.shape) for _ in range(3))
    above = np.full(shape, most, dtype=leaves.dtype)
    for _ in range(PASSES):
        if not priced(counts, sums, noisy, parent, doubled, leaf_twice, float(total), shares, values, slopes):
            counts[:], sums[:] = everyone
            continue
        # What a leaf's noisy count must exceed to be active at these prices.
        before, above = above, np.clip(np.floor(-shares[first:] / leaf_twice), -most, most).astype(leaves.dtype)
        if np.array_equal(above, before) or not water_kernels.active(leaves, families, above, counts, sums):
            break
    return values + slopes * shares, shares[first:] / leaf_twice, largest


def project_relaxed(
    noisy: Sequence[npt.ArrayLike], parents: Sequence[npt.ArrayLike], total: int, weights: Sequence[int] | None = None
) -> Projection:
    """The relaxed optimum with each count rounded to the nearest integer: the paper's H^r (Section 5), for comparison.

    Rounding breaks consistency and faithfulness: children need not add up to their parent, nor a level to the total. Takes and raises
    what `project_histogram` does; nothing is proved about its objective but its value.
    """
    problem = Problem.of(noisy, parents, total, weights)
    levels = tuple(np.rint(level).astype(np.int64) for level in _real_levels(problem))
    result = certify(levels, problem.cells, problem.tree.parents, problem.total, problem.weights)
    return Projection(levels, result.objective, result.optimal, None)


def _real_levels(problem: Problem) -> tuple[Float64, ...]:
    """The relaxed optimum of every level."""
    tree, cells, total = problem.tree, problem.cells, problem.total
    if total == 0:
        return tuple(np.zeros(array.shape) for array in cells)
    if tree.levels == 1:
        # The nearest real numbers >= 0 with that sum.
        ordered = -np.sort(-cells[0][0])
        above = (total - np.cumsum(ordered)) / np.arange(1, len(ordered) + 1)
        return (np.maximum(cells[0] + above[np.flatnonzero(ordered + above > 0)[-1]], 0),)
    families = Families.of(tree, tree.levels - 2)
    noisy = np.concatenate(cells[:-1])
    values, levels, _ = relaxed_optimum(tree, families, cells[-1], noisy, total, problem.weights)
    leaves = np.maximum(cells[-1] + levels[tree.parents[-1]], 0)
    return (*(values[tree.rows(level)] for level in range(tree.levels - 1)), leaves)


@compiled
def priced(
    counts: Int64 | Float64,
    sums: Int64 | Float64,
    noisy: Int64,
    parent: Int64,
    doubled: Float64,
    leaf_twice: float,
    total: float,
    shares: Float64,
    values: Float64,
    slopes: Float64,
) -> bool:
    """Solve the relaxed problem for given active leaves, up the tree and down again, in closed form.

    Below region u and size s the children add up to values + slopes * price, where the price is the dual variable of that sum.

    Args:
        counts: (parents of leaves, sizes): active leaves.
        sums: (parents of leaves, sizes): the sum of their noisy counts.
        noisy: (inner regions, sizes).
        parent: (inner regions,): number of each region's parent; the root's is not read.
        doubled: (inner regions,): twice the weight.
        leaf_twice: Twice the weight of the leaves.
        total: What all root cells add up to.
        shares: (inner regions, sizes), written: the price of each region's children.
        values: (inner regions, sizes), written.
        slopes: (inner regions, sizes), written.

    Returns:
        False where no leaf is active, so that nothing moves with the total; then only values and slopes are written.
    """
    inner, sizes = noisy.shape
    first = inner - counts.shape[0]
    values[:first] = 0
    slopes[:first] = 0
    for u in range(first, inner):
        for s in range(sizes):
            values[u, s] = sums[u - first, s]
            slopes[u, s] = counts[u - first, s] / leaf_twice
    for u in range(inner - 1, 0, -1):
        value, slope, own = values[u], slopes[u], noisy[u]
        value_above, slope_above = values[parent[u]], slopes[parent[u]]
        for s in range(sizes):
            part = slope[s] / (1 + doubled[u] * slope[s])
            value_above[s] += value[s] + part * doubled[u] * (own[s] - value[s])
            slope_above[s] += part
    value_sum, slope_sum = 0.0, 0.0
    for s in range(sizes):
        part = slopes[0, s] / (1 + doubled[0] * slopes[0, s])
        value_sum += values[0, s] + part * doubled[0] * (noisy[0, s] - values[0, s])
        slope_sum += part
    if slope_sum == 0:
        return False
    top = np.full(sizes, (total - value_sum) / slope_sum)
    for u in range(inner):
        above = top if u == 0 else shares[parent[u]]
        for s in range(sizes):
            shares[u, s] = (above[s] + doubled[u] * (noisy[u, s] - values[u, s])) / (1 + doubled[u] * slopes[u, s])
    return True

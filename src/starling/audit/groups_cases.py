"""Mechanisms for group sizes that are not as private as they state, kept for the audit alone; no release path reaches them.

The chain (Fioretto, Van Hentenryck and Zhu 2021, Section 9.2, calibrated as its Table 7 implies). It cumulates size by size over *all*
regions of a level: its entry of size s and region r is the number of groups of a smaller size anywhere, or of size s in the regions up to
r. A group that goes from size s to s + 1 in region r changes every entry from (s, r) to just before (s + 1, r), as many as the level
has regions. The paper adds the noise of sensitivity 1. Cumulated region by region instead, only the entry (r, s) changes.

Sizes from 1 on. Who removes the only member of a group removes the group, so that a number G of groups that is published as it is tells.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import inf
from typing import Final, Literal, TypeAlias

import numpy as np

from starling.audit.case import Case, Draws, Int64
from starling.groups.optimise.isotonic import isotonic
from starling.privacy.sampling.entropy import BitSource
from starling.privacy.sampling.noise import discrete_laplace

Order: TypeAlias = Literal["size", "region"]

LEAVES: Final = 200
GROUPS: Final = 8
"""In all; the neighbours differ in one of them."""
SIZES: Final = 3


def chain(cells: Int64, major: Order) -> Int64:
    """The chain of a level, cells int64 (regions, sizes): numbers of groups, cumulated over all its entries.

    `major` is what the chain goes through slowly: "size" as the paper's, or "region".

    >>> chain(np.array([[1, 0], [0, 2]]), "size").tolist()
    [1, 1, 1, 3]
    """
    return np.asarray(np.cumsum(cells.T if major == "size" else cells))


def chain_fit(noisy: Sequence[Int64], ends: Sequence[Int64], groups: int) -> Int64:
    """The numbers of groups that are nearest to noisy chains, int64 (draws, leaves, sizes): exact, by one isotonic fit of each draw.

    The entry of a region and size is the same number as that of the last leaf inside, which is so measured several times.

    Args:
        noisy: For each level int64 (draws, sizes * regions): noisy chains, by size, the leaves' last.
        ends: For each level the numbers of the last leaf in each region, ascending.
        groups: G.
    """
    draws, leaves = len(noisy[0]), len(ends[-1])
    times = np.zeros(leaves, dtype=np.int64)
    values = np.zeros((draws, noisy[-1].shape[1] // leaves, leaves))
    for level, last in zip(noisy, ends, strict=True):
        values[:, :, last] += level.reshape(draws, -1, len(last))
        times[last] += 1
    means = values / times
    # Public: nothing is fitted to what was measured there.
    means[:, -1, -1] = groups
    # An entry of weight w stands w times: the nearest sequence has one value for all of them.
    repeated = np.repeat(means, times, axis=2).reshape(draws, -1)
    fitted = np.rint(isotonic(repeated, 0.0, float(groups))).astype(np.int64).reshape(draws, -1, int(times.sum()))
    entries = fitted[:, :, np.cumsum(times) - 1]
    counts = np.diff(entries.reshape(draws, -1), axis=1, prepend=0).reshape(entries.shape)
    return np.asarray(counts.transpose(0, 2, 1))


def chain_published(epsilon: Fraction) -> Draws:
    """The chain of the leaves and of the root with the published noise, L/epsilon for L = 2 levels: what the attacker reads off.

    From the published numbers of groups of size 0 he works out the mean of the chain over that size, in quarters: of it one group makes 1
    where it counts in every entry, and the noise of as many entries is averaged away.
    """

    def draws(exact: Int64, number: int, source: BitSource) -> Int64:
        cells = exact.reshape(-1, SIZES)
        noisy = []
        for level in (cells.sum(axis=0, keepdims=True), cells):
            true = chain(level, "size")
            noisy.append(true + discrete_laplace(2 / epsilon, (number, len(true)), source=source))
        ends = (np.array([len(cells) - 1]), np.arange(len(cells)))
        published = chain_fit(noisy, ends, int(cells.sum()))
        means = np.cumsum(published[:, :, 0], axis=1).mean(axis=1, keepdims=True)
        return np.asarray(np.rint(4 * means).astype(np.int64))

    return draws


def chain_by_region(epsilon: Fraction) -> Draws:
    """The same chains region by region, where that noise is enough: the entries that the neighbours differ in, cut to what matters."""

    def draws(exact: Int64, number: int, source: BitSource) -> Int64:
        cells = exact.reshape(-1, SIZES)
        levels = (cells, cells.sum(axis=0, keepdims=True))
        first = [chain(level, "region")[0] + discrete_laplace(2 / epsilon, number, source=source) for level in levels]
        return np.asarray(np.clip(np.column_stack(first), 0, GROUPS - 1))

    return draws


def without_size_zero(exact: Int64, number: int, source: BitSource) -> Int64:
    """The exact number of groups of size 1 or more, and noisy numbers of groups of sizes 1 to N of one region."""
    members = exact[1:]
    noisy = members + discrete_laplace(2, (number, len(members)), source=source)
    return np.column_stack([np.full(number, members.sum()), np.clip(noisy[:, 0], 0, 3)])


def world(leaves: int, moved: int) -> tuple[int, ...]:
    """Cells of leaves whose groups all lie in the first, half of them of size 0 but for those that moved to size 1, half of size 2."""
    cells = np.zeros((leaves, SIZES), dtype=np.int64)
    cells[0] = (GROUPS // 2 - moved, moved, GROUPS - GROUPS // 2)
    return tuple(cells.reshape(-1).tolist())


CHAIN: Final = Case(
    f"chain_published, {LEAVES} leaves",
    "a chain over all regions, noise for one",
    (LEAVES + 1) / 2,
    chain_published(Fraction(1)),
    world(LEAVES, 0),
    world(LEAVES, 1),
    500,
)

MUTANTS: Final[tuple[Case, ...]] = (
    CHAIN,
    Case(
        "sizes from 1 on, exact G",
        "a group without members is gone from G",
        inf,
        without_size_zero,
        (0, 1, 0),
        (1, 0, 0),
        500,
    ),
)
"""All of them are rejected."""

MECHANISMS: Final[tuple[Case, ...]] = (
    replace(CHAIN, name=f"chain by region, {LEAVES} leaves", flaw="", truth=1, mechanism=chain_by_region(Fraction(1))),
)
"""Counterparts of the mutants that keep their promise, tried in the same way."""

"""The tree of regions as arrays, and what an optimiser hands back.

Regions of a level are its rows, in any order. Where all regions of a tree are numbered in one sequence, the root has number 0 and the
levels follow one another, each in the order of its rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.errors import ParameterError

Int64: TypeAlias = npt.NDArray[np.int64]

_SAFE: Final = 1 << 61
"""Integers below this have sums and differences of 64 bits."""
_BLOCK: Final = 1 << 20
"""Cells whose squares are in memory at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """Nested regions: one root, every region above the last level has a child, and all leaves lie on the last level.

    All arrays are int64 and read-only. `Tree.of` makes a tree from what anybody gives, and checks it.

    Attributes:
        parents: For each level below the root (regions of the level,): each region's row in the level above.
        starts: (levels + 1,): the number of the first region of each level; at last, how many regions there are.
        offsets: (regions + 1,): the children of region u are `children[offsets[u]:offsets[u + 1]]`; leaves have none.
        children: (regions - 1,): numbers of regions, grouped by parent, in increasing order within each group.
    """

    parents: tuple[Int64, ...]
    starts: Int64
    offsets: Int64
    children: Int64

    @classmethod
    def of(cls, parents: Sequence[npt.ArrayLike]) -> "Tree":
        """The tree with these parents.

        Args:
            parents: For each level below the root, integers (regions of the level,): each region's row in the level above. Empty for
                a tree of the root alone.

        Raises:
            ParameterError: where an entry is no row of the level above, or a region above the last level has no child.

        >>> tree = Tree.of([[0, 0], [1, 0, 1]])
        >>> tree.regions, tree.children.tolist(), tree.offsets.tolist()
        ((1, 2, 3), [1, 2, 4, 3, 5], [0, 2, 3, 5, 5, 5, 5])
        """
        above, checked = 1, []
        for level, arrays in enumerate(parents, start=1):
            rows = _rows(arrays, f"parents[{level - 1}]", above)
            checked.append(rows)
            above = len(rows)
        starts = np.cumsum([0, 1, *map(len, checked)], dtype=np.int64)
        regions = int(starts[-1])
        counts, children = np.zeros(regions, dtype=np.int64), [np.empty(0, dtype=np.int64)]
        for level, rows in enumerate(checked):
            counts[starts[level] : starts[level + 1]] = np.bincount(rows)
            children.append(np.argsort(rows, kind="stable") + starts[level + 1])
        offsets = np.concatenate([[0], np.cumsum(counts)])
        return cls(tuple(map(_read_only, checked)), *map(_read_only, (starts, offsets, np.concatenate(children))))

    @property
    def levels(self) -> int:
        """How many levels there are, the root's among them."""
        return len(self.parents) + 1

    @property
    def regions(self) -> tuple[int, ...]:
        """How many regions each level has."""
        return tuple(int(count) for count in np.diff(self.starts))

    @property
    def parent(self) -> Int64:
        """int64 (regions,): the number of each region's parent; of the root 0, its own."""
        return np.concatenate([[0], *(rows + self.starts[level] for level, rows in enumerate(self.parents))])

    def rows(self, level: int) -> slice:
        """Where the regions of a level stand when all regions are numbered."""
        return slice(int(self.starts[level]), int(self.starts[level + 1]))

    def cells(self, values: Sequence[npt.ArrayLike], field: str = "noisy") -> tuple[Int64, ...]:
        """One array of integers for each level, root first, as C-contiguous int64 (regions of the level, sizes); copied only if need be.

        Raises:
            ParameterError: naming `field`, where the number of arrays, a shape or a type does not fit, or there is no size.
        """
        if len(values) != self.levels:
            problem = f"has {len(values)} levels, the tree has {self.levels}"
            raise ParameterError(field, problem, "give one array for each level, the root's first")
        arrays = [_integers(each, f"{field}[{level}]") for level, each in enumerate(values)]
        sizes = arrays[0].shape[-1] if arrays[0].ndim else 0
        for level, (array, regions) in enumerate(zip(arrays, self.regions, strict=True)):
            if array.shape != (regions, sizes) or not sizes:
                problem = f"has shape {array.shape}, its level has {regions} regions"
                fix = "give an array (regions of the level, sizes) with the same sizes, at least one, on every level"
                raise ParameterError(f"{field}[{level}]", problem, fix)
        return tuple(np.ascontiguousarray(array) for array in arrays)


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """Counts that were made consistent, and how good they are.

    Attributes:
        levels: int64 (regions of the level, sizes) for each level, root first: not negative, children add up to their parent, the root
            adds up to the public total. `project_relaxed` alone breaks the two sums.
        objective: The exact value of what was minimised.
        certified: Whether an independent check proved that no feasible integers have a smaller objective.
        gap: What the objective exceeds a proven lower bound by, as a share of that bound; None where it is not known.
    """

    levels: tuple[Int64, ...]
    objective: int | Fraction
    certified: bool
    gap: Fraction | None


def checked_totals(tree: Tree, totals: Sequence[npt.ArrayLike], total: int) -> tuple[Int64, ...]:
    """Public totals of all regions, each at least 0, that add up along the tree and to the public total; int64 for each level.

    Raises:
        ParameterError: naming the level where they do not.
    """
    columns = tree.cells([np.asarray(each)[..., None] for each in totals], field="region_totals")
    by_level, above = tuple(column[:, 0] for column in columns), [total]
    for level, each in enumerate(by_level):
        parents, added = tree.parents[level - 1] if level else np.zeros(1, dtype=np.int64), [0] * len(above)
        for row, number in zip(parents.tolist(), each.tolist(), strict=True):
            added[row] += number
        if each.min() < 0 or added != above:
            problem = "are below 0 or do not add up to the total above them"
            fix = "give numbers of groups whose sums over children are those of their parents"
            raise ParameterError(f"region_totals[{level}]", problem, fix)
        above = each.tolist()
    return by_level


def squares(counts: Int64, noisy: Int64) -> list[int]:
    """For each column the exact sum of (counts - noisy)^2, whatever its magnitude."""
    sums = [0] * counts.shape[1]
    step = max(_BLOCK // max(len(sums), 1), 1)
    for first in range(0, len(counts) if sums else 0, step):
        one, other = counts[first : first + step], noisy[first : first + step]
        safe = all(abs(int(end)) < _SAFE for each in (one, other) for end in (each.min(), each.max()))
        off = one - other if safe else one.astype(object) - other
        largest = int(np.abs(off).max())
        exact = off if largest * largest * len(off) < 2 * _SAFE else off.astype(object)
        sums = [added + int(each) for added, each in zip(sums, (exact * exact).sum(axis=0), strict=True)]
    return sums


def _rows(array: npt.ArrayLike, field: str, above: int) -> Int64:
    """A level's parents, checked against the number of regions in the level above."""
    rows = _integers(array, field)
    if rows.ndim != 1:
        raise ParameterError(field, f"has {rows.ndim} dimensions", "give one row of the level above for each region")
    if rows.size and not (rows.min() >= 0 and rows.max() < above):
        problem = "names a row that the level above does not have"
        raise ParameterError(field, problem, f"give rows from 0 to {above - 1}")
    if childless := int(np.count_nonzero(np.bincount(rows, minlength=above) == 0)):
        problem = f"leaves {childless} of {above} regions of the level above without a child"
        raise ParameterError(field, problem, "give every region above the last level a child")
    return rows


def _integers(values: npt.ArrayLike, field: str) -> Int64:
    """An array of integers as int64."""
    array = np.asarray(values)
    if array.size == 0:
        array = array.astype(np.int64)
    if not np.issubdtype(array.dtype, np.integer) or not np.can_cast(array.dtype, np.int64):
        raise ParameterError(field, f"is of type {array.dtype}", "give integers of at most 64 bits")
    return array.astype(np.int64, copy=False)


def _read_only(array: Int64) -> Int64:
    """A copy that nobody can write to."""
    copy = np.array(array, dtype=np.int64)
    copy.flags.writeable = False
    return copy

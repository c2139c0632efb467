"""All tables of n patients, their neighbours, and distances by breadth-first search: the slow twin of every distance."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations, permutations

import numpy as np
import numpy.typing as npt

Int64 = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]


@lru_cache(maxsize=64)
def all_tables(n: int, cells: int = 4) -> Int64:
    """Every table of n patients, int64 (tables, cells)."""
    walls = np.array(list(combinations(range(n + cells - 1), cells - 1)), dtype=np.int64)
    edges = np.column_stack((np.full(len(walls), -1), walls, np.full(len(walls), n + cells - 1)))
    return np.diff(edges, axis=1) - 1


@lru_cache(maxsize=64)
def neighbours(n: int, cells: int = 4) -> npt.NDArray[np.intp]:
    """For each move of a patient from one cell to another, the table reached from each table; itself where the cell is empty."""
    tables = all_tables(n, cells)
    weights = (n + 1) ** np.arange(cells)
    numbers = tables @ weights
    order = np.argsort(numbers)
    moves = []
    for source, target in permutations(range(cells), 2):
        reached = np.where(tables[:, source] > 0, numbers - weights[source] + weights[target], numbers)
        moves.append(order[np.searchsorted(numbers[order], reached)])
    return np.array(moves)


def searched(n: int, yes: Sequence[bool] | Bool, cells: int = 4) -> Int64:
    """The signed distance of every table to a change of `yes`, by breadth-first search: n + 1 where nothing changes it."""
    answers = np.asarray(yes, dtype=np.bool_)
    return np.where(answers, 1 - _distance(n, ~answers, cells), _distance(n, answers, cells))


def _distance(n: int, target: Bool, cells: int) -> Int64:
    found = np.where(target, 0, n + 1)
    while True:
        nearer = np.minimum(found, found[neighbours(n, cells)].min(axis=0) + 1)
        if np.array_equal(nearer, found):
            return found
        found = nearer


def most_changed(values: Int64, n: int, cells: int = 4) -> int:
    """The most that any of the values changes by between neighbours."""
    return int(np.abs(values[neighbours(n, cells)] - values).max())

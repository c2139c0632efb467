"""Distances that are not distances: rivals of distance/, kept to be compared and shown wrong, never to be released.

Both answer what `distance_to_significance` answers, and both change by more than 1 when one patient is replaced, so scores made of
them are not private at the cost they would state. The tests find the neighbours.
"""

import numpy as np
import numpy.typing as npt

from starling.audit.case import Int64
from starling.genome.distance.constants import quantile, threshold_p
from starling.genome.distance.search import Table, step
from starling.genome.distance.significance import checked_tables
from starling.genome.statistics.association import g_statistic, wald_statistic


def greedy_distance(tables: npt.ArrayLike, p_threshold: float | str) -> Int64:
    """G: move again and again the one patient who changes the statistic most, and count, as an earlier public implementation does.

    Where no move changes it any more, or n moves did not do, n + 1. Signed and shaped as `distance_to_significance`.
    """
    t = quantile(threshold_p(p_threshold), 1)
    return np.array([_greedy(row, t) for row in checked_tables(tables, 4)], dtype=np.int64)


def _greedy(table: Int64, t: float) -> int:
    significant = float(g_statistic(table[np.newaxis])[0]) >= t
    sign = -1 if significant else 1
    n = int(table.sum())
    best, moved = table, 0
    while (float(g_statistic(best[np.newaxis])[0]) >= t) == significant:
        reached = _neighbours(best)
        statistics = sign * g_statistic(reached)
        moved += 1
        if moved > n or statistics.max() <= sign * float(g_statistic(best[np.newaxis])[0]):
            moved = n + 1
            break
        best = reached[int(np.argmax(statistics))]
    return 1 - moved if significant else moved


def _neighbours(table: Int64) -> Int64:
    """The tables one move away, at most 12."""
    moves = np.array([row - column for row in np.eye(4, dtype=np.int64) for column in np.eye(4, dtype=np.int64)])
    reached = table + moves[np.abs(moves).any(axis=1)]
    return np.asarray(reached[(reached >= 0).all(axis=1)])


def wald_distance(tables: npt.ArrayLike, p_threshold: float | str) -> Int64:
    """Wald's test put into the search that is right for G: the first table of the nested path that changes the answer.

    Wald's statistic falls where an effect becomes extreme, and jumps where a cell becomes empty (Hauck and Donner 1977), so
    the path does not hold the best table of each distance. Signed and shaped as `distance_to_significance`.
    """
    t = quantile(threshold_p(p_threshold), 1)
    return np.array([_along((a, b, c, d), t) for a, b, c, d in checked_tables(tables, 4).tolist()], dtype=np.int64)


def _along(table: Table, t: float) -> int:
    a, b, c, d = table
    n = a + b + c + d
    distance = _way_of_wald(table, t)
    if distance:
        start = (b, a, d, c) if distance == 1 else table
        return 1 - next(k for k in range(1, n + 2) if k > n or _way_of_wald(step(*start, k), t) != -1)
    paths = [table, (b, a, d, c)]
    return next(k for k in range(1, n + 2) if k > n or any(_way_of_wald(step(*path, k), t) == 1 for path in paths))


def _way_of_wald(table: Table, t: float) -> int:
    if float(wald_statistic(np.array([table]))[0]) < t:
        return 0
    return 1 if table[0] * table[3] > table[1] * table[2] else -1

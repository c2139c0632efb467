"""Where the people of a study are divided in halves by a quantitative phenotype: scores of every step of the plan.

Privacy. Neighbours: replace one phenotype. There is a candidate for each step but the last: the people up to it, and those above. Its score
is how many people are on the side with fewer. A replacement moves at most one of the n people over a step, from one side to the other, so
that each side, and the smaller of both, changes by at most 1: sensitivity 1 (tests/genome/scores/test_medians.py walks over all neighbours
of small worlds). Which candidates there are follows from the plan alone.
"""

import numpy as np

from starling.genome.arrays import Int64


def median_scores(levels: Int64, steps: int) -> Int64:
    """min(people up to step e, people above it) of e = 0 to steps - 1, int64 (steps,), by the phenotypes in steps, int64 (n,).

    >>> median_scores(np.array([0, 1, 1, 4]), 4).tolist()
    [1, 1, 1, 1]
    >>> median_scores(np.array([0, 1, 1, 4, 2, 3]), 4).tolist()
    [1, 3, 2, 1]
    """
    below = np.cumsum(np.bincount(levels, minlength=steps + 1))[:steps]
    return np.minimum(below, len(levels) - below).astype(np.int64)

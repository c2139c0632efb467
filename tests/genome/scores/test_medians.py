"""Scores of medians: a twin that counts, and how far a replaced phenotype moves them."""

from collections import Counter
from itertools import product

import numpy as np
import pytest

from starling.genome.scores.medians import median_scores


def twin(levels: tuple[int, ...], steps: int) -> list[int]:
    """Counted person by person."""
    sides = ((sum(level <= step for level in levels), sum(level > step for level in levels)) for step in range(steps))
    return [min(side) for side in sides]


@pytest.mark.parametrize(("people", "steps"), [(1, 4), (2, 3), (3, 3), (4, 2), (5, 1)])
def test_scores_are_the_smaller_side_and_a_replaced_phenotype_moves_each_by_one_at_most(
    people: int, steps: int
) -> None:
    """Over all studies and all neighbours; a score of both sides, by their difference, moves by two."""
    far, difference = Counter[int](), 0
    for levels in product(range(steps + 1), repeat=people):
        scores = median_scores(np.array(levels), steps)
        assert scores.tolist() == twin(levels, steps)
        for person, other in product(range(people), range(steps + 1)):
            neighbour = (*levels[:person], other, *levels[person + 1 :])
            moved = np.abs(median_scores(np.array(neighbour), steps) - scores)
            far.update(moved.tolist())
            both = [abs(2 * sum(level <= 0 for level in each) - people) for each in (levels, neighbour)]
            difference = max(difference, abs(both[0] - both[1]))
    assert set(far) <= {0, 1}
    assert far[1] or people == 1
    assert difference == 2 or people == 1
